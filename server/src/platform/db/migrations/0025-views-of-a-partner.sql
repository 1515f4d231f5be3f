-- The partner whose pages may show what was signed for, beside the programme's own; null: those alone.
alter table card_view add column partner_id uuid;
