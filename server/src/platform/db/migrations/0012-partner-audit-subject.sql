-- Members and auditors ask who read the details of a user.
create index partner_audit_subject on partner_audit (partner_id, subject, seq);
