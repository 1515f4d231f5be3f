// Generated from the OpenAPI documents by `npm run build`; do not edit.

import type { Call, List } from './call.ts'
import type { BodyOf, CallOptions, QueryOf, ResultOf } from './types.ts'

/** The operations of the service, by resource. */
export type Resources = {
  account: {
    /** Open the account. `POST /user/account` */
    create(options?: CallOptions): Call<ResultOf<'account.create'>>
    /** Get the account. `GET /user/account` */
    get(options?: CallOptions): Call<ResultOf<'account.get'>>
  }
  auth: {
    /** Create a nonce. `GET /api/v1/auth/nonce` */
    createNonce(options?: CallOptions): Call<ResultOf<'auth.createNonce'>>
    /** Exchange a signed message for an access token. `POST /api/v1/auth/challenge` */
    createToken(body: BodyOf<'auth.createToken'>, options?: CallOptions): Call<ResultOf<'auth.createToken'>>
    /** Get the public keys of access tokens. `GET /.well-known/jwks.json` */
    getKeySet(options?: CallOptions): Call<ResultOf<'auth.getKeySet'>>
    /** End this session. `POST /api/v1/auth/logout` */
    logOut(options?: CallOptions): Call<ResultOf<'auth.logOut'>>
    /** End all sessions. `POST /api/v1/auth/logout-all` */
    logOutEverywhere(options?: CallOptions): Call<ResultOf<'auth.logOutEverywhere'>>
  }
  balances: {
    /** List balances by currency and token. `GET /user/balances/v2` */
    list(options?: CallOptions): List<ResultOf<'balances.list'>>
  }
  cardTransactions: {
    /** Get the history of a card transaction. `GET /user/card-transactions/{cardTransactionId}` */
    get(cardTransactionId: string, options?: CallOptions): Call<ResultOf<'cardTransactions.get'>>
  }
  cardViews: {
    /** Exchange a signed challenge for a one-time token. `POST /pci/cards/{cardId}/token` */
    create(cardId: string, body: BodyOf<'cardViews.create'>, options?: CallOptions): Call<ResultOf<'cardViews.create'>>
    /** Get the challenge to sign for viewing a card. `GET /pci/cards/{cardId}/challenge` */
    getChallenge(cardId: string, query: QueryOf<'cardViews.getChallenge'>, options?: CallOptions): Call<ResultOf<'cardViews.getChallenge'>>
  }
  cards: {
    /** Block a card. `POST /cards/{cardId}/block` */
    block(cardId: string, options?: CallOptions): Call<ResultOf<'cards.block'>>
    /** Cancel a card permanently. `POST /cards/{cardId}/cancel` */
    cancel(cardId: string, options?: CallOptions): Call<ResultOf<'cards.cancel'>>
    /** Create a virtual card. `POST /cards/virtual` */
    create(body: BodyOf<'cards.create'>, options?: CallOptions): Call<ResultOf<'cards.create'>>
    /** Get a card. `GET /cards/{cardId}` */
    get(cardId: string, options?: CallOptions): Call<ResultOf<'cards.get'>>
    /** Get the limits of a card. `GET /cards/{cardId}/limits` */
    getLimits(cardId: string, options?: CallOptions): Call<ResultOf<'cards.getLimits'>>
    /** List all cards, newest first. `GET /cards` */
    list(options?: CallOptions): List<ResultOf<'cards.list'>>
    /** Rename a card. `PATCH /cards/{cardId}` */
    rename(cardId: string, body: BodyOf<'cards.rename'>, options?: CallOptions): Call<ResultOf<'cards.rename'>>
    /** Report a card lost or stolen. `POST /cards/{cardId}/report` */
    report(cardId: string, body: BodyOf<'cards.report'>, options?: CallOptions): Call<ResultOf<'cards.report'>>
    /** Set the limits of a card. `PUT /cards/{cardId}/limits` */
    setLimits(cardId: string, body: BodyOf<'cards.setLimits'>, options?: CallOptions): Call<ResultOf<'cards.setLimits'>>
    /** Unblock a card. `POST /cards/{cardId}/unblock` */
    unblock(cardId: string, options?: CallOptions): Call<ResultOf<'cards.unblock'>>
  }
  deposits: {
    /** List deposits. `GET /user/deposits` */
    list(options?: CallOptions): List<ResultOf<'deposits.list'>>
  }
  health: {
    /** Check that the process is alive. `GET /health` */
    get(options?: CallOptions): Call<ResultOf<'health.get'>>
    /** Read the metrics of the process. `GET /metrics` */
    getMetrics(options?: CallOptions): Call<ResultOf<'health.getMetrics'>>
    /** Check that the service is ready. `GET /health/ready` */
    getReadiness(options?: CallOptions): Call<ResultOf<'health.getReadiness'>>
    /** Read the contact for reports of vulnerabilities. `GET /.well-known/security.txt` */
    getSecurityText(options?: CallOptions): Call<ResultOf<'health.getSecurityText'>>
  }
  ibans: {
    /** Request an IBAN. `POST /api/v1/ibans/monerium-profile` */
    activate(body: BodyOf<'ibans.activate'>, options?: CallOptions): Call<ResultOf<'ibans.activate'>>
    /** Get the IBAN and its status. `GET /api/v1/ibans/details` */
    get(options?: CallOptions): Call<ResultOf<'ibans.get'>>
    /** Check whether the user is eligible for an IBAN. `GET /api/v1/ibans/available` */
    getAvailability(options?: CallOptions): Call<ResultOf<'ibans.getAvailability'>>
    /** Get the message to sign for an IBAN. `GET /api/v1/ibans/signing-message` */
    getSigningMessage(options?: CallOptions): Call<ResultOf<'ibans.getSigningMessage'>>
  }
  invitations: {
    /** Accept an invitation. `POST /invitations/{invitationId}/accept` */
    accept(invitationId: string, options?: CallOptions): Call<ResultOf<'invitations.accept'>>
    /** Decline an invitation. `POST /invitations/{invitationId}/decline` */
    decline(invitationId: string, options?: CallOptions): Call<ResultOf<'invitations.decline'>>
    /** List the invitations of the signed-in wallet. `GET /invitations` */
    list(options?: CallOptions): List<ResultOf<'invitations.list'>>
  }
  kyc: {
    /** Create a share token for a partner. `POST /api/v1/kyc/import-partner-applicant` */
    share(body: BodyOf<'kyc.share'>, options?: CallOptions): Call<ResultOf<'kyc.share'>>
  }
  operator: {
    chains: {
      /** List the watched chains. `GET /operator/chains` */
      list(options?: CallOptions): List<ResultOf<'operator.chains.list'>>
    }
    decisions: {
      /** List decisions, newest first. `GET /operator/decisions` */
      list(query?: QueryOf<'operator.decisions.list'>, options?: CallOptions): List<ResultOf<'operator.decisions.list'>>
    }
    deposits: {
      /** List deposits that wait, oldest first. `GET /operator/deposits` */
      list(query: QueryOf<'operator.deposits.list'>, options?: CallOptions): List<ResultOf<'operator.deposits.list'>>
      /** Return a rejected deposit to its sender. `POST /operator/deposits/{depositId}/return` */
      return(depositId: string, body: BodyOf<'operator.deposits.return'>, options?: CallOptions): Call<ResultOf<'operator.deposits.return'>>
    }
    domains: {
      /** Add a sign-in domain. `POST /operator/domains` */
      add(body: BodyOf<'operator.domains.add'>, options?: CallOptions): Call<ResultOf<'operator.domains.add'>>
      /** List sign-in domains. `GET /operator/domains` */
      list(query?: QueryOf<'operator.domains.list'>, options?: CallOptions): List<ResultOf<'operator.domains.list'>>
      /** Remove a sign-in domain. `DELETE /operator/domains/{domain}` */
      remove(domain: string, body: BodyOf<'operator.domains.remove'>, options?: CallOptions): Call<ResultOf<'operator.domains.remove'>>
    }
    /** Get signed evidence of a period. `GET /operator/evidence` */
    evidence(query: QueryOf<'operator.evidence'>, options?: CallOptions): Call<ResultOf<'operator.evidence'>>
    /** Get the signed-in operator. `GET /operator/me` */
    getMe(options?: CallOptions): Call<ResultOf<'operator.getMe'>>
    operators: {
      /** Add an operator. `POST /operator/operators` */
      add(body: BodyOf<'operator.operators.add'>, options?: CallOptions): Call<ResultOf<'operator.operators.add'>>
      /** Give an operator another role. `PATCH /operator/operators/{address}` */
      change(address: string, body: BodyOf<'operator.operators.change'>, options?: CallOptions): Call<ResultOf<'operator.operators.change'>>
      /** List operators, the removed ones last. `GET /operator/operators` */
      list(query?: QueryOf<'operator.operators.list'>, options?: CallOptions): List<ResultOf<'operator.operators.list'>>
      /** Remove an operator. `DELETE /operator/operators/{address}` */
      remove(address: string, body: BodyOf<'operator.operators.remove'>, options?: CallOptions): Call<ResultOf<'operator.operators.remove'>>
    }
    /** List the kinds of work that wait. `GET /operator/overview` */
    overview(options?: CallOptions): List<ResultOf<'operator.overview'>>
    partners: {
      /** Approve a partner. `POST /operator/partners/{partnerId}/approve` */
      approve(partnerId: string, body: BodyOf<'operator.partners.approve'>, options?: CallOptions): Call<ResultOf<'operator.partners.approve'>>
      /** Get a partner with its registrations. `GET /operator/partners/{partnerId}` */
      get(partnerId: string, options?: CallOptions): Call<ResultOf<'operator.partners.get'>>
      /** List partners, newest first. `GET /operator/partners` */
      list(query?: QueryOf<'operator.partners.list'>, options?: CallOptions): List<ResultOf<'operator.partners.list'>>
      /** List the audit log of a partner, newest first. `GET /operator/partners/{partnerId}/audit` */
      listAudit(partnerId: string, query?: QueryOf<'operator.partners.listAudit'>, options?: CallOptions): List<ResultOf<'operator.partners.listAudit'>>
      /** Grant or revoke a partner's access to the details of its users. `POST /operator/partners/{partnerId}/details` */
      setDetails(partnerId: string, body: BodyOf<'operator.partners.setDetails'>, options?: CallOptions): Call<ResultOf<'operator.partners.setDetails'>>
      /** Suspend a partner. `POST /operator/partners/{partnerId}/suspend` */
      suspend(partnerId: string, body: BodyOf<'operator.partners.suspend'>, options?: CallOptions): Call<ResultOf<'operator.partners.suspend'>>
    }
    payouts: {
      /** Assign a payout of an unknown user. `POST /operator/payouts/{withdrawalId}/assign` */
      assign(withdrawalId: string, body: BodyOf<'operator.payouts.assign'>, options?: CallOptions): Call<ResultOf<'operator.payouts.assign'>>
      /** Cancel a pending payout. `POST /operator/payouts/{withdrawalId}/cancel` */
      cancel(withdrawalId: string, body: BodyOf<'operator.payouts.cancel'>, options?: CallOptions): Call<ResultOf<'operator.payouts.cancel'>>
      /** Resolve a payout that is final but paid nobody. `POST /operator/payouts/{withdrawalId}/decide` */
      decide(withdrawalId: string, body: BodyOf<'operator.payouts.decide'>, options?: CallOptions): Call<ResultOf<'operator.payouts.decide'>>
      /** List payouts that wait, oldest first. `GET /operator/payouts` */
      list(query: QueryOf<'operator.payouts.list'>, options?: CallOptions): List<ResultOf<'operator.payouts.list'>>
    }
    proposals: {
      /** Approve and execute a proposal. `POST /operator/proposals/{proposalId}/approve` */
      approve(proposalId: string, body: BodyOf<'operator.proposals.approve'>, options?: CallOptions): Call<ResultOf<'operator.proposals.approve'>>
      /** Propose a change. `POST /operator/proposals` */
      create(body: BodyOf<'operator.proposals.create'>, options?: CallOptions): Call<ResultOf<'operator.proposals.create'>>
      /** Get a proposal. `GET /operator/proposals/{proposalId}` */
      get(proposalId: string, options?: CallOptions): Call<ResultOf<'operator.proposals.get'>>
      /** List proposals, newest first. `GET /operator/proposals` */
      list(query?: QueryOf<'operator.proposals.list'>, options?: CallOptions): List<ResultOf<'operator.proposals.list'>>
      /** Reject or withdraw a proposal. `POST /operator/proposals/{proposalId}/reject` */
      reject(proposalId: string, body: BodyOf<'operator.proposals.reject'>, options?: CallOptions): Call<ResultOf<'operator.proposals.reject'>>
    }
    reads: {
      /** List reads of personal data, newest first. `GET /operator/reads` */
      list(query?: QueryOf<'operator.reads.list'>, options?: CallOptions): List<ResultOf<'operator.reads.list'>>
    }
    reconciliation: {
      /** Check the books of a user. `POST /operator/reconciliation/users/{userId}` */
      checkUser(userId: string, options?: CallOptions): Call<ResultOf<'operator.reconciliation.checkUser'>>
      /** List the checks of the books, newest first. `GET /operator/reconciliation` */
      list(query?: QueryOf<'operator.reconciliation.list'>, options?: CallOptions): List<ResultOf<'operator.reconciliation.list'>>
    }
    reviews: {
      /** Close a review. `POST /operator/reviews/{reviewId}/done` */
      finish(reviewId: string, body: BodyOf<'operator.reviews.finish'>, options?: CallOptions): Call<ResultOf<'operator.reviews.finish'>>
      /** List open reviews, oldest first. `GET /operator/reviews` */
      list(query?: QueryOf<'operator.reviews.list'>, options?: CallOptions): List<ResultOf<'operator.reviews.list'>>
    }
    /** Search by an exact value. `GET /operator/search` */
    search(query: QueryOf<'operator.search'>, options?: CallOptions): List<ResultOf<'operator.search'>>
    sessions: {
      /** End a session. `DELETE /operator/sessions/{sessionId}` */
      end(sessionId: string, options?: CallOptions): Call<ResultOf<'operator.sessions.end'>>
      /** End all sessions of the caller's wallet. `DELETE /operator/sessions` */
      endAll(options?: CallOptions): Call<ResultOf<'operator.sessions.endAll'>>
      /** List the open sessions, newest first. `GET /operator/sessions` */
      list(query?: QueryOf<'operator.sessions.list'>, options?: CallOptions): List<ResultOf<'operator.sessions.list'>>
    }
    /** Sign in as an operator. `POST /operator/session` */
    signIn(body: BodyOf<'operator.signIn'>, options?: CallOptions): Call<ResultOf<'operator.signIn'>>
    signingKeys: {
      /** List the keys that sign access tokens. `GET /operator/signing-keys` */
      list(options?: CallOptions): List<ResultOf<'operator.signingKeys.list'>>
      /** Retire a compromised signing key. `POST /operator/signing-keys/{kid}/retire` */
      retire(kid: string, body: BodyOf<'operator.signingKeys.retire'>, options?: CallOptions): Call<ResultOf<'operator.signingKeys.retire'>>
      /** Publish a new signing key. `POST /operator/signing-keys/rotate` */
      rotate(body: BodyOf<'operator.signingKeys.rotate'>, options?: CallOptions): Call<ResultOf<'operator.signingKeys.rotate'>>
    }
    switches: {
      /** List the kill switches. `GET /operator/switches` */
      list(options?: CallOptions): List<ResultOf<'operator.switches.list'>>
      /** Decline every authorization. `POST /operator/switches/card-approvals/off` */
      turnCardApprovalsOff(body: BodyOf<'operator.switches.turnCardApprovalsOff'>, options?: CallOptions): Call<ResultOf<'operator.switches.turnCardApprovalsOff'>>
      /** Resume approving authorizations. `POST /operator/switches/card-approvals/on` */
      turnCardApprovalsOn(body: BodyOf<'operator.switches.turnCardApprovalsOn'>, options?: CallOptions): Call<ResultOf<'operator.switches.turnCardApprovalsOn'>>
      /** Stop all payouts. `POST /operator/switches/payouts/off` */
      turnPayoutsOff(body: BodyOf<'operator.switches.turnPayoutsOff'>, options?: CallOptions): Call<ResultOf<'operator.switches.turnPayoutsOff'>>
      /** Resume payouts. `POST /operator/switches/payouts/on` */
      turnPayoutsOn(body: BodyOf<'operator.switches.turnPayoutsOn'>, options?: CallOptions): Call<ResultOf<'operator.switches.turnPayoutsOn'>>
    }
    transfers: {
      /** Declare the arrived amount of a transfer. `POST /operator/transfers/{transfer}/tell` */
      tell(transfer: string, body: BodyOf<'operator.transfers.tell'>, options?: CallOptions): Call<ResultOf<'operator.transfers.tell'>>
    }
    users: {
      /** Block the account of a user. `POST /operator/users/{userId}/block` */
      block(userId: string, body: BodyOf<'operator.users.block'>, options?: CallOptions): Call<ResultOf<'operator.users.block'>>
      /** Erase the personal data of a closed user. `POST /operator/users/{userId}/erase` */
      erase(userId: string, body: BodyOf<'operator.users.erase'>, options?: CallOptions): Call<ResultOf<'operator.users.erase'>>
      /** Get a user with masked personal data. `GET /operator/users/{userId}` */
      get(userId: string, options?: CallOptions): Call<ResultOf<'operator.users.get'>>
      /** Get the whole history of a card transaction. `GET /operator/users/{userId}/card-transactions/{cardTransactionId}` */
      getCardTransaction(userId: string, cardTransactionId: string, options?: CallOptions): Call<ResultOf<'operator.users.getCardTransaction'>>
      /** Get a movement with its postings and seal. `GET /operator/users/{userId}/movements/{seq}` */
      getMovement(userId: string, seq: string, options?: CallOptions): Call<ResultOf<'operator.users.getMovement'>>
      /** List users, newest first. `GET /operator/users` */
      list(query?: QueryOf<'operator.users.list'>, options?: CallOptions): List<ResultOf<'operator.users.list'>>
      /** List the cards of a user. `GET /operator/users/{userId}/cards` */
      listCards(userId: string, options?: CallOptions): List<ResultOf<'operator.users.listCards'>>
      /** List the decisions about a user. `GET /operator/users/{userId}/decisions` */
      listDecisions(userId: string, query?: QueryOf<'operator.users.listDecisions'>, options?: CallOptions): List<ResultOf<'operator.users.listDecisions'>>
      /** List the deposits of a user. `GET /operator/users/{userId}/deposits` */
      listDeposits(userId: string, query?: QueryOf<'operator.users.listDeposits'>, options?: CallOptions): List<ResultOf<'operator.users.listDeposits'>>
      /** List the published events of a user. `GET /operator/users/{userId}/events` */
      listEvents(userId: string, query?: QueryOf<'operator.users.listEvents'>, options?: CallOptions): List<ResultOf<'operator.users.listEvents'>>
      /** List the ledger accounts of a user. `GET /operator/users/{userId}/ledger-accounts` */
      listLedgerAccounts(userId: string, options?: CallOptions): List<ResultOf<'operator.users.listLedgerAccounts'>>
      /** List the movements of a user, newest first. `GET /operator/users/{userId}/movements` */
      listMovements(userId: string, query?: QueryOf<'operator.users.listMovements'>, options?: CallOptions): List<ResultOf<'operator.users.listMovements'>>
      /** List the statement of a user. `GET /operator/users/{userId}/statement` */
      listStatement(userId: string, query?: QueryOf<'operator.users.listStatement'>, options?: CallOptions): List<ResultOf<'operator.users.listStatement'>>
      /** List the withdrawals and returns of a user. `GET /operator/users/{userId}/withdrawals` */
      listWithdrawals(userId: string, query?: QueryOf<'operator.users.listWithdrawals'>, options?: CallOptions): List<ResultOf<'operator.users.listWithdrawals'>>
      /** Pay out money that reached a user after closing. `POST /operator/users/{userId}/payout` */
      payOut(userId: string, body: BodyOf<'operator.users.payOut'>, options?: CallOptions): Call<ResultOf<'operator.users.payOut'>>
      /** Reveal the personal data of a user. `POST /operator/users/{userId}/reveal` */
      reveal(userId: string, body: BodyOf<'operator.users.reveal'>, options?: CallOptions): Call<ResultOf<'operator.users.reveal'>>
      /** Unblock an account and restore its previous status. `POST /operator/users/{userId}/unblock` */
      unblock(userId: string, body: BodyOf<'operator.users.unblock'>, options?: CallOptions): Call<ResultOf<'operator.users.unblock'>>
    }
    webhooks: {
      /** List dead letters by endpoint. `GET /operator/webhooks/dead` */
      listDead(query?: QueryOf<'operator.webhooks.listDead'>, options?: CallOptions): List<ResultOf<'operator.webhooks.listDead'>>
      /** Resend up to 10,000 dead letters of a webhook endpoint, the oldest first. `POST /operator/webhooks/{endpointId}/resend` */
      resend(endpointId: string, body: BodyOf<'operator.webhooks.resend'>, options?: CallOptions): Call<ResultOf<'operator.webhooks.resend'>>
    }
  }
  owners: {
    /** Add an owner. `POST /user/owners` */
    add(body: BodyOf<'owners.add'>, options?: CallOptions): Call<ResultOf<'owners.add'>>
    /** List the user's owners, oldest first. `GET /user/owners` */
    list(options?: CallOptions): List<ResultOf<'owners.list'>>
    /** Remove an owner. `POST /user/owners/{address}/remove` */
    remove(address: string, body: BodyOf<'owners.remove'>, options?: CallOptions): Call<ResultOf<'owners.remove'>>
  }
  partner: {
    apiKeys: {
      /** Create an API key. `POST /partner/api-keys` */
      create(body: BodyOf<'partner.apiKeys.create'>, options?: CallOptions): Call<ResultOf<'partner.apiKeys.create'>>
      /** List API keys. `GET /partner/api-keys` */
      list(options?: CallOptions): List<ResultOf<'partner.apiKeys.list'>>
      /** Revoke an API key. `DELETE /partner/api-keys/{keyId}` */
      revoke(keyId: string, options?: CallOptions): Call<ResultOf<'partner.apiKeys.revoke'>>
      /** Rotate an API key. `POST /partner/api-keys/{keyId}/rotate` */
      rotate(keyId: string, body?: BodyOf<'partner.apiKeys.rotate'>, options?: CallOptions): Call<ResultOf<'partner.apiKeys.rotate'>>
    }
    audit: {
      /** List the audit log. `GET /partner/audit` */
      list(query?: QueryOf<'partner.audit.list'>, options?: CallOptions): List<ResultOf<'partner.audit.list'>>
    }
    /** Sign up as a partner. `POST /partner` */
    create(body: BodyOf<'partner.create'>, options?: CallOptions): Call<ResultOf<'partner.create'>>
    domains: {
      /** Claim a domain. `POST /partner/domains` */
      claim(body: BodyOf<'partner.domains.claim'>, options?: CallOptions): Call<ResultOf<'partner.domains.claim'>>
      /** List domains. `GET /partner/domains` */
      list(options?: CallOptions): List<ResultOf<'partner.domains.list'>>
      /** Remove a domain. `DELETE /partner/domains/{domain}` */
      remove(domain: string, options?: CallOptions): Call<ResultOf<'partner.domains.remove'>>
      /** Verify a claimed domain. `POST /partner/domains/{domain}/verify` */
      verify(domain: string, options?: CallOptions): Call<ResultOf<'partner.domains.verify'>>
    }
    events: {
      /** Get an event and its deliveries. `GET /partner/events/{eventId}` */
      get(eventId: string, options?: CallOptions): Call<ResultOf<'partner.events.get'>>
      /** List the events of the last 30 days. `GET /partner/events` */
      list(query?: QueryOf<'partner.events.list'>, options?: CallOptions): List<ResultOf<'partner.events.list'>>
      /** Resend an event. `POST /partner/events/{eventId}/resend` */
      resend(eventId: string, body?: BodyOf<'partner.events.resend'>, options?: CallOptions): Call<ResultOf<'partner.events.resend'>>
    }
    /** Get the partner and the caller's permissions. `GET /partner` */
    get(options?: CallOptions): Call<ResultOf<'partner.get'>>
    invitations: {
      /** Invite a wallet as a member. `POST /partner/invitations` */
      create(body: BodyOf<'partner.invitations.create'>, options?: CallOptions): Call<ResultOf<'partner.invitations.create'>>
      /** List open invitations. `GET /partner/invitations` */
      list(options?: CallOptions): List<ResultOf<'partner.invitations.list'>>
      /** Revoke an invitation. `DELETE /partner/invitations/{invitationId}` */
      revoke(invitationId: string, options?: CallOptions): Call<ResultOf<'partner.invitations.revoke'>>
    }
    kycClients: {
      /** Add a KYC client. `POST /partner/kyc-clients` */
      add(body: BodyOf<'partner.kycClients.add'>, options?: CallOptions): Call<ResultOf<'partner.kycClients.add'>>
      /** List KYC clients. `GET /partner/kyc-clients` */
      list(options?: CallOptions): List<ResultOf<'partner.kycClients.list'>>
      /** Remove a KYC client. `DELETE /partner/kyc-clients/{clientId}` */
      remove(clientId: string, options?: CallOptions): Call<ResultOf<'partner.kycClients.remove'>>
    }
    members: {
      /** List members. `GET /partner/members` */
      list(options?: CallOptions): List<ResultOf<'partner.members.list'>>
      /** Remove a member, or leave. `DELETE /partner/members/{address}` */
      remove(address: string, query?: QueryOf<'partner.members.remove'>, options?: CallOptions): Call<ResultOf<'partner.members.remove'>>
      /** Change the role of a member. `PATCH /partner/members/{address}` */
      update(address: string, body: BodyOf<'partner.members.update'>, options?: CallOptions): Call<ResultOf<'partner.members.update'>>
    }
    /** Rename the partner. `PATCH /partner` */
    rename(body: BodyOf<'partner.rename'>, options?: CallOptions): Call<ResultOf<'partner.rename'>>
    requests: {
      /** List the requests of members and API keys, newest first. `GET /partner/requests` */
      list(query?: QueryOf<'partner.requests.list'>, options?: CallOptions): List<ResultOf<'partner.requests.list'>>
    }
    /** Get counts by day. `GET /partner/statistics` */
    statistics(query?: QueryOf<'partner.statistics'>, options?: CallOptions): List<ResultOf<'partner.statistics'>>
    users: {
      /** Get a user and their cards. `GET /partner/users/{userId}` */
      get(userId: string, options?: CallOptions): Call<ResultOf<'partner.users.get'>>
      /** List the partner's users. `GET /partner/users` */
      list(query?: QueryOf<'partner.users.list'>, options?: CallOptions): List<ResultOf<'partner.users.list'>>
      /** List the statement of a user. `GET /partner/users/{userId}/statement` */
      statement(userId: string, query?: QueryOf<'partner.users.statement'>, options?: CallOptions): List<ResultOf<'partner.users.statement'>>
    }
    webhooks: {
      /** Create a webhook endpoint. `POST /partner/webhooks` */
      create(body: BodyOf<'partner.webhooks.create'>, options?: CallOptions): Call<ResultOf<'partner.webhooks.create'>>
      /** Get a webhook endpoint. `GET /partner/webhooks/{endpointId}` */
      get(endpointId: string, options?: CallOptions): Call<ResultOf<'partner.webhooks.get'>>
      /** Get a delivery with its latest 50 attempts, newest first. `GET /partner/webhooks/{endpointId}/deliveries/{eventId}` */
      getDelivery(endpointId: string, eventId: string, options?: CallOptions): Call<ResultOf<'partner.webhooks.getDelivery'>>
      /** List webhook endpoints. `GET /partner/webhooks` */
      list(options?: CallOptions): List<ResultOf<'partner.webhooks.list'>>
      /** List the deliveries of an endpoint, newest first. `GET /partner/webhooks/{endpointId}/deliveries` */
      listDeliveries(endpointId: string, query?: QueryOf<'partner.webhooks.listDeliveries'>, options?: CallOptions): List<ResultOf<'partner.webhooks.listDeliveries'>>
      /** Remove a webhook endpoint. `DELETE /partner/webhooks/{endpointId}` */
      remove(endpointId: string, options?: CallOptions): Call<ResultOf<'partner.webhooks.remove'>>
      /** Resend deliveries of an endpoint. `POST /partner/webhooks/{endpointId}/resend` */
      resendDeadLetters(endpointId: string, body?: BodyOf<'partner.webhooks.resendDeadLetters'>, options?: CallOptions): Call<ResultOf<'partner.webhooks.resendDeadLetters'>>
      /** Rotate the keys of a webhook endpoint. `POST /partner/webhooks/{endpointId}/rotate` */
      rotateKeys(endpointId: string, body?: BodyOf<'partner.webhooks.rotateKeys'>, options?: CallOptions): Call<ResultOf<'partner.webhooks.rotateKeys'>>
      /** Send a test event to an endpoint. `POST /partner/webhooks/{endpointId}/test` */
      test(endpointId: string, body: BodyOf<'partner.webhooks.test'>, options?: CallOptions): Call<ResultOf<'partner.webhooks.test'>>
      /** Update, disable or enable a webhook endpoint. `PATCH /partner/webhooks/{endpointId}` */
      update(endpointId: string, body?: BodyOf<'partner.webhooks.update'>, options?: CallOptions): Call<ResultOf<'partner.webhooks.update'>>
    }
  }
  phone: {
    /** Get the cardholder's phone number. `GET /phone` */
    get(options?: CallOptions): Call<ResultOf<'phone.get'>>
  }
  programme: {
    /** Get the tokens, chains, limits and features of the programme. `GET /programme` */
    get(options?: CallOptions): Call<ResultOf<'programme.get'>>
  }
  sandbox: {
    cardTransactions: {
      /** Get the whole history of a card transaction. `GET /sandbox/card-transactions/{cardTransactionId}` */
      get(cardTransactionId: string, options?: CallOptions): Call<ResultOf<'sandbox.cardTransactions.get'>>
    }
    cards: {
      /** Block a card as issuer or compliance. `POST /sandbox/cards/{cardId}/block` */
      block(cardId: string, body: BodyOf<'sandbox.cards.block'>, options?: CallOptions): Call<ResultOf<'sandbox.cards.block'>>
      /** Report the status of a card as the issuer. `POST /sandbox/cards/{cardId}/status` */
      setStatus(cardId: string, body: BodyOf<'sandbox.cards.setStatus'>, options?: CallOptions): Call<ResultOf<'sandbox.cards.setStatus'>>
      /** Unblock a card as issuer or compliance. `POST /sandbox/cards/{cardId}/unblock` */
      unblock(cardId: string, body: BodyOf<'sandbox.cards.unblock'>, options?: CallOptions): Call<ResultOf<'sandbox.cards.unblock'>>
    }
    chain: {
      /** Get the attached chain. `GET /sandbox/chain` */
      get(options?: CallOptions): Call<ResultOf<'sandbox.chain.get'>>
      /** Get the newest block of the attached chain. `GET /sandbox/chain/head` */
      getHead(options?: CallOptions): Call<ResultOf<'sandbox.chain.getHead'>>
      /** Mine blocks on the attached chain. `POST /sandbox/chain/blocks` */
      mine(body: BodyOf<'sandbox.chain.mine'>, options?: CallOptions): Call<ResultOf<'sandbox.chain.mine'>>
      /** Replace the newest blocks of the attached chain with empty ones. `POST /sandbox/chain/reorganizations` */
      reorganize(body: BodyOf<'sandbox.chain.reorganize'>, options?: CallOptions): Call<ResultOf<'sandbox.chain.reorganize'>>
    }
    clock: {
      /** Advance the time of the service. `POST /sandbox/clock` */
      advance(body: BodyOf<'sandbox.clock.advance'>, options?: CallOptions): Call<ResultOf<'sandbox.clock.advance'>>
      /** Get the time of the service. `GET /sandbox/clock` */
      get(options?: CallOptions): Call<ResultOf<'sandbox.clock.get'>>
    }
    deposits: {
      /** Send tokens to an account. `POST /sandbox/deposits` */
      create(body: BodyOf<'sandbox.deposits.create'>, options?: CallOptions): Call<ResultOf<'sandbox.deposits.create'>>
      /** Set the screening result of a deposit. `POST /sandbox/deposits/{depositId}/screening` */
      screen(depositId: string, body: BodyOf<'sandbox.deposits.screen'>, options?: CallOptions): Call<ResultOf<'sandbox.deposits.screen'>>
    }
    rates: {
      /** List the exchange rates of the simulator. `GET /sandbox/rates` */
      list(options?: CallOptions): List<ResultOf<'sandbox.rates.list'>>
    }
    /** Delete all users, partners and their data. `POST /sandbox/reset` */
    reset(body: BodyOf<'sandbox.reset'>, options?: CallOptions): Call<ResultOf<'sandbox.reset'>>
    tokens: {
      /** List the tokens that accounts can hold. `GET /sandbox/tokens` */
      list(options?: CallOptions): List<ResultOf<'sandbox.tokens.list'>>
    }
    transactions: {
      /** Send a card network message. `POST /sandbox/transactions` */
      send(body: BodyOf<'sandbox.transactions.send'>, options?: CallOptions): Call<ResultOf<'sandbox.transactions.send'>>
    }
    users: {
      /** Create a fully onboarded user. `POST /sandbox/users` */
      create(body: BodyOf<'sandbox.users.create'>, options?: CallOptions): Call<ResultOf<'sandbox.users.create'>>
      /** List users with their cards, newest first. `GET /sandbox/users` */
      list(query?: QueryOf<'sandbox.users.list'>, options?: CallOptions): List<ResultOf<'sandbox.users.list'>>
      /** Change the identity verification, account status or country of a user. `PATCH /sandbox/users/{userId}` */
      update(userId: string, body?: BodyOf<'sandbox.users.update'>, options?: CallOptions): Call<ResultOf<'sandbox.users.update'>>
    }
    withdrawals: {
      /** Set the outcome of a withdrawal on the simulated chain. `POST /sandbox/withdrawals/{withdrawalId}` */
      settle(withdrawalId: string, body: BodyOf<'sandbox.withdrawals.settle'>, options?: CallOptions): Call<ResultOf<'sandbox.withdrawals.settle'>>
    }
  }
  sessions: {
    /** List the user's sessions, newest first. `GET /user/sessions` */
    list(options?: CallOptions): List<ResultOf<'sessions.list'>>
  }
  sourceOfFunds: {
    /** Answer the source-of-funds questionnaire. `POST /source-of-funds` */
    answer(body: BodyOf<'sourceOfFunds.answer'>, options?: CallOptions): Call<ResultOf<'sourceOfFunds.answer'>>
    /** Get the source-of-funds questionnaire. `GET /source-of-funds` */
    get(options?: CallOptions): List<ResultOf<'sourceOfFunds.get'>>
  }
  statement: {
    /** List the statement of the account. `GET /user/statement` */
    list(query?: QueryOf<'statement.list'>, options?: CallOptions): List<ResultOf<'statement.list'>>
  }
  terms: {
    /** Accept terms. `POST /user/terms` */
    accept(body: BodyOf<'terms.accept'>, options?: CallOptions): Call<ResultOf<'terms.accept'>>
    /** List the current terms. `GET /terms` */
    list(options?: CallOptions): Call<ResultOf<'terms.list'>>
    /** List the current terms, and whether the user accepted them. `GET /user/terms` */
    listAccepted(options?: CallOptions): Call<ResultOf<'terms.listAccepted'>>
  }
  user: {
    /** Close the user and the account. `POST /user/close` */
    close(body: BodyOf<'user.close'>, options?: CallOptions): Call<ResultOf<'user.close'>>
    /** Register the wallet as a user. `POST /user` */
    create(body: BodyOf<'user.create'>, options?: CallOptions): Call<ResultOf<'user.create'>>
    /** Get the user. `GET /user` */
    get(options?: CallOptions): Call<ResultOf<'user.get'>>
    /** Get the next onboarding step. `GET /user/onboarding` */
    getOnboarding(options?: CallOptions): Call<ResultOf<'user.getOnboarding'>>
    /** Send a one-time code to an email address. `POST /email-verification` */
    sendEmailCode(body: BodyOf<'user.sendEmailCode'>, options?: CallOptions): Call<ResultOf<'user.sendEmailCode'>>
  }
  withdrawals: {
    /** Cancel a pending withdrawal. `POST /user/withdrawals/{withdrawalId}/cancel` */
    cancel(withdrawalId: string, options?: CallOptions): Call<ResultOf<'withdrawals.cancel'>>
    /** Request a withdrawal. `POST /user/withdrawal` */
    create(body: BodyOf<'withdrawals.create'>, options?: CallOptions): Call<ResultOf<'withdrawals.create'>>
    /** Get a withdrawal. `GET /user/withdrawals/{withdrawalId}` */
    get(withdrawalId: string, options?: CallOptions): Call<ResultOf<'withdrawals.get'>>
    /** List withdrawals. `GET /user/withdrawals` */
    list(options?: CallOptions): List<ResultOf<'withdrawals.list'>>
  }
}
