// Generated from the permissions and commands of operators by `npm run build`; do not edit.
import type { Operator, OperatorCommand, OperatorPermission } from '@purser/client'

/** The roles that have each permission. */
export const rolesOf: Readonly<Record<OperatorPermission, readonly Operator['role'][]>> = {
  "session": [
    "viewer",
    "support",
    "money",
    "admin",
    "auditor"
  ],
  "overview:read": [
    "viewer",
    "support",
    "money",
    "admin",
    "auditor"
  ],
  "users:read": [
    "viewer",
    "support",
    "money",
    "admin",
    "auditor"
  ],
  "ledger:read": [
    "viewer",
    "support",
    "money",
    "admin",
    "auditor"
  ],
  "work:read": [
    "viewer",
    "support",
    "money",
    "admin",
    "auditor"
  ],
  "partners:read": [
    "viewer",
    "support",
    "money",
    "admin",
    "auditor"
  ],
  "operators:read": [
    "viewer",
    "support",
    "money",
    "admin",
    "auditor"
  ],
  "decisions:read": [
    "viewer",
    "support",
    "money",
    "admin",
    "auditor"
  ],
  "users:reveal": [
    "support",
    "money",
    "admin",
    "auditor"
  ],
  "reconciliation:run": [
    "support",
    "money",
    "admin",
    "auditor"
  ],
  "reads:read": [
    "admin",
    "auditor"
  ],
  "evidence:read": [
    "admin",
    "auditor"
  ],
  "sessions:read": [
    "admin",
    "auditor"
  ],
  "sessions:end": [
    "admin"
  ],
  "proposals:write": [
    "support",
    "money",
    "admin"
  ],
  "users:block": [
    "support",
    "money",
    "admin"
  ],
  "reviews:write": [
    "support",
    "money",
    "admin"
  ],
  "webhooks:resend": [
    "support",
    "money",
    "admin"
  ],
  "users:unblock": [
    "money",
    "admin"
  ],
  "payouts:write": [
    "money",
    "admin"
  ],
  "switches:write": [
    "money",
    "admin"
  ],
  "users:erase": [
    "admin"
  ],
  "partners:write": [
    "admin"
  ],
  "domains:write": [
    "admin"
  ],
  "keys:write": [
    "admin"
  ],
  "operators:write": [
    "admin"
  ]
}

/** The permission that each command needs, so that no screen offers a change that the service would reject. */
export const permissionOf: Readonly<Record<OperatorCommand, OperatorPermission>> = {
  "deposits return": "payouts:write",
  "transfers tell": "payouts:write",
  "payouts order": "payouts:write",
  "payouts decide": "payouts:write",
  "payouts cancel": "payouts:write",
  "payouts assign": "payouts:write",
  "user block": "users:block",
  "user unblock": "users:unblock",
  "user erase": "users:erase",
  "reviews done": "reviews:write",
  "webhooks resend": "webhooks:resend",
  "partner approve": "partners:write",
  "partner suspend": "partners:write",
  "partner details": "partners:write",
  "operator add": "operators:write",
  "operator change": "operators:write",
  "operator remove": "operators:write",
  "domain add": "domains:write",
  "domain remove": "domains:write",
  "keys rotate": "keys:write",
  "keys retire": "keys:write",
  "switch payouts off": "switches:write",
  "switch payouts on": "switches:write",
  "switch card-approvals off": "switches:write",
  "switch card-approvals on": "switches:write"
}
