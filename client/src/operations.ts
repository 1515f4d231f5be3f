// Generated from the OpenAPI documents by `npm run build`; do not edit.

/**
 * Each operation as its method, path and flags. `o`: needs no credential. `b`, `q`: takes a body or a query.
 * `k`: takes an idempotency key. `t`: returns a text. `l`, `c`: a list in one part, or by cursor.
 * `p:<parameter>=<field>`: a list whose next page is requested with this field of the last item.
 */
export const operations = {
  account: {
    create: 'POST /user/account k',
    get: 'GET /user/account',
  },
  auth: {
    createNonce: 'GET /api/v1/auth/nonce ot',
    createToken: 'POST /api/v1/auth/challenge ob',
    getKeySet: 'GET /.well-known/jwks.json o',
    logOut: 'POST /api/v1/auth/logout',
    logOutEverywhere: 'POST /api/v1/auth/logout-all',
  },
  balances: {
    list: 'GET /user/balances/v2 l',
  },
  cardTransactions: {
    get: 'GET /user/card-transactions/{cardTransactionId}',
  },
  cardViews: {
    create: 'POST /pci/cards/{cardId}/token b',
    getChallenge: 'GET /pci/cards/{cardId}/challenge q',
  },
  cards: {
    block: 'POST /cards/{cardId}/block k',
    cancel: 'POST /cards/{cardId}/cancel k',
    create: 'POST /cards/virtual bk',
    get: 'GET /cards/{cardId}',
    getLimits: 'GET /cards/{cardId}/limits',
    list: 'GET /cards l',
    rename: 'PATCH /cards/{cardId} b',
    report: 'POST /cards/{cardId}/report bk',
    setLimits: 'PUT /cards/{cardId}/limits b',
    unblock: 'POST /cards/{cardId}/unblock k',
  },
  deposits: {
    list: 'GET /user/deposits l',
  },
  health: {
    get: 'GET /health o',
    getMetrics: 'GET /metrics ot',
    getReadiness: 'GET /health/ready o',
    getSecurityText: 'GET /.well-known/security.txt ot',
  },
  ibans: {
    activate: 'POST /api/v1/ibans/monerium-profile bk',
    get: 'GET /api/v1/ibans/details',
    getAvailability: 'GET /api/v1/ibans/available',
    getSigningMessage: 'GET /api/v1/ibans/signing-message',
  },
  invitations: {
    accept: 'POST /invitations/{invitationId}/accept',
    decline: 'POST /invitations/{invitationId}/decline',
    list: 'GET /invitations l',
  },
  kyc: {
    share: 'POST /api/v1/kyc/import-partner-applicant b',
  },
  operator: {
    chains: {
      list: 'GET /operator/chains l',
    },
    decisions: {
      list: 'GET /operator/decisions qp:after=seq',
    },
    deposits: {
      list: 'GET /operator/deposits qc',
      return: 'POST /operator/deposits/{depositId}/return b',
    },
    domains: {
      add: 'POST /operator/domains b',
      list: 'GET /operator/domains qc',
      remove: 'DELETE /operator/domains/{domain} b',
    },
    evidence: 'GET /operator/evidence qt',
    getMe: 'GET /operator/me',
    operators: {
      add: 'POST /operator/operators b',
      change: 'PATCH /operator/operators/{address} b',
      list: 'GET /operator/operators qc',
      remove: 'DELETE /operator/operators/{address} b',
    },
    overview: 'GET /operator/overview l',
    partners: {
      approve: 'POST /operator/partners/{partnerId}/approve b',
      get: 'GET /operator/partners/{partnerId}',
      list: 'GET /operator/partners qc',
      listAudit: 'GET /operator/partners/{partnerId}/audit qc',
      setDetails: 'POST /operator/partners/{partnerId}/details b',
      suspend: 'POST /operator/partners/{partnerId}/suspend b',
    },
    payouts: {
      assign: 'POST /operator/payouts/{withdrawalId}/assign b',
      cancel: 'POST /operator/payouts/{withdrawalId}/cancel b',
      decide: 'POST /operator/payouts/{withdrawalId}/decide b',
      list: 'GET /operator/payouts qc',
    },
    proposals: {
      approve: 'POST /operator/proposals/{proposalId}/approve b',
      create: 'POST /operator/proposals b',
      get: 'GET /operator/proposals/{proposalId}',
      list: 'GET /operator/proposals qp:after=proposalId',
      reject: 'POST /operator/proposals/{proposalId}/reject b',
    },
    reads: {
      list: 'GET /operator/reads qc',
    },
    reconciliation: {
      checkUser: 'POST /operator/reconciliation/users/{userId}',
      list: 'GET /operator/reconciliation qc',
    },
    reviews: {
      finish: 'POST /operator/reviews/{reviewId}/done b',
      list: 'GET /operator/reviews qc',
    },
    search: 'GET /operator/search ql',
    sessions: {
      end: 'DELETE /operator/sessions/{sessionId}',
      endAll: 'DELETE /operator/sessions',
      list: 'GET /operator/sessions qc',
    },
    signIn: 'POST /operator/session ob',
    signingKeys: {
      list: 'GET /operator/signing-keys l',
      retire: 'POST /operator/signing-keys/{kid}/retire b',
      rotate: 'POST /operator/signing-keys/rotate b',
    },
    switches: {
      list: 'GET /operator/switches l',
      turnCardApprovalsOff: 'POST /operator/switches/card-approvals/off b',
      turnCardApprovalsOn: 'POST /operator/switches/card-approvals/on b',
      turnPayoutsOff: 'POST /operator/switches/payouts/off b',
      turnPayoutsOn: 'POST /operator/switches/payouts/on b',
    },
    transfers: {
      tell: 'POST /operator/transfers/{transfer}/tell b',
    },
    users: {
      block: 'POST /operator/users/{userId}/block b',
      erase: 'POST /operator/users/{userId}/erase b',
      get: 'GET /operator/users/{userId}',
      getCardTransaction: 'GET /operator/users/{userId}/card-transactions/{cardTransactionId}',
      getMovement: 'GET /operator/users/{userId}/movements/{seq}',
      list: 'GET /operator/users qc',
      listCards: 'GET /operator/users/{userId}/cards l',
      listDecisions: 'GET /operator/users/{userId}/decisions qc',
      listDeposits: 'GET /operator/users/{userId}/deposits qc',
      listEvents: 'GET /operator/users/{userId}/events qc',
      listLedgerAccounts: 'GET /operator/users/{userId}/ledger-accounts l',
      listMovements: 'GET /operator/users/{userId}/movements qc',
      listStatement: 'GET /operator/users/{userId}/statement qc',
      listWithdrawals: 'GET /operator/users/{userId}/withdrawals qc',
      payOut: 'POST /operator/users/{userId}/payout b',
      reveal: 'POST /operator/users/{userId}/reveal b',
      unblock: 'POST /operator/users/{userId}/unblock b',
    },
    webhooks: {
      listDead: 'GET /operator/webhooks/dead qc',
      resend: 'POST /operator/webhooks/{endpointId}/resend b',
    },
  },
  owners: {
    add: 'POST /user/owners bk',
    list: 'GET /user/owners l',
    remove: 'POST /user/owners/{address}/remove bk',
  },
  partner: {
    apiKeys: {
      create: 'POST /partner/api-keys b',
      list: 'GET /partner/api-keys l',
      revoke: 'DELETE /partner/api-keys/{keyId}',
      rotate: 'POST /partner/api-keys/{keyId}/rotate b',
    },
    audit: {
      list: 'GET /partner/audit qp:after=seq',
    },
    create: 'POST /partner b',
    domains: {
      claim: 'POST /partner/domains bk',
      list: 'GET /partner/domains l',
      remove: 'DELETE /partner/domains/{domain}',
      verify: 'POST /partner/domains/{domain}/verify',
    },
    events: {
      get: 'GET /partner/events/{eventId}',
      list: 'GET /partner/events qp:after=id',
      resend: 'POST /partner/events/{eventId}/resend bk',
    },
    get: 'GET /partner',
    invitations: {
      create: 'POST /partner/invitations bk',
      list: 'GET /partner/invitations l',
      revoke: 'DELETE /partner/invitations/{invitationId}',
    },
    kycClients: {
      add: 'POST /partner/kyc-clients bk',
      list: 'GET /partner/kyc-clients l',
      remove: 'DELETE /partner/kyc-clients/{clientId}',
    },
    members: {
      list: 'GET /partner/members l',
      remove: 'DELETE /partner/members/{address} q',
      update: 'PATCH /partner/members/{address} b',
    },
    rename: 'PATCH /partner b',
    requests: {
      list: 'GET /partner/requests qc',
    },
    statistics: 'GET /partner/statistics ql',
    users: {
      get: 'GET /partner/users/{userId}',
      list: 'GET /partner/users qp:after=userId',
      statement: 'GET /partner/users/{userId}/statement qc',
    },
    webhooks: {
      create: 'POST /partner/webhooks b',
      get: 'GET /partner/webhooks/{endpointId}',
      getDelivery: 'GET /partner/webhooks/{endpointId}/deliveries/{eventId}',
      list: 'GET /partner/webhooks l',
      listDeliveries: 'GET /partner/webhooks/{endpointId}/deliveries qc',
      remove: 'DELETE /partner/webhooks/{endpointId}',
      resendDeadLetters: 'POST /partner/webhooks/{endpointId}/resend bk',
      rotateKeys: 'POST /partner/webhooks/{endpointId}/rotate b',
      test: 'POST /partner/webhooks/{endpointId}/test bk',
      update: 'PATCH /partner/webhooks/{endpointId} b',
    },
  },
  phone: {
    get: 'GET /phone',
  },
  programme: {
    get: 'GET /programme o',
  },
  sandbox: {
    cardTransactions: {
      get: 'GET /sandbox/card-transactions/{cardTransactionId}',
    },
    cards: {
      block: 'POST /sandbox/cards/{cardId}/block bk',
      setStatus: 'POST /sandbox/cards/{cardId}/status bk',
      unblock: 'POST /sandbox/cards/{cardId}/unblock bk',
    },
    chain: {
      get: 'GET /sandbox/chain',
      getHead: 'GET /sandbox/chain/head',
      mine: 'POST /sandbox/chain/blocks bk',
      reorganize: 'POST /sandbox/chain/reorganizations bk',
    },
    clock: {
      advance: 'POST /sandbox/clock bk',
      get: 'GET /sandbox/clock',
    },
    deposits: {
      create: 'POST /sandbox/deposits bk',
      screen: 'POST /sandbox/deposits/{depositId}/screening bk',
    },
    rates: {
      list: 'GET /sandbox/rates l',
    },
    reset: 'POST /sandbox/reset b',
    tokens: {
      list: 'GET /sandbox/tokens l',
    },
    transactions: {
      send: 'POST /sandbox/transactions bk',
    },
    users: {
      create: 'POST /sandbox/users bk',
      list: 'GET /sandbox/users qp:before=userId',
      update: 'PATCH /sandbox/users/{userId} b',
    },
    withdrawals: {
      settle: 'POST /sandbox/withdrawals/{withdrawalId} bk',
    },
  },
  sessions: {
    list: 'GET /user/sessions l',
  },
  sourceOfFunds: {
    answer: 'POST /source-of-funds bk',
    get: 'GET /source-of-funds l',
  },
  statement: {
    list: 'GET /user/statement qc',
  },
  terms: {
    accept: 'POST /user/terms bk',
    list: 'GET /terms',
    listAccepted: 'GET /user/terms',
  },
  user: {
    close: 'POST /user/close b',
    create: 'POST /user b',
    get: 'GET /user',
    getOnboarding: 'GET /user/onboarding',
    sendEmailCode: 'POST /email-verification b',
  },
  withdrawals: {
    cancel: 'POST /user/withdrawals/{withdrawalId}/cancel k',
    create: 'POST /user/withdrawal bk',
    get: 'GET /user/withdrawals/{withdrawalId}',
    list: 'GET /user/withdrawals l',
  },
}

/** Second paths of operations. They have no method, but raw requests may use them. */
export const aliases = {
  withdrawals: {
    createAlias: 'POST /user/withdrawals bk',
  },
}
