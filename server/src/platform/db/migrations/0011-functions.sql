-- Functions that the hot paths call. Each is one round trip, and one task on a cluster that is split by user: its first
-- parameter is the user. They read and write rows, and decide nothing. Every statement is on one table of this user, or
-- on a table that all nodes have.
--
-- A function is VOLATILE, so each of its statements sees all commits before it. Statements after a lock therefore see
-- the writes of the lock's previous holder. A changed function gets another name or signature, because the previous
-- version of the service still calls it.

-- Appends an event to the user's outbox. Appends nothing if the user's partner has no webhook endpoint. A fact that
-- waited for the lock can be older than the last event. It then gets that event's time, so events become due in order.
create function append_event(p_user_id uuid, p_event_id uuid, p_type text, p_data text, p_at timestamptz)
returns void language plpgsql as $$
declare
  v_partner_id uuid;
  v_last_seq bigint;
  v_last_at timestamptz;
begin
  select partner_id into v_partner_id from app_user where user_id = p_user_id;
  if v_partner_id is null or not exists (select from webhook_endpoint where partner_id = v_partner_id) then
    return;
  end if;
  select seq, created_at into v_last_seq, v_last_at from event where user_id = p_user_id order by seq desc limit 1;
  insert into event (user_id, seq, event_id, partner_id, type, data, created_at, due_at)
    values (p_user_id, coalesce(v_last_seq, 0) + 1, p_event_id, v_partner_id, p_type, p_data,
      greatest(p_at, v_last_at), greatest(p_at, v_last_at));
end $$;

-- Writes an item of the statement. If its text changes, appends an event with the same text; no event id: no event.
create function put_statement_item(
  p_user_id uuid, p_created_at timestamptz, p_item_id uuid, p_item text, p_event_id uuid, p_event_type text, p_at timestamptz)
returns void language plpgsql as $$
begin
  insert into statement_item (user_id, created_at, item_id, item) values (p_user_id, p_created_at, p_item_id, p_item)
    on conflict (user_id, created_at, item_id) do update set item = excluded.item
      where statement_item.item <> excluded.item;
  if found and p_event_id is not null then
    perform append_event(p_user_id, p_event_id, p_event_type, p_item, p_at);
  end if;
end $$;

-- Writes several items, in the order of the arrays.
create function put_statement_items(
  p_user_id uuid, p_created_at timestamptz[], p_item_ids uuid[], p_items text[], p_event_ids uuid[], p_event_types text[],
  p_at timestamptz)
returns void language plpgsql as $$
begin
  for i in 1 .. cardinality(p_item_ids) loop
    perform put_statement_item(p_user_id, p_created_at[i], p_item_ids[i], p_items[i], p_event_ids[i], p_event_types[i], p_at);
  end loop;
end $$;

-- Writes movements with the user's next numbers, their postings, and the changes of the balances. The account's lock
-- prevents duplicate numbers. Each posting names its movement by its place in the arrays. `p_changes` has one row per
-- token, with the ledger accounts in the order of the columns of `ledger_balance`.
create function post_movements(
  p_user_id uuid, p_kinds text[], p_ref_ids uuid[], p_at timestamptz[],
  p_places integer[], p_lines smallint[], p_tokens text[], p_from_accounts text[], p_to_accounts text[], p_amounts numeric[],
  p_balance_tokens text[], p_changes numeric[])
returns void language plpgsql as $$
declare
  v_last_seq bigint;
begin
  select coalesce(max(seq), 0) into v_last_seq from movement where user_id = p_user_id;
  for i in 1 .. cardinality(p_kinds) loop
    insert into movement (user_id, seq, kind, ref_id, created_at)
      values (p_user_id, v_last_seq + i, p_kinds[i], p_ref_ids[i], p_at[i]);
  end loop;
  for i in 1 .. cardinality(p_amounts) loop
    insert into posting (user_id, movement_seq, line, token, from_account, to_account, amount)
      values (p_user_id, v_last_seq + p_places[i], p_lines[i], p_tokens[i], p_from_accounts[i], p_to_accounts[i], p_amounts[i]);
  end loop;
  for i in 1 .. cardinality(p_balance_tokens) loop
    update ledger_balance set available = available + p_changes[i][1], held = held + p_changes[i][2],
        frozen = frozen + p_changes[i][3], deposit_processing = deposit_processing + p_changes[i][4],
        withdrawal_processing = withdrawal_processing + p_changes[i][5], debt = debt + p_changes[i][6],
        network = network + p_changes[i][7], unfinal = unfinal + p_changes[i][8], chain = chain + p_changes[i][9],
        gas = gas + p_changes[i][10], loss = loss + p_changes[i][11]
      where user_id = p_user_id and token = p_balance_tokens[i];
    if not found then
      insert into ledger_balance (user_id, token, available, held, frozen, deposit_processing, withdrawal_processing, debt,
          network, unfinal, chain, gas, loss)
        values (p_user_id, p_balance_tokens[i], p_changes[i][1], p_changes[i][2], p_changes[i][3], p_changes[i][4],
          p_changes[i][5], p_changes[i][6], p_changes[i][7], p_changes[i][8], p_changes[i][9], p_changes[i][10],
          p_changes[i][11]);
    end if;
  end loop;
end $$;

-- Takes the user's lock, then returns all facts that a card message is decided by, as of the moment the lock was taken.
-- Lists are JSON with amounts and ids as text, since a JSON number is not exact. A list is null if it is empty.
create function load_card_message(
  p_user_id uuid, p_source text, p_event_id text, p_card_id uuid, p_network_id text, p_authorization_code text,
  -- codes for a message without one; the first that the card has not used becomes its code
  p_new_codes text[],
  -- currencies whose limits depend on earlier payments, and the first ids of the periods that these limits cover; null:
  -- no limits
  p_limited_currencies text[], p_spent_from uuid, p_authorized_from uuid,
  out account_id uuid, out address text, out account_currency text, out account_status text,
  out may_approve boolean,
  -- the stored decision; only `body_hash` for a message that was declined while it waited for the lock
  out body_hash text, out outcome text, out decline_code text, out decided_code text, out authorization_id bigint,
  out approved_amount numeric,
  out card_status text, out card_currency text, out card_token text, out limit_per_transaction numeric,
  out limit_daily numeric, out user_status text, out kyc_status text,
  out user_partner_id uuid,
  out code text, out messages json, out transactions json, out parts json, out balances json, out use json)
language plpgsql as $$
declare
  v_new_code text;
  v_transaction_ids uuid[];
begin
  select a.account_id, a.address, a.currency, a.status
    into strict account_id, address, account_currency, account_status
    from account a where a.user_id = p_user_id for no key update;

  -- A missing row counts as off: a damaged table must not release money.
  select k.is_on into may_approve from kill_switch k where k.name = 'card-approvals';
  may_approve := coalesce(may_approve, false);

  select m.body_hash, m.outcome, m.decline_code, m.authorization_code, m.authorization_id, m.approved_amount_minor
    into body_hash, outcome, decline_code, decided_code, authorization_id, approved_amount
    from card_message m where m.user_id = p_user_id and m.source = p_source and m.event_id = p_event_id;
  if not found then
    select l.body_hash into body_hash
      from late_decline l where l.user_id = p_user_id and l.source = p_source and l.event_id = p_event_id;
  end if;

  select c.status, c.currency, c.card_token, c.limit_per_transaction, c.limit_daily
    into strict card_status, card_currency, card_token, limit_per_transaction, limit_daily
    from card c where c.user_id = p_user_id and c.card_id = p_card_id;
  select u.status, u.kyc_status, u.partner_id into strict user_status, kyc_status, user_partner_id
    from app_user u where u.user_id = p_user_id;

  select json_agg(json_build_object('token', b.token, 'available', b.available::text, 'held', b.held::text,
      'frozen', b.frozen::text, 'deposit_processing', b.deposit_processing::text,
      'withdrawal_processing', b.withdrawal_processing::text, 'debt', b.debt::text, 'network', b.network::text,
      'unfinal', b.unfinal::text, 'chain', b.chain::text, 'gas', b.gas::text, 'loss', b.loss::text))
    into balances from ledger_balance b where b.user_id = p_user_id;

  if p_network_id is not null then
    select m.authorization_code into code from card_message m
      where m.user_id = p_user_id and m.card_id = p_card_id and m.network_id = p_network_id
      order by m.created_at, m.card_message_id limit 1;
  end if;
  code := coalesce(code, p_authorization_code);

  if code is null then
    foreach v_new_code in array p_new_codes loop
      perform from card_message m
        where m.user_id = p_user_id and m.card_id = p_card_id and m.authorization_code = v_new_code limit 1;
      if not found then
        code := v_new_code;
        exit;
      end if;
    end loop;
  else
    select json_agg(json_build_object('messageId', m.card_message_id, 'authorizationId', m.authorization_id::text,
        'type', m.type, 'amount', m.amount_minor::text, 'isFinal', m.is_final, 'outcome', m.outcome,
        'deferredMessage', m.deferred_message, 'at', m.created_at) order by m.created_at, m.card_message_id),
        array_agg(m.card_transaction_id)
      into messages, v_transaction_ids
      from card_message m where m.user_id = p_user_id and m.card_id = p_card_id and m.authorization_code = code;
  end if;

  if messages is not null then
    select json_agg(json_build_object('cardTransactionId', t.card_transaction_id, 'cardId', t.card_id,
        'cardToken', t.card_token, 'authorizationId', t.authorization_id::text, 'authorizationCode', t.authorization_code,
        'kind', t.kind, 'status', t.status, 'isCredit', t.is_credit, 'currency', t.currency,
        'amountMinor', t.amount_minor::text, 'originalCurrency', t.original_currency,
        'originalAmountMinor', t.original_amount_minor::text, 'merchantName', t.merchant_name,
        'merchantCity', t.merchant_city, 'merchantCountry', t.merchant_country, 'mcc', t.mcc, 'entryMode', t.entry_mode,
        'declineCode', t.decline_code, 'linkedId', t.linked_id, 'needsReview', t.needs_review, 'createdAt', t.created_at,
        'updatedAt', t.updated_at, 'clearedAt', t.cleared_at) order by t.created_at, t.card_transaction_id)
      into transactions
      from card_transaction t where t.user_id = p_user_id and t.card_transaction_id = any(v_transaction_ids);
    select json_agg(json_build_object('cardTransactionId', p.card_transaction_id, 'token', p.token,
        'held', p.held::text, 'settled', p.settled::text))
      into parts
      from card_transaction_part p where p.user_id = p_user_id and p.card_transaction_id = any(v_transaction_ids);
  end if;

  if p_spent_from is not null and (card_currency = any(p_limited_currencies) or limit_daily is not null) then
    -- Ids begin with their time, so the primary key finds the recent rows. Velocity declines do not count as
    -- authorizations. Otherwise retries would keep the user locked out.
    use := (
      select json_agg(json_build_object('mcc', u.mcc, 'spent', u.spent::text, 'spentWithCard', u.spent_with_card::text,
        'authorizations', u.authorizations::text))
      from (
        select t.mcc,
          coalesce(sum(t.amount_minor) filter (where t.card_transaction_id >= p_spent_from and t.currency = card_currency
            and t.status in ('pending', 'settled')), 0) as spent,
          coalesce(sum(t.amount_minor) filter (where t.card_transaction_id >= p_spent_from and t.card_id = p_card_id
            and t.status in ('pending', 'settled')), 0) as spent_with_card,
          count(*) filter (where t.card_transaction_id >= p_authorized_from and t.decline_code is distinct from 'VEL')
            as authorizations
        from card_transaction t
        where t.user_id = p_user_id and t.card_transaction_id >= least(p_spent_from, p_authorized_from)
          and t.kind = 'Payment' and (t.card_id <> p_card_id or t.authorization_code <> code or t.status = 'declined')
        group by t.mcc) u);
  end if;
end $$;

-- Waits while another transaction stores the message: inserts a row with the same key, and rolls it back.
create function await_card_message(p_user_id uuid, p_source text, p_event_id text)
returns void language plpgsql as $$
begin
  insert into card_message (user_id, source, event_id, card_message_id, body_hash, card_id, authorization_code,
      authorization_id, type, is_final, outcome, created_at)
    values (p_user_id, p_source, p_event_id, p_user_id, '', p_user_id, '', 0, 'advice', false, 'approved', '-infinity');
  raise unique_violation;
exception when unique_violation then
  return;
end $$;

-- Writes everything that a card message changes: the message with its decision, its card transaction with the parts,
-- the movement and the item of the statement.
create function record_card_message(
  p_user_id uuid, p_at timestamptz,
  -- the message; a null id: it is stored already, and was deferred until now
  p_message_id uuid, p_source text, p_event_id text, p_body_hash text, p_card_id uuid, p_authorization_code text,
  p_authorization_id bigint, p_network_id text, p_type text, p_amount numeric, p_is_final boolean, p_outcome text,
  p_decline_code text, p_approved_amount numeric, p_deferred_message text, p_message_needs_review boolean,
  -- earlier messages: deferred reversals that receive their amounts, and those that are no longer deferred
  p_resolved_ids uuid[], p_resolved_amounts numeric[], p_undeferred_ids uuid[],
  -- the card transaction; a null id: none is new or changed. An existing one changes only in what messages can change.
  p_transaction_id uuid, p_transaction_card_token text, p_transaction_authorization_id bigint, p_kind text, p_status text,
  p_is_credit boolean, p_currency text, p_amount_minor numeric, p_original_currency text, p_original_amount_minor numeric,
  p_merchant_name text, p_merchant_city text, p_merchant_country text, p_mcc text, p_entry_mode text,
  p_transaction_decline_code text, p_linked_id uuid, p_needs_review boolean, p_due_at timestamptz,
  p_created_at timestamptz, p_cleared_at timestamptz,
  p_part_tokens text[], p_part_held numeric[], p_part_settled numeric[],
  -- the movement; without postings: none
  p_movement_kind text, p_places integer[], p_lines smallint[], p_tokens text[], p_from_accounts text[], p_to_accounts text[],
  p_amounts numeric[], p_balance_tokens text[], p_changes numeric[],
  -- the item of the statement, and the event that reports it; no event id: no partner to report to
  p_item text, p_item_event_id uuid, p_item_event_type text)
returns void language plpgsql as $$
begin
  for i in 1 .. cardinality(p_resolved_ids) loop
    update card_message set amount_minor = p_resolved_amounts[i]
      where user_id = p_user_id and card_id = p_card_id and authorization_code = p_authorization_code
        and card_message_id = p_resolved_ids[i];
  end loop;
  -- A message that is no longer deferred needs no review.
  if cardinality(p_undeferred_ids) > 0 then
    update card_message set deferred_message = null, needs_review = false, card_transaction_id = p_transaction_id
      where user_id = p_user_id and card_id = p_card_id and authorization_code = p_authorization_code
        and card_message_id = any(p_undeferred_ids);
  end if;

  if p_message_id is not null then
    insert into card_message (user_id, card_message_id, source, event_id, body_hash, card_id, card_transaction_id,
        authorization_code, authorization_id, network_id, type, amount_minor, is_final, outcome, decline_code, approved_amount_minor,
        deferred_message, needs_review, created_at)
      values (p_user_id, p_message_id, p_source, p_event_id, p_body_hash, p_card_id, p_transaction_id,
        p_authorization_code, p_authorization_id, p_network_id, p_type, p_amount, p_is_final, p_outcome, p_decline_code, p_approved_amount,
        p_deferred_message, p_message_needs_review, p_at);
    -- Fails if a late decline was stored after the facts were loaded. The service repeats the transaction, which then
    -- finds the decline. A request that stores its decline later waits for this row: see `await_card_message`.
    if p_decline_code is distinct from 'TMO' and exists (select from late_decline l
        where l.user_id = p_user_id and l.source = p_source and l.event_id = p_event_id) then
      raise serialization_failure using message = 'the message was declined as late';
    end if;
  end if;
  if p_transaction_id is null then
    return;
  end if;

  insert into card_transaction (user_id, card_transaction_id, card_id, card_token, authorization_id, authorization_code, kind,
      status, is_credit, currency, amount_minor, original_currency, original_amount_minor, merchant_name, merchant_city,
      merchant_country, mcc, entry_mode, decline_code, linked_id, needs_review, due_at, created_at, updated_at, cleared_at)
    values (p_user_id, p_transaction_id, p_card_id, p_transaction_card_token, p_transaction_authorization_id,
      p_authorization_code, p_kind, p_status, p_is_credit, p_currency, p_amount_minor, p_original_currency,
      p_original_amount_minor, p_merchant_name, p_merchant_city, p_merchant_country, p_mcc, p_entry_mode,
      p_transaction_decline_code, p_linked_id, p_needs_review, p_due_at, p_created_at, p_at, p_cleared_at)
    on conflict (user_id, card_transaction_id) do update set status = excluded.status,
      amount_minor = excluded.amount_minor, needs_review = excluded.needs_review, due_at = excluded.due_at, attempts = 0,
      updated_at = excluded.updated_at, cleared_at = excluded.cleared_at;
  if cardinality(p_amounts) > 0 then
    for i in 1 .. cardinality(p_part_tokens) loop
      insert into card_transaction_part (user_id, card_transaction_id, token, held, settled)
        values (p_user_id, p_transaction_id, p_part_tokens[i], p_part_held[i], p_part_settled[i])
        on conflict (card_transaction_id, user_id, token) do update set held = excluded.held, settled = excluded.settled;
    end loop;
    perform post_movements(p_user_id, array[p_movement_kind], array[p_transaction_id], array[p_at], p_places, p_lines,
      p_tokens, p_from_accounts, p_to_accounts, p_amounts, p_balance_tokens, p_changes);
  end if;
  perform put_statement_item(p_user_id, p_created_at, p_transaction_id, p_item, p_item_event_id, p_item_event_type, p_at);
end $$;
