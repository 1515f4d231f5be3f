/**
 * Faults and abuses that the service must survive. A test of one carries its tag, for example
 * `test('…', { tags: ['fault-3'] }, …)`; `npm test -- --tags-filter=fault-3` runs the tests of one fault.
 */
export const faults = [
  'the same authorization 100 times in parallel',
  'the same event id with a changed amount',
  '50 authorizations race for a balance that covers 10',
  'an authorization, a withdrawal and an authorization race for the same funds',
  'the service is killed between the commit and the response',
  'PostgreSQL is killed under load',
  "the response is later than the network's deadline",
  'the database is unreachable for a minute',
  'a reversal, a clearing and an authorization arrive in any order',
  'a clearing arrives after the expiry, the full reversal or the decline of its authorization',
  'a clearing is ten times the hold',
  'an authorization is cleared in 1,000 parts',
  'a refund exceeds the payment, on a canceled card of a closed account that is in debt',
  'the chain reorganizes',
  'a transaction is mined twice, makes several transfers, or transfers a token with a fee or a fake token',
  'screening is down, changes its result, or sends duplicate or forged callbacks',
  'a payout is interrupted at any step',
  'a request is repeated or replayed, or an access token is stolen',
  'the database is restored, clocks disagree, instances overlap, or a new version is deployed',
  'an insider changes the database',
].map((description, i) => ({ name: `fault-${i + 1}`, description }))
