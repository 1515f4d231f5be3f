import type { OperatorCommand, OperatorPermission } from '@purser/client'

/** The permission that each command needs, so that no screen offers a change that the service would reject. */
export const permissionOf: Readonly<Record<OperatorCommand, OperatorPermission>> = {
  'user block': 'users:block',
  'user unblock': 'users:unblock',
  'user erase': 'users:erase',
  'deposits return': 'payouts:write',
  'transfers tell': 'payouts:write',
  'payouts decide': 'payouts:write',
  'payouts cancel': 'payouts:write',
  'payouts assign': 'payouts:write',
  'reviews done': 'reviews:write',
  'webhooks resend': 'webhooks:resend',
  'partner approve': 'partners:write',
  'partner suspend': 'partners:write',
  'partner details': 'partners:write',
  'domain add': 'domains:write',
  'domain remove': 'domains:write',
  'keys rotate': 'keys:write',
  'keys retire': 'keys:write',
  'switch payouts off': 'switches:write',
  'switch payouts on': 'switches:write',
  'switch card-approvals off': 'switches:write',
  'switch card-approvals on': 'switches:write',
  'operator add': 'operators:write',
  'operator change': 'operators:write',
  'operator remove': 'operators:write',
}
