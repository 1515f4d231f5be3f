-- Evidence lists the reads of user details by all partners, page by page.
create index partner_audit_read on partner_audit (created_at, (partner_id::text || ':' || lpad(seq::text, 19, '0')))
  where action in ('user.details-read', 'user.statement-read');
