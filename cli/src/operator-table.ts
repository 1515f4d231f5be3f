// Generated from the OpenAPI documents and the commands of operators by `npm run build`; do not edit.

import type { OperatorDecision, OperatorOperation } from './operator-types.ts'

export const operatorOperations: readonly OperatorOperation[] = [
  {
    "id": "getMe",
    "summary": "Get the signed-in operator",
    "parameters": [],
    "fields": []
  },
  {
    "id": "sessions.list",
    "summary": "List the open sessions, newest first",
    "parameters": [
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "maximum": 100
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false
      }
    ],
    "fields": []
  },
  {
    "id": "sessions.endAll",
    "summary": "End all sessions of the caller's wallet",
    "parameters": [],
    "fields": []
  },
  {
    "id": "sessions.end",
    "summary": "End a session",
    "parameters": [
      {
        "name": "sessionId",
        "in": "path",
        "isRequired": true
      }
    ],
    "fields": []
  },
  {
    "id": "operators.list",
    "summary": "List operators, the removed ones last",
    "parameters": [
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "maximum": 100
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false
      }
    ],
    "fields": []
  },
  {
    "id": "search",
    "summary": "Search by an exact value",
    "parameters": [
      {
        "name": "q",
        "in": "query",
        "isRequired": true
      }
    ],
    "fields": []
  },
  {
    "id": "users.list",
    "summary": "List users, newest first",
    "parameters": [
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "maximum": 100
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false
      }
    ],
    "fields": []
  },
  {
    "id": "users.get",
    "summary": "Get a user with masked personal data",
    "parameters": [
      {
        "name": "userId",
        "in": "path",
        "isRequired": true
      }
    ],
    "fields": []
  },
  {
    "id": "users.reveal",
    "summary": "Reveal the personal data of a user",
    "parameters": [
      {
        "name": "userId",
        "in": "path",
        "isRequired": true
      }
    ],
    "fields": [
      "reason"
    ]
  },
  {
    "id": "reads.list",
    "summary": "List reads of personal data, newest first",
    "parameters": [
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "maximum": 100
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false
      },
      {
        "name": "userId",
        "in": "query",
        "isRequired": false
      }
    ],
    "fields": []
  },
  {
    "id": "users.listCards",
    "summary": "List the cards of a user",
    "parameters": [
      {
        "name": "userId",
        "in": "path",
        "isRequired": true
      }
    ],
    "fields": []
  },
  {
    "id": "users.listStatement",
    "summary": "List the statement of a user",
    "parameters": [
      {
        "name": "userId",
        "in": "path",
        "isRequired": true
      },
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "maximum": 100
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false
      }
    ],
    "fields": []
  },
  {
    "id": "users.listDeposits",
    "summary": "List the deposits of a user",
    "parameters": [
      {
        "name": "userId",
        "in": "path",
        "isRequired": true
      },
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "maximum": 100
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false
      }
    ],
    "fields": []
  },
  {
    "id": "users.listWithdrawals",
    "summary": "List the withdrawals and returns of a user",
    "parameters": [
      {
        "name": "userId",
        "in": "path",
        "isRequired": true
      },
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "maximum": 100
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false
      }
    ],
    "fields": []
  },
  {
    "id": "users.listEvents",
    "summary": "List the published events of a user",
    "parameters": [
      {
        "name": "userId",
        "in": "path",
        "isRequired": true
      },
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "maximum": 100
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false
      }
    ],
    "fields": []
  },
  {
    "id": "users.listDecisions",
    "summary": "List the decisions about a user",
    "parameters": [
      {
        "name": "userId",
        "in": "path",
        "isRequired": true
      },
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "maximum": 100
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false
      }
    ],
    "fields": []
  },
  {
    "id": "users.getCardTransaction",
    "summary": "Get the whole history of a card transaction",
    "parameters": [
      {
        "name": "userId",
        "in": "path",
        "isRequired": true
      },
      {
        "name": "cardTransactionId",
        "in": "path",
        "isRequired": true
      }
    ],
    "fields": []
  },
  {
    "id": "users.listMovements",
    "summary": "List the movements of a user, newest first",
    "parameters": [
      {
        "name": "userId",
        "in": "path",
        "isRequired": true
      },
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "maximum": 100
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false
      }
    ],
    "fields": []
  },
  {
    "id": "users.getMovement",
    "summary": "Get a movement with its postings and seal",
    "parameters": [
      {
        "name": "userId",
        "in": "path",
        "isRequired": true
      },
      {
        "name": "seq",
        "in": "path",
        "isRequired": true
      }
    ],
    "fields": []
  },
  {
    "id": "users.listLedgerAccounts",
    "summary": "List the ledger accounts of a user",
    "parameters": [
      {
        "name": "userId",
        "in": "path",
        "isRequired": true
      }
    ],
    "fields": []
  },
  {
    "id": "reconciliation.list",
    "summary": "List the checks of the books, newest first",
    "parameters": [
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "maximum": 100
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false
      }
    ],
    "fields": []
  },
  {
    "id": "reconciliation.checkUser",
    "summary": "Check the books of a user",
    "parameters": [
      {
        "name": "userId",
        "in": "path",
        "isRequired": true
      }
    ],
    "fields": []
  },
  {
    "id": "overview",
    "summary": "List the kinds of work that wait",
    "parameters": [],
    "fields": []
  },
  {
    "id": "chains.list",
    "summary": "List the watched chains",
    "parameters": [],
    "fields": []
  },
  {
    "id": "reviews.list",
    "summary": "List open reviews, oldest first",
    "parameters": [
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "maximum": 100
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false
      }
    ],
    "fields": []
  },
  {
    "id": "deposits.list",
    "summary": "List deposits that wait, oldest first",
    "parameters": [
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "maximum": 100
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false
      },
      {
        "name": "state",
        "in": "query",
        "isRequired": true,
        "choices": [
          "waiting",
          "frozen",
          "untold"
        ]
      }
    ],
    "fields": []
  },
  {
    "id": "payouts.list",
    "summary": "List payouts that wait, oldest first",
    "parameters": [
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "maximum": 100
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false
      },
      {
        "name": "state",
        "in": "query",
        "isRequired": true,
        "choices": [
          "open",
          "unpaid",
          "unassigned"
        ]
      }
    ],
    "fields": []
  },
  {
    "id": "webhooks.listDead",
    "summary": "List dead letters by endpoint",
    "parameters": [
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "maximum": 100
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false
      }
    ],
    "fields": []
  },
  {
    "id": "partners.list",
    "summary": "List partners, newest first",
    "parameters": [
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "maximum": 100
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false
      },
      {
        "name": "status",
        "in": "query",
        "isRequired": false,
        "choices": [
          "pending",
          "active",
          "suspended"
        ]
      }
    ],
    "fields": []
  },
  {
    "id": "partners.get",
    "summary": "Get a partner with its registrations",
    "parameters": [
      {
        "name": "partnerId",
        "in": "path",
        "isRequired": true
      }
    ],
    "fields": []
  },
  {
    "id": "partners.listAudit",
    "summary": "List the audit log of a partner, newest first",
    "parameters": [
      {
        "name": "partnerId",
        "in": "path",
        "isRequired": true
      },
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "maximum": 100
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false
      },
      {
        "name": "action",
        "in": "query",
        "isRequired": false
      },
      {
        "name": "actor",
        "in": "query",
        "isRequired": false
      },
      {
        "name": "subject",
        "in": "query",
        "isRequired": false
      }
    ],
    "fields": []
  },
  {
    "id": "domains.list",
    "summary": "List sign-in domains",
    "parameters": [
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "maximum": 100
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false
      }
    ],
    "fields": []
  },
  {
    "id": "signingKeys.list",
    "summary": "List the keys that sign access tokens",
    "parameters": [],
    "fields": []
  },
  {
    "id": "switches.list",
    "summary": "List the kill switches",
    "parameters": [],
    "fields": []
  },
  {
    "id": "evidence",
    "summary": "Get signed evidence of a period",
    "parameters": [
      {
        "name": "from",
        "in": "query",
        "isRequired": true
      },
      {
        "name": "to",
        "in": "query",
        "isRequired": true
      }
    ],
    "fields": []
  },
  {
    "id": "proposals.list",
    "summary": "List proposals, newest first",
    "parameters": [
      {
        "name": "status",
        "in": "query",
        "isRequired": false,
        "choices": [
          "open",
          "executed",
          "rejected",
          "lapsed",
          "expired"
        ]
      },
      {
        "name": "after",
        "in": "query",
        "isRequired": false
      },
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "maximum": 200
      }
    ],
    "fields": []
  },
  {
    "id": "proposals.get",
    "summary": "Get a proposal",
    "parameters": [
      {
        "name": "proposalId",
        "in": "path",
        "isRequired": true
      }
    ],
    "fields": []
  },
  {
    "id": "proposals.reject",
    "summary": "Reject or withdraw a proposal",
    "parameters": [
      {
        "name": "proposalId",
        "in": "path",
        "isRequired": true
      }
    ],
    "fields": [
      "reason"
    ]
  },
  {
    "id": "decisions.list",
    "summary": "List decisions, newest first",
    "parameters": [
      {
        "name": "subject",
        "in": "query",
        "isRequired": false
      },
      {
        "name": "by",
        "in": "query",
        "isRequired": false
      },
      {
        "name": "after",
        "in": "query",
        "isRequired": false
      },
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "maximum": 200
      }
    ],
    "fields": []
  }
]

export const operatorDecisions: readonly OperatorDecision[] = [
  {
    "command": "user block",
    "people": "one",
    "subject": "userId",
    "arguments": []
  },
  {
    "command": "user unblock",
    "people": "two",
    "subject": "userId",
    "arguments": []
  },
  {
    "command": "user erase",
    "people": "two",
    "subject": "userId",
    "arguments": []
  },
  {
    "command": "deposits return",
    "people": "two",
    "subject": "depositId",
    "arguments": []
  },
  {
    "command": "transfers tell",
    "people": "two",
    "subject": "transfer",
    "arguments": [
      {
        "name": "amount",
        "requirement": "a quantity of tokens, such as 0 or 12.5"
      }
    ]
  },
  {
    "command": "payouts order",
    "people": "two",
    "subject": "userId",
    "arguments": [
      {
        "name": "token",
        "requirement": "the address of a token"
      },
      {
        "name": "payee",
        "requirement": "the wallet of an owner of the user"
      }
    ]
  },
  {
    "command": "payouts decide",
    "people": "two",
    "subject": "withdrawalId",
    "arguments": [
      {
        "name": "decision",
        "requirement": "paid, refund or again",
        "choices": [
          "paid",
          "refund",
          "again"
        ]
      }
    ]
  },
  {
    "command": "payouts cancel",
    "people": "two",
    "subject": "withdrawalId",
    "arguments": []
  },
  {
    "command": "payouts assign",
    "people": "two",
    "subject": "withdrawalId",
    "arguments": [
      {
        "name": "userId",
        "requirement": "the id of a user"
      }
    ]
  },
  {
    "command": "reviews done",
    "people": "one",
    "subject": "reviewId",
    "arguments": []
  },
  {
    "command": "webhooks resend",
    "people": "one",
    "subject": "endpointId",
    "arguments": []
  },
  {
    "command": "partner approve",
    "people": "two",
    "subject": "partnerId",
    "arguments": []
  },
  {
    "command": "partner suspend",
    "people": "two",
    "subject": "partnerId",
    "arguments": []
  },
  {
    "command": "partner details",
    "people": "two",
    "subject": "partnerId",
    "arguments": [
      {
        "name": "details",
        "requirement": "on or off",
        "choices": [
          "on",
          "off"
        ]
      }
    ]
  },
  {
    "command": "domain add",
    "people": "two",
    "subject": "domain",
    "arguments": []
  },
  {
    "command": "domain remove",
    "people": "two",
    "subject": "domain",
    "arguments": []
  },
  {
    "command": "keys rotate",
    "people": "one",
    "is": "signing-keys",
    "arguments": []
  },
  {
    "command": "keys retire",
    "people": "two",
    "subject": "kid",
    "arguments": []
  },
  {
    "command": "switch payouts off",
    "people": "one",
    "is": "payouts",
    "arguments": []
  },
  {
    "command": "switch payouts on",
    "people": "two",
    "is": "payouts",
    "arguments": []
  },
  {
    "command": "switch card-approvals off",
    "people": "one",
    "is": "card-approvals",
    "arguments": []
  },
  {
    "command": "switch card-approvals on",
    "people": "two",
    "is": "card-approvals",
    "arguments": []
  },
  {
    "command": "operator add",
    "people": "two",
    "subject": "wallet",
    "arguments": [
      {
        "name": "role",
        "requirement": "one of viewer, support, money, admin, auditor",
        "choices": [
          "viewer",
          "support",
          "money",
          "admin",
          "auditor"
        ]
      },
      {
        "name": "person",
        "requirement": "a name, or the id of a known person"
      }
    ]
  },
  {
    "command": "operator change",
    "people": "two",
    "subject": "address",
    "arguments": [
      {
        "name": "role",
        "requirement": "one of viewer, support, money, admin, auditor",
        "choices": [
          "viewer",
          "support",
          "money",
          "admin",
          "auditor"
        ]
      }
    ]
  },
  {
    "command": "operator remove",
    "people": "two",
    "subject": "address",
    "arguments": []
  }
]
