// Generated from the OpenAPI documents by `npm run build`; do not edit.

export interface paths {
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the process is alive */
        get: operations["health.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the service is ready
         * @description The service is ready when the database is reachable, all migrations have run, and the last shortage of the database was more than 30 seconds ago.
         */
        get: operations["health.getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the metrics of the process
         * @description The metrics are rendered at most once a second. They need the bearer token `METRICS_TOKEN` if it is set. Production without the token serves them only on `METRICS_PORT`.
         */
        get: operations["health.getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/security.txt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the contact for reports of vulnerabilities
         * @description Returns the `security.txt` file of RFC 9116, or 404 if `SECURITY_CONTACT` is not set.
         */
        get: operations["health.getSecurityText"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/programme": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the tokens, chains, limits and features of the programme
         * @description Responses can be cached for 5 minutes.
         */
        get: operations["programme.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/nonce": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Create a nonce
         * @description Returns a nonce as plain text. It is valid for one sign-in within 10 minutes.
         */
        get: operations["auth.createNonce"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a signed message for an access token
         * @description Verifies the signature and uses up the nonce. After a 401 or 429, request a new nonce; after a 5xx, retry the same request. `Idempotency-Key` is ignored.
         */
        post: operations["auth.createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the user's sessions, newest first
         * @description Each sign-in begins a session. It ends when its access token expires, at a logout, when the wallet is removed, or when the user is closed. A wallet has at most 50 sessions: one more sign-in ends the earlier ones. The list has the sessions of all owners.
         */
        get: operations["sessions.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End this session
         * @description The access tokens of the session are revoked at once. A repeated request gets 401 `ACCESS_REVOKED`. `Idempotency-Key` is ignored.
         */
        post: operations["auth.logOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/logout-all": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End all sessions
         * @description Ends all sessions of the user, of every owner. For a wallet without a user, ends all sessions of the wallet. Their access tokens are rejected from the next request on, so `Idempotency-Key` is ignored. Access tokens of later sign-ins work.
         */
        post: operations["auth.logOutEverywhere"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the public keys of access tokens
         * @description A new key is published here 10 minutes before it signs, so responses can be cached for 5 minutes. A key that replaces a retired key signs at once, so read the keys again when a token has an unknown kid.
         */
        get: operations["auth.getKeySet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/email-verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a one-time code to an email address
         * @description The code is valid for 10 minutes and 5 attempts, and only for the signed-in wallet. A new code replaces the previous one. `Idempotency-Key` is ignored.
         */
        post: operations["user.sendEmailCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the user */
        get: operations["user.get"];
        put?: never;
        /**
         * Register the wallet as a user
         * @description Use the returned access token from now on. It names the user, and expires when the current one does. `Idempotency-Key` is ignored.
         */
        post: operations["user.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/onboarding": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the next onboarding step */
        get: operations["user.getOnboarding"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/owners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the user's owners, oldest first
         * @description An owner is a wallet that may sign in for the user.
         */
        get: operations["owners.list"];
        put?: never;
        /**
         * Add an owner
         * @description Lets another wallet sign in for the user. The new wallet signs an EIP-4361 message with its own nonce and the statement `Add this wallet as an owner of user <userId>.` An owner signs a second message with another nonce and the statement `Add wallet <address> as an owner of user <userId>.` The response is 200 if the wallet is already an owner.
         */
        post: operations["owners.add"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/owners/{address}/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove an owner
         * @description Any owner signs an EIP-4361 message with its own nonce and the statement `Remove wallet <address> as an owner of user <userId>.` The access tokens of the removed wallet are rejected from the next request on. Withdrawals to the removed wallet fail, unless their payout is already signed. The last owner cannot be removed.
         */
        post: operations["owners.remove"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close the user and the account
         * @description Closing is permanent. An owner signs an EIP-4361 message with its own nonce and the statement `Close user <userId> permanently.` Closing fails while the account has funds, holds, debt, or deposits or withdrawals in progress. All cards are canceled. The access tokens of the user are rejected from the next request on, so `Idempotency-Key` is ignored. Personal data is erased after the legal retention period. The books are kept.
         */
        post: operations["user.close"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/terms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the current terms */
        get: operations["terms.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/terms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the current terms, and whether the user accepted them */
        get: operations["terms.listAccepted"];
        put?: never;
        /**
         * Accept terms
         * @description Only current versions can be accepted. Accepting a version again has no effect.
         */
        post: operations["terms.accept"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/source-of-funds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the source-of-funds questionnaire */
        get: operations["sourceOfFunds.get"];
        put?: never;
        /**
         * Answer the source-of-funds questionnaire
         * @description Answer every question exactly once. The answers replace earlier ones.
         */
        post: operations["sourceOfFunds.answer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the account */
        get: operations["account.get"];
        put?: never;
        /**
         * Open the account
         * @description The last step of onboarding. The response is 200 if the account already exists.
         */
        post: operations["account.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/kyc/import-partner-applicant": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a share token for a partner
         * @description With the token, the partner's KYC client imports the user's identity verification. Each request creates a new token. The response contains a secret, so `Idempotency-Key` is ignored.
         */
        post: operations["kyc.share"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ibans/available": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check whether the user is eligible for an IBAN */
        get: operations["ibans.getAvailability"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ibans/signing-message": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the message to sign for an IBAN */
        get: operations["ibans.getSigningMessage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ibans/monerium-profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request an IBAN
         * @description Euros that arrive at the IBAN are minted to the signed-in wallet. The IBAN is assigned later; poll `GET /api/v1/ibans/details`. The request also succeeds if the user already has an IBAN or has requested one.
         */
        post: operations["ibans.activate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ibans/details": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the IBAN and its status */
        get: operations["ibans.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cards/virtual": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a virtual card
         * @description After a 201, the card can be used online at once. After a 502, Purser keeps trying to create the card in the background, so repeat the request only with the same `Idempotency-Key`. `GET /cards` lists it as `provisioning` until it exists. If the processor rejects the phone number of the first card, cancel the card, wait a minute, and create another one with another number. Meanwhile, Purser asks the processor again about the canceled card. Until the processor has rejected the canceled card again, a new number is ignored.
         */
        post: operations["cards.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all cards, newest first */
        get: operations["cards.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cards/{cardId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a card */
        get: operations["cards.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Rename a card */
        patch: operations["cards.rename"];
        trace?: never;
    };
    "/cards/{cardId}/block": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Block a card
         * @description Declines new authorizations until the card is unblocked. Safe to repeat.
         */
        post: operations["cards.block"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cards/{cardId}/unblock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unblock a card
         * @description Removes the owner's block. Responds with 403 if the issuer or compliance blocks the card too. Safe to repeat.
         */
        post: operations["cards.unblock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cards/{cardId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a card permanently
         * @description Earlier authorizations still clear, and refunds still arrive. Safe to repeat.
         */
        post: operations["cards.cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cards/{cardId}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report a card lost or stolen
         * @description Ends the card permanently. Earlier authorizations still clear, and refunds still arrive. A replacement has the same name and limits, and becomes active once the issuer has created it. Safe to repeat: a card has at most one replacement.
         */
        post: operations["cards.report"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cards/{cardId}/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the limits of a card
         * @description `daily` covers the card transactions that began in the last 24 hours. The programme's limits cover all cards of the user together.
         */
        get: operations["cards.getLimits"];
        /**
         * Set the limits of a card
         * @description Replaces both limits. A payment above a limit is declined with `LIM`. A limit must not exceed the programme's.
         */
        put: operations["cards.setLimits"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/phone": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the cardholder's phone number
         * @description Available once a card has been created.
         */
        get: operations["phone.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pci/cards/{cardId}/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the challenge to sign for viewing a card
         * @description Returns EIP-712 typed data for `signTypedData` of the wallet that signed in. It is valid once, for this card and action, for 5 minutes.
         */
        get: operations["cardViews.getChallenge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pci/cards/{cardId}/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a signed challenge for a one-time token
         * @description Put `frameUrl` into an iframe within a minute. It shows the signed view once, on pages of the programme and of the user's partner. With shared domains, the pages of the requesting partner can show it instead of those of the user's partner. After a 5xx, retry the same request. `Idempotency-Key` is ignored.
         */
        post: operations["cardViews.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/deposits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deposits
         * @description Returns the 1,000 newest deposits, newest first. The statement contains all of them.
         */
        get: operations["deposits.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/withdrawal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a withdrawal
         * @description The wallet that signed in is the payee. A withdrawal that the payout wallet cannot pay at once waits as `pending`. Follow it with GET /user/withdrawals/{withdrawalId}, or in GET /user/statement, where `withdrawalId` is the `id` of its item. GET /user/withdrawals lists it once it has a transaction.
         */
        post: operations["withdrawals.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/withdrawals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List withdrawals
         * @description Returns the 1,000 newest withdrawals that have a transaction, newest first. These records have no `withdrawalId`. GET /user/statement contains all withdrawals with their `id`, and GET /user/withdrawals/{withdrawalId} has the status of one.
         */
        get: operations["withdrawals.list"];
        put?: never;
        /** Request a withdrawal (alias of POST /user/withdrawal) */
        post: operations["withdrawals.createAlias"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/withdrawals/{withdrawalId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a withdrawal */
        get: operations["withdrawals.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/withdrawals/{withdrawalId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a pending withdrawal
         * @description Credits the amount back to the balance. The withdrawal becomes `failed`. A withdrawal that is being paid cannot be canceled. Safe to repeat.
         */
        post: operations["withdrawals.cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/balances/v2": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List balances by currency and token
         * @description Returns one row for each currency of the programme. Every field is always present; zero is "0".
         */
        get: operations["balances.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/statement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the statement of the account
         * @description Returns card transactions, deposits and withdrawals of every status, newest first. A request with a `cursor` may omit or repeat the filters. With `Accept: text/csv`, the response is a CSV file with all items that match the filters, without pages.
         */
        get: operations["statement.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/card-transactions/{cardTransactionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the history of a card transaction
         * @description Returns the statement item, and each message of the card network with its decision and the amounts before and after it. Amounts are minor units of the card's currency.
         */
        get: operations["cardTransactions.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/partner": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the partner and the caller's permissions */
        get: operations["partner.get"];
        put?: never;
        /**
         * Sign up as a partner
         * @description The signed-in wallet becomes the owner of the new partner. A wallet can be a member of only one partner. Outside the sandbox, a new partner usually waits for the approval of an operator. `Idempotency-Key` is ignored.
         */
        post: operations["partner.create"];
        delete?: never;
        options?: never;
        head?: never;
        /** Rename the partner */
        patch: operations["partner.rename"];
        trace?: never;
    };
    "/partner/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the partner's users
         * @description A user belongs to the partner at whose domain the user's wallet signed in to register.
         */
        get: operations["partner.users.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/partner/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit log
         * @description Contains every change to the partner, and every read of details of its users. Entries are numbered without gaps and never modified.
         */
        get: operations["partner.audit.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/partner/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List members */
        get: operations["partner.members.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/partner/members/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member, or leave
         * @description Takes effect from the next request on. Any member may leave. Only an owner may remove others. The API keys that the member created are revoked, and the invitations that it sent end.
         */
        delete: operations["partner.members.remove"];
        options?: never;
        head?: never;
        /**
         * Change the role of a member
         * @description A demotion revokes the API keys that the member created and whose scopes exceed the new role. If an owner is demoted, the invitations that the member sent also end.
         */
        patch: operations["partner.members.update"];
        trace?: never;
    };
    "/partner/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List open invitations */
        get: operations["partner.invitations.list"];
        put?: never;
        /**
         * Invite a wallet as a member
         * @description The wallet becomes a member once it accepts with an access token of its own (`POST /invitations/{invitationId}/accept`). An invitation is open for 7 days. A new one for the same wallet replaces it.
         */
        post: operations["partner.invitations.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/partner/invitations/{invitationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke an invitation */
        delete: operations["partner.invitations.revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the invitations of the signed-in wallet
         * @description Returns the newest 100 open invitations.
         */
        get: operations["invitations.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invitations/{invitationId}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation
         * @description The signed-in wallet becomes a member of the partner. A wallet can be a member of only one partner. `Idempotency-Key` is ignored.
         */
        post: operations["invitations.accept"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invitations/{invitationId}/decline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decline an invitation
         * @description Ends the invitation. `Idempotency-Key` is ignored.
         */
        post: operations["invitations.decline"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/partner/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List domains
         * @description Sign-in messages may name a verified domain while the partner is active. `localhost` needs no registration.
         */
        get: operations["partner.domains.list"];
        put?: never;
        /**
         * Claim a domain
         * @description Write the domain as the address bar shows it: `host` or `host:port`, punycode, lower case. A `sandbox` domain works only in the sandbox, so production rejects it with 400.
         */
        post: operations["partner.domains.claim"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/partner/domains/{domain}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a claimed domain
         * @description Looks up the domain proof. If it is published, sign-in messages may name the domain while the partner is active. The operation is idempotent, so `Idempotency-Key` is ignored.
         */
        post: operations["partner.domains.verify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/partner/domains/{domain}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a domain
         * @description Sign-in messages can no longer name the domain. Issued access tokens stay valid until they expire.
         */
        delete: operations["partner.domains.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/partner/kyc-clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List KYC clients */
        get: operations["partner.kycClients.list"];
        put?: never;
        /**
         * Add a KYC client
         * @description The partner's users can then request share tokens with this client as `forClientId`.
         */
        post: operations["partner.kycClients.add"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/partner/kyc-clients/{clientId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a KYC client */
        delete: operations["partner.kycClients.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/partner/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description Includes expired and revoked keys.
         */
        get: operations["partner.apiKeys.list"];
        put?: never;
        /**
         * Create an API key
         * @description A server sends the key as `Authorization: Bearer psk_…`. The response contains a secret, so `Idempotency-Key` is ignored.
         */
        post: operations["partner.apiKeys.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/partner/api-keys/{keyId}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate an API key
         * @description Returns a new key with the same name, scopes and lifetime. The lifetime begins again. The old key stays valid for `overlapSeconds` (default: one day), unless it expires earlier. The response contains a secret, so `Idempotency-Key` is ignored.
         */
        post: operations["partner.apiKeys.rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/partner/api-keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description The key is rejected from the next request on. A repeated request succeeds too.
         */
        delete: operations["partner.apiKeys.revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/partner/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get counts by day
         * @description For each day in UTC, counts new users, new cards, approved card transactions, and declined card transactions by code. Days without counts are omitted. The last few seconds may be missing. The default is the last 30 days.
         */
        get: operations["partner.statistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/partner/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the requests of members and API keys, newest first
         * @description Covers 7 days. A request appears after a few seconds.
         */
        get: operations["partner.requests.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/partner/users/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a user and their cards
         * @description Shows only the first character of each `cardName`. Needs the permission `users:details`, which has an effect only if the programme grants it to the partner. The partner's audit log records who read the details of which user, and when.
         */
        get: operations["partner.users.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/partner/users/{userId}/statement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the statement of a user
         * @description Has the items, filters and cursors of `GET /user/statement`. Needs the permission `users:details`, which has an effect only if the programme grants it to the partner. The partner's audit log records who read the details of which user, and when.
         */
        get: operations["partner.users.statement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/partner/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List webhook endpoints */
        get: operations["partner.webhooks.list"];
        put?: never;
        /**
         * Create a webhook endpoint
         * @description Outside the sandbox the URL must use https and resolve to a public address. The event log begins with the partner's first endpoint. The response contains a secret, so `Idempotency-Key` is ignored.
         */
        post: operations["partner.webhooks.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/partner/webhooks/{endpointId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a webhook endpoint */
        get: operations["partner.webhooks.get"];
        put?: never;
        post?: never;
        /**
         * Remove a webhook endpoint
         * @description Deletes the endpoint and its deliveries. The event log keeps its events, but records no new events of users while the partner has no endpoint.
         */
        delete: operations["partner.webhooks.remove"];
        options?: never;
        head?: never;
        /**
         * Update, disable or enable a webhook endpoint
         * @description Disabling an endpoint turns its pending deliveries into dead letters: up to 1,000 at once, the others within minutes. An endpoint that is enabled again receives new events, and deliveries that are still pending. With `version`, the change is rejected if the endpoint has changed since that version.
         */
        patch: operations["partner.webhooks.update"];
        trace?: never;
    };
    "/partner/webhooks/{endpointId}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the keys of a webhook endpoint
         * @description Creates a new key pair and a new secret. The old ones also sign for `overlapSeconds` (default: one day). The response contains a secret, so `Idempotency-Key` is ignored.
         */
        post: operations["partner.webhooks.rotateKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/partner/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the events of the last 30 days
         * @description Use it to catch up: pass the id of the last event you processed as `after`, and repeat until `hasNext` is false. While the partner has an endpoint, the log records every event, whether or not an endpoint subscribes to it.
         */
        get: operations["partner.events.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/partner/events/{eventId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an event and its deliveries */
        get: operations["partner.events.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/partner/events/{eventId}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resend an event
         * @description Sends the event to one endpoint, or to every endpoint that subscribes to its type. The id and the body are unchanged.
         */
        post: operations["partner.events.resend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/partner/webhooks/{endpointId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of an endpoint, newest first
         * @description A delivery is `dead` when the endpoint rejected it, when it failed for three days, or when the endpoint was disabled before it was delivered.
         */
        get: operations["partner.webhooks.listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/partner/webhooks/{endpointId}/deliveries/{eventId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a delivery with its latest 50 attempts, newest first */
        get: operations["partner.webhooks.getDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/partner/webhooks/{endpointId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event to an endpoint
         * @description The event has invented data and `"test": true`. It is signed and retried like every other, but the event log does not list it.
         */
        post: operations["partner.webhooks.test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/partner/webhooks/{endpointId}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resend deliveries of an endpoint
         * @description Without a body, resends all dead letters. A request resends at most 10,000 deliveries, the oldest first. To resend more, send the same body again with `nextCursor` of the response as its `cursor`, until `nextCursor` is null. This way, no delivery is resent twice. Without `to`, deliveries created after the first request are not resent.
         */
        post: operations["partner.webhooks.resendDeadLetters"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List users with their cards, newest first */
        get: operations["sandbox.users.list"];
        put?: never;
        /**
         * Create a fully onboarded user
         * @description The account's currency follows the country: GBP for GB, USD for US and BR, else EUR. If no token has that currency, the account has the currency of the first token.
         */
        post: operations["sandbox.users.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete all users, partners and their data
         * @description Also deletes operators and their decisions, and resumes stopped payouts and card approvals. Keeps only the clock, the keys of the service and the blocks of an attached chain. All access tokens become invalid. `Idempotency-Key` is ignored.
         */
        post: operations["sandbox.reset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/users/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the identity verification, account status or country of a user
         * @description A closed account stays closed. A new country does not change the account's currency.
         */
        patch: operations["sandbox.users.update"];
        trace?: never;
    };
    "/sandbox/cards/{cardId}/block": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Block a card as issuer or compliance
         * @description A card stays blocked while any party blocks it. Safe to repeat.
         */
        post: operations["sandbox.cards.block"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/cards/{cardId}/unblock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unblock a card as issuer or compliance
         * @description A card stays blocked while any party blocks it. Safe to repeat.
         */
        post: operations["sandbox.cards.unblock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/cards/{cardId}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report the status of a card as the issuer
         * @description The statuses lost, stolen, expired and canceled are final.
         */
        post: operations["sandbox.cards.setStatus"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/deposits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send tokens to an account
         * @description Detects, finalizes and screens the transfer like any other, then responds.
         */
        post: operations["sandbox.deposits.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/deposits/{depositId}/screening": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set the screening result of a deposit
         * @description Also overturns a rejection. Repeating a result changes nothing. An approval cannot be changed, nor can a deposit that a reorganization removed or whose return has begun.
         */
        post: operations["sandbox.deposits.screen"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/withdrawals/{withdrawalId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set the outcome of a withdrawal on the simulated chain
         * @description Without an attached chain, a withdrawal stays `processing` until this request. An attached chain decides the outcome itself.
         */
        post: operations["sandbox.withdrawals.settle"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a card network message
         * @description Simulates the card network. Amounts are in major units of `currency` and are converted at the rates of `GET /sandbox/rates`. A message about an earlier authorization names its `authorization_code`. Messages may arrive in any order.
         */
        post: operations["sandbox.transactions.send"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/card-transactions/{cardTransactionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the whole history of a card transaction
         * @description Returns the response of `GET /user/card-transactions/{cardTransactionId}`, with the movements and events that the card transaction caused.
         */
        get: operations["sandbox.cardTransactions.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/rates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the exchange rates of the simulator */
        get: operations["sandbox.rates.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the tokens that accounts can hold */
        get: operations["sandbox.tokens.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/chain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the attached chain
         * @description A wallet can send tokens on the attached chain. Without an attached chain, deposits and payouts are simulated.
         */
        get: operations["sandbox.chain.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/chain/head": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the newest block of the attached chain */
        get: operations["sandbox.chain.getHead"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/chain/blocks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mine blocks on the attached chain
         * @description The chain must be an Anvil process on this machine, such as the one that `npm start` starts.
         */
        post: operations["sandbox.chain.mine"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/chain/reorganizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the newest blocks of the attached chain with empty ones
         * @description Removes their transactions, as a reorganization can. The chain must be an Anvil process on this machine, such as the one that `npm start` starts.
         */
        post: operations["sandbox.chain.reorganize"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/clock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the time of the service */
        get: operations["sandbox.clock.get"];
        put?: never;
        /**
         * Advance the time of the service
         * @description Responds once all work that became due has run. This time also decides when access tokens and nonces expire.
         */
        post: operations["sandbox.clock.advance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/issuer/v1/authorizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide an authorization
         * @description Takes authorizations, increments, replacements and single messages. A message that cannot be decided before the deadline is declined with `TMO`, and holds nothing.
         */
        post: operations["issuer.authorizations.send"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/issuer/v1/advices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Report an approval that the network gave on the issuer's behalf */
        post: operations["issuer.advices.send"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/issuer/v1/reversals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Reverse an authorization, fully or in part */
        post: operations["issuer.reversals.send"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/issuer/v1/refunds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Refund money, or reverse a refund */
        post: operations["issuer.refunds.send"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/issuer/v1/clearings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Post one clearing, or a file of clearings
         * @description Takes one message, an array, or one message per line (`application/x-ndjson`), with at most 1000 messages and 1 MiB. Each line of a file gets its own result. An invalid line does not stop the others.
         */
        post: operations["issuer.clearings.send"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/issuer/v1/card-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report a change of a card
         * @description Takes blocks and unblocks by the issuer, activation, loss, theft and expiry. Events may arrive in any order. An event older than the card's newest event changes nothing, unless it reports loss, theft or expiry.
         */
        post: operations["issuer.cardEvents.send"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/screening": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive a screening result
         * @description The screening provider reports the result for a deposit. The request is signed like the messages of the card processor, with a key of SCREENING_KEYS. The response is the same whether the result is new, repeated, too late or about an unknown deposit.
         */
        post: operations["callbacks.receiveScreening"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/kyc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report a change of an applicant
         * @description Called by the configured KYC provider, in its format and with its signature. Only the applicant's id is read from the body. The response does not reveal whether the applicant is known.
         */
        post: operations["callbacks.receiveKyc"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in as an operator
         * @description Exchanges a signed message for a session. The message has a nonce from `GET /api/v1/auth/nonce`, the domain of the console, and the URI `<origin of the console>/operator/session`. With `cookie`, the token goes into an HttpOnly cookie, and the request must come from the console. The session ends after 15 minutes without a request, or after 8 hours. After a 401 or 429, request a new nonce. `Idempotency-Key` is ignored.
         */
        post: operations["operator.signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the signed-in operator */
        get: operations["operator.getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the open sessions, newest first
         * @description Lists the sessions of the caller's wallet. The roles `admin` and `auditor` see those of all operators.
         */
        get: operations["operator.sessions.list"];
        put?: never;
        post?: never;
        /** End all sessions of the caller's wallet */
        delete: operations["operator.sessions.endAll"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/sessions/{sessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a session
         * @description Ends a session of the caller's wallet. The role `admin` can end those of all operators.
         */
        delete: operations["operator.sessions.end"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/operators": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List operators, the removed ones last */
        get: operations["operator.operators.list"];
        put?: never;
        /**
         * Add an operator
         * @description Works like `POST /operator/proposals`. `Idempotency-Key` is ignored.
         */
        post: operations["operator.operators.add"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search by an exact value
         * @description Finds ids, wallets, deposit addresses, email addresses, authorization codes, transaction hashes, names of partners, and cards as `1234 12/29` (last digits and expiry). Returns at most 20 hits of each kind.
         */
        get: operations["operator.search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List users, newest first */
        get: operations["operator.users.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/users/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a user with masked personal data */
        get: operations["operator.users.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/users/{userId}/reveal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reveal the personal data of a user
         * @description Records who read the data, and why. Every request is recorded, so `Idempotency-Key` is ignored.
         */
        post: operations["operator.users.reveal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/reads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List reads of personal data, newest first */
        get: operations["operator.reads.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/users/{userId}/cards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the cards of a user */
        get: operations["operator.users.listCards"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/users/{userId}/statement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the statement of a user */
        get: operations["operator.users.listStatement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/users/{userId}/deposits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the deposits of a user */
        get: operations["operator.users.listDeposits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/users/{userId}/withdrawals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the withdrawals and returns of a user */
        get: operations["operator.users.listWithdrawals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/users/{userId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the published events of a user */
        get: operations["operator.users.listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/users/{userId}/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the decisions about a user */
        get: operations["operator.users.listDecisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/users/{userId}/card-transactions/{cardTransactionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the whole history of a card transaction */
        get: operations["operator.users.getCardTransaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/users/{userId}/movements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the movements of a user, newest first */
        get: operations["operator.users.listMovements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/users/{userId}/movements/{seq}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a movement with its postings and seal */
        get: operations["operator.users.getMovement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/users/{userId}/ledger-accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the ledger accounts of a user */
        get: operations["operator.users.listLedgerAccounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/reconciliation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the checks of the books, newest first */
        get: operations["operator.reconciliation.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/reconciliation/users/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check the books of a user
         * @description Checks every invariant now, and stores nothing. `Idempotency-Key` is ignored.
         */
        post: operations["operator.reconciliation.checkUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the kinds of work that wait */
        get: operations["operator.overview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/chains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the watched chains */
        get: operations["operator.chains.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/reviews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List open reviews, oldest first */
        get: operations["operator.reviews.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/deposits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deposits that wait, oldest first
         * @description `waiting`: for the chain or for screening. `frozen`: rejected, and no return is ordered. `untold`: transfers whose arrival is unknown. An operator can declare it.
         */
        get: operations["operator.deposits.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/payouts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List payouts that wait, oldest first
         * @description `open`: withdrawals and returns that have not ended. `unpaid`: final, but paid nobody. `unassigned`: recovered payouts of unknown users.
         */
        get: operations["operator.payouts.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/webhooks/dead": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List dead letters by endpoint */
        get: operations["operator.webhooks.listDead"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/partners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List partners, newest first */
        get: operations["operator.partners.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/partners/{partnerId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a partner with its registrations */
        get: operations["operator.partners.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/partners/{partnerId}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit log of a partner, newest first
         * @description Contains every change to the partner, and who read the details of its users.
         */
        get: operations["operator.partners.listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List sign-in domains */
        get: operations["operator.domains.list"];
        put?: never;
        /**
         * Add a sign-in domain
         * @description Works like `POST /operator/proposals`. `Idempotency-Key` is ignored.
         */
        post: operations["operator.domains.add"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/signing-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the keys that sign access tokens */
        get: operations["operator.signingKeys.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/switches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the kill switches */
        get: operations["operator.switches.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/evidence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get signed evidence of a period
         * @description Returns one line of JSON per decision, review, check of the books, card view, reveal, and read of user details by a partner. The last line contains the signature over all lines before it. The period is at most 92 days. docs/operators.md explains how to verify the signature.
         */
        get: operations["operator.evidence"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/proposals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List proposals, newest first */
        get: operations["operator.proposals.list"];
        put?: never;
        /**
         * Propose a change
         * @description Without `signed`, returns the typed data of the decision and changes nothing. Let the wallet sign it, and send the same request with `signed`. If the policy of the command asks for one person, the change is made at once. Otherwise another person must approve the proposal within 24 hours. Each command also has a route of its own, such as `POST /operator/users/{userId}/block`. A signature makes only one proposal. A repeated request returns the same proposal, so `Idempotency-Key` is ignored.
         */
        post: operations["operator.proposals.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/proposals/{proposalId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a proposal */
        get: operations["operator.proposals.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/proposals/{proposalId}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve and execute a proposal
         * @description Needs the permission of the command, and a person other than the proposer. Sign the proposal's `typedData`. If the subject has changed since the proposal, nothing is executed: the proposal lapses, and its `outcome` names the changes. A repeated approval returns the executed proposal, and `Idempotency-Key` is ignored.
         */
        post: operations["operator.proposals.approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/proposals/{proposalId}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reject or withdraw a proposal
         * @description Needs the permission of the command. A rejection only closes the proposal, so it needs no signature. `Idempotency-Key` is ignored.
         */
        post: operations["operator.proposals.reject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List decisions, newest first */
        get: operations["operator.decisions.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/users/{userId}/block": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Block the account of a user
         * @description Works like `POST /operator/proposals`. `Idempotency-Key` is ignored.
         */
        post: operations["operator.users.block"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/users/{userId}/unblock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unblock an account and restore its previous status
         * @description Works like `POST /operator/proposals`. `Idempotency-Key` is ignored.
         */
        post: operations["operator.users.unblock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/users/{userId}/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Erase the personal data of a closed user
         * @description Works like `POST /operator/proposals`. `Idempotency-Key` is ignored.
         */
        post: operations["operator.users.erase"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/deposits/{depositId}/return": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Return a rejected deposit to its sender
         * @description Works like `POST /operator/proposals`. `Idempotency-Key` is ignored.
         */
        post: operations["operator.deposits.return"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/transfers/{transfer}/tell": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Declare the arrived amount of a transfer
         * @description Works like `POST /operator/proposals`. `Idempotency-Key` is ignored.
         */
        post: operations["operator.transfers.tell"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/users/{userId}/payout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pay out money that reached a user after closing
         * @description Works like `POST /operator/proposals`. `Idempotency-Key` is ignored.
         */
        post: operations["operator.users.payOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/payouts/{withdrawalId}/decide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resolve a payout that is final but paid nobody
         * @description Works like `POST /operator/proposals`. `Idempotency-Key` is ignored.
         */
        post: operations["operator.payouts.decide"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/payouts/{withdrawalId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a pending payout
         * @description Works like `POST /operator/proposals`. `Idempotency-Key` is ignored.
         */
        post: operations["operator.payouts.cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/payouts/{withdrawalId}/assign": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Assign a payout of an unknown user
         * @description Works like `POST /operator/proposals`. `Idempotency-Key` is ignored.
         */
        post: operations["operator.payouts.assign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/reviews/{reviewId}/done": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close a review
         * @description Works like `POST /operator/proposals`. `Idempotency-Key` is ignored.
         */
        post: operations["operator.reviews.finish"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/webhooks/{endpointId}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resend up to 10,000 dead letters of a webhook endpoint, the oldest first
         * @description Works like `POST /operator/proposals`. `Idempotency-Key` is ignored.
         */
        post: operations["operator.webhooks.resend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/partners/{partnerId}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve a partner
         * @description Works like `POST /operator/proposals`. `Idempotency-Key` is ignored.
         */
        post: operations["operator.partners.approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/partners/{partnerId}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Suspend a partner
         * @description Works like `POST /operator/proposals`. `Idempotency-Key` is ignored.
         */
        post: operations["operator.partners.suspend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/partners/{partnerId}/details": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Grant or revoke a partner's access to the details of its users
         * @description Works like `POST /operator/proposals`. `Idempotency-Key` is ignored.
         */
        post: operations["operator.partners.setDetails"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/domains/{domain}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a sign-in domain
         * @description Works like `POST /operator/proposals`. `Idempotency-Key` is ignored.
         */
        delete: operations["operator.domains.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/signing-keys/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish a new signing key
         * @description Works like `POST /operator/proposals`. `Idempotency-Key` is ignored.
         */
        post: operations["operator.signingKeys.rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/signing-keys/{kid}/retire": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retire a compromised signing key
         * @description Works like `POST /operator/proposals`. `Idempotency-Key` is ignored.
         */
        post: operations["operator.signingKeys.retire"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/switches/payouts/off": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop all payouts
         * @description Works like `POST /operator/proposals`. `Idempotency-Key` is ignored.
         */
        post: operations["operator.switches.turnPayoutsOff"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/switches/payouts/on": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume payouts
         * @description Works like `POST /operator/proposals`. `Idempotency-Key` is ignored.
         */
        post: operations["operator.switches.turnPayoutsOn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/switches/card-approvals/off": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decline every authorization
         * @description Works like `POST /operator/proposals`. `Idempotency-Key` is ignored.
         */
        post: operations["operator.switches.turnCardApprovalsOff"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/switches/card-approvals/on": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume approving authorizations
         * @description Works like `POST /operator/proposals`. `Idempotency-Key` is ignored.
         */
        post: operations["operator.switches.turnCardApprovalsOn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/operators/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove an operator
         * @description Works like `POST /operator/proposals`. `Idempotency-Key` is ignored.
         */
        delete: operations["operator.operators.remove"];
        options?: never;
        head?: never;
        /**
         * Give an operator another role
         * @description Works like `POST /operator/proposals`. `Idempotency-Key` is ignored.
         */
        patch: operations["operator.operators.change"];
        trace?: never;
    };
}
export interface webhooks {
    AccountEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An account was opened, or its status changed */
        post: operations["onAccountEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    AccountBalanceEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The balances of an account changed
         * @description Changes in quick succession are combined into one event.
         */
        post: operations["onAccountBalanceEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    KycEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The status of a user's identity verification changed */
        post: operations["onKycEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    DepositEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A deposit was detected, or its statement item changed
         * @description Contains the statement item of the deposit.
         */
        post: operations["onDepositEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    WithdrawalEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A withdrawal was requested, or its statement item changed
         * @description Contains the statement item of the withdrawal.
         */
        post: operations["onWithdrawalEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    CardEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A card was created, or its status changed */
        post: operations["onCardEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    CardTransactionEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A card transaction was recorded, or its statement item changed
         * @description Contains the statement item of the card transaction.
         */
        post: operations["onCardTransactionEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    WebhookEndpointEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * One of the partner's webhook endpoints was disabled
         * @description Purser disables an endpoint after three days of failed attempts (`failing`), or after a response of 410 (`gone`).
         */
        post: operations["onWebhookEndpointEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /**
         * @example {
         *       "success": false,
         *       "error": "NOT_FOUND"
         *     }
         */
        PlainError: {
            /** @enum {boolean} */
            success: false;
            /** @description An error code. docs/errors.md lists all codes. */
            error: string;
            /** @description Only `WITHDRAWAL_TOO_SMALL` has a message. It names the minimum. */
            message?: string;
        };
        ValidationError: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "validation";
            /** @enum {boolean} */
            success: false;
            error: {
                /** @enum {string} */
                name: "ValidationError";
                message: string;
            };
        };
        BusinessError: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "business";
            /** @enum {boolean} */
            success: false;
            error: string;
        };
        SignInError: {
            /** @enum {boolean} */
            success: false;
            error: string;
            message: string;
        };
        /**
         * @example {
         *       "message": "The access token has expired. Sign in again."
         *     }
         */
        MessageError: {
            message: string;
        };
        /**
         * @example {
         *       "error": "Internal server error"
         *     }
         */
        ServerError: {
            error: string;
        };
        Card: {
            cardId: components["schemas"]["Uuid"];
            /** @example Travel */
            cardName: string;
            /** @enum {string} */
            type: "virtual";
            status: components["schemas"]["CardState"];
            /** @description Empty unless blocked. */
            blockedBy: ("owner" | "issuer" | "compliance")[];
            /** @example EUR */
            currency: string;
            /**
             * @description null until the issuer has created the card.
             * @example 6520
             */
            last4: string | null;
            /**
             * Format: int32
             * @example 11
             */
            expiryMonth: number | null;
            /**
             * Format: int32
             * @example 2030
             */
            expiryYear: number | null;
            createdAt: components["schemas"]["DateTime"];
        };
        Merchant: {
            name: string;
            city: string | null;
            country: string;
            categoryCode: string;
        };
        CurrencyMetadata: {
            symbol: string | null;
            code: components["schemas"]["CurrencyCode"];
            /** Format: int32 */
            decimals: number;
            name: string | null;
        };
        Billing: {
            billingAmount: components["schemas"]["Amount"];
            billingCurrency: components["schemas"]["CurrencyMetadata"];
        };
        ExecutionDetail: {
            status: string | null;
            to: string | null;
            value: string | null;
            data: string | null;
            hash: components["schemas"]["TxHash"] | null;
        };
        /**
         * @example {
         *       "code": "810",
         *       "message": "Insufficient balance"
         *     }
         */
        DeclineReason: {
            code: string;
            message: string;
        };
        Wallet: {
            /** @enum {string} */
            provider: "apple_pay" | "google_pay" | "samsung_pay" | "other";
            deviceBrand: string | null;
            deviceModel: string | null;
            deviceType: string | null;
            deviceName: string | null;
        };
        EnrichmentMerchant: {
            id: components["schemas"]["Uuid"];
            name: string;
            logoUrl: string | null;
        };
        EnrichmentCategory: {
            name: string;
            logoUrl: string | null;
        };
        Area: {
            name: string;
            value: string;
        };
        EnrichmentAddress: {
            street: string;
            city: string;
            zip: string;
            country: string;
            areas: components["schemas"]["Area"][];
        };
        EnrichmentCoordinates: {
            /** Format: double */
            latitude: number;
            /** Format: double */
            longitude: number;
            accuracy: string;
            /** Format: int32 */
            zoom: number;
        };
        EnrichmentShop: {
            id: components["schemas"]["Uuid"];
            type: string;
            category: components["schemas"]["EnrichmentCategory"] | null;
            tags: string[];
            address: components["schemas"]["EnrichmentAddress"] | null;
            coordinates: components["schemas"]["EnrichmentCoordinates"] | null;
            url: string | null;
            googlePlaceId: string | null;
            phoneNumber: string | null;
        };
        Enrichment: {
            /** @enum {string} */
            status: "matched" | "unmatched" | "pending" | "unavailable";
            merchant: components["schemas"]["EnrichmentMerchant"] | null;
            shop: components["schemas"]["EnrichmentShop"] | null;
        };
        /**
         * @example {
         *       "type": "card_transaction",
         *       "id": "01a1ff9b-0862-73ca-88bc-12d7140fdceb",
         *       "status": "settled",
         *       "amount": "999",
         *       "currency": "EUR",
         *       "decimals": 2,
         *       "originalAmount": "999",
         *       "originalCurrency": "EUR",
         *       "originalDecimals": 2,
         *       "isCredit": false,
         *       "createdAt": "2026-01-31T09:30:00.000Z",
         *       "updatedAt": "2026-02-01T04:00:00.000Z",
         *       "description": "Corner Shop",
         *       "authorizationId": 8692092613930096,
         *       "mcc": "5411",
         *       "authorizationCode": "9KVXXC",
         *       "merchant": {
         *         "name": "Corner Shop",
         *         "city": "Berlin",
         *         "country": "DE",
         *         "categoryCode": "5411"
         *       },
         *       "entryMode": "ecommerce",
         *       "billing": {
         *         "billingAmount": "999",
         *         "billingCurrency": {
         *           "symbol": "€",
         *           "code": "EUR",
         *           "decimals": 2,
         *           "name": "Euro"
         *         }
         *       },
         *       "transactionCurrency": {
         *         "symbol": "€",
         *         "code": "EUR",
         *         "decimals": 2,
         *         "name": "Euro"
         *       },
         *       "cardId": "01a1fc4e-f39c-748a-b04f-9ca8209a4d4a",
         *       "cardToken": "sandbox-6a413dcac7d314bd6fba843a28b4b476",
         *       "clearedAt": "2026-02-01T04:00:00.000Z",
         *       "isPending": false,
         *       "kind": "Payment",
         *       "transactions": [],
         *       "declineReason": null,
         *       "wallet": null
         *     }
         */
        CardTransactionItem: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "card_transaction";
            id: string;
            /** @enum {string} */
            status: "pending" | "settled" | "cancelled" | "declined";
            amount: components["schemas"]["Amount"];
            currency: components["schemas"]["CurrencyCode"];
            /** Format: int32 */
            decimals: number;
            originalAmount: components["schemas"]["Amount"];
            originalCurrency: components["schemas"]["CurrencyCode"];
            /** Format: int32 */
            originalDecimals: number;
            isCredit: boolean;
            createdAt: components["schemas"]["DateTime"];
            updatedAt: components["schemas"]["DateTime"];
            description: string;
            /**
             * Format: int64
             * @description At most 2^53 - 1.
             */
            authorizationId: number;
            mcc: string;
            authorizationCode: string;
            merchant: components["schemas"]["Merchant"];
            entryMode: string;
            billing: components["schemas"]["Billing"];
            transactionCurrency: components["schemas"]["CurrencyMetadata"];
            cardId: components["schemas"]["Uuid"];
            cardToken: string | null;
            clearedAt: components["schemas"]["DateTime"] | null;
            isPending: boolean;
            /** @enum {string} */
            kind: "Payment" | "Refund" | "Reversal";
            transactions: components["schemas"]["ExecutionDetail"][];
            declineReason: components["schemas"]["DeclineReason"] | null;
            wallet: components["schemas"]["Wallet"] | null;
            enrichment?: components["schemas"]["Enrichment"] | null;
        };
        /**
         * @example {
         *       "type": "deposit",
         *       "id": "01a1ff9b-066b-7593-a706-396e63e8a038",
         *       "status": "approved",
         *       "amount": "25000000000000000000",
         *       "currency": "EURe",
         *       "decimals": 18,
         *       "fiatCurrency": "EUR",
         *       "isCredit": true,
         *       "createdAt": "2026-01-31T09:30:00.000Z",
         *       "description": "Deposit of EURe",
         *       "txHash": "0x702e35a06a5cdb536b4a4dfb7bea619b6e5408736904ca0b27e971f066d8e206",
         *       "fromAddress": "0xcB444e90D8198415266c6a2724b7900fb12FC56E",
         *       "chainId": 100
         *     }
         */
        DepositItem: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "deposit";
            id: string;
            /** @enum {string} */
            status: "pending" | "approved" | "rejected";
            amount: components["schemas"]["Amount"];
            /**
             * @description The symbol of the stablecoin.
             * @example EURe
             */
            currency: string;
            /** Format: int32 */
            decimals: number;
            fiatCurrency: components["schemas"]["CurrencyCode"];
            isCredit: boolean;
            createdAt: components["schemas"]["DateTime"];
            description: string;
            txHash: components["schemas"]["TxHash"];
            fromAddress: components["schemas"]["Address"];
            /** Format: int32 */
            chainId: number;
        };
        /**
         * @example {
         *       "type": "withdrawal",
         *       "id": "01a1ff9b-0899-71bb-8a57-663065ac3cf4",
         *       "status": "pending",
         *       "amount": "5000000000000000000",
         *       "currency": "EURe",
         *       "decimals": 18,
         *       "fiatCurrency": "EUR",
         *       "isCredit": false,
         *       "createdAt": "2026-01-31T09:30:00.000Z",
         *       "description": "Withdrawal of EURe",
         *       "txHash": null,
         *       "toAddress": "0xcB444e90D8198415266c6a2724b7900fb12FC56E",
         *       "chainId": 100
         *     }
         */
        WithdrawalItem: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "withdrawal";
            id: string;
            /** @enum {string} */
            status: "pending" | "processing" | "completed" | "failed";
            amount: components["schemas"]["Amount"];
            /**
             * @description The symbol of the stablecoin.
             * @example EURe
             */
            currency: string;
            /** Format: int32 */
            decimals: number;
            fiatCurrency: components["schemas"]["CurrencyCode"];
            isCredit: boolean;
            createdAt: components["schemas"]["DateTime"];
            description: string;
            txHash: components["schemas"]["TxHash"] | null;
            toAddress: components["schemas"]["Address"];
            /** Format: int32 */
            chainId: number;
        };
        StatementItem: components["schemas"]["CardTransactionItem"] | components["schemas"]["DepositItem"] | components["schemas"]["WithdrawalItem"];
        StatementPage: {
            data: components["schemas"]["StatementItem"][];
            pagination: {
                /** @description Opaque; null on the last page. */
                nextCursor: string | null;
                hasNext: boolean;
            };
        };
        IssuerPaymentMessage: {
            eventId: components["schemas"]["IssuerEventId"];
            cardToken?: components["schemas"]["IssuerCardToken"];
            cardId?: components["schemas"]["Uuid"];
            networkTransactionId?: components["schemas"]["NetworkTransactionId"];
            authorizationCode?: components["schemas"]["AuthorizationCode"];
            entryMode?: components["schemas"]["EntryMode"];
            merchant?: components["schemas"]["IssuerMerchant"];
            billingAmount?: components["schemas"]["BillingAmount"];
            /** @example EUR */
            billingCurrency?: string;
        };
        /**
         * @example {
         *       "type": "authorization",
         *       "eventId": "evt-7f3a91",
         *       "cardToken": "tok_4bd1c2",
         *       "amount": "1250",
         *       "currency": "EUR",
         *       "merchant": {
         *         "name": "Corner Shop",
         *         "country": "DE"
         *       }
         *     }
         */
        IssuerAuthorization: components["schemas"]["IssuerPaymentMessage"] & {
            /**
             * @description For a `replacement`, the amount is the new total. An `authorization` with the amount 0 checks the card.
             * @enum {string}
             */
            type: "authorization" | "incremental" | "replacement" | "single_message";
            /**
             * @description Integer in the currency's minor unit (ISO 4217).
             * @example 1250
             */
            amount: string;
            /** @example EUR */
            currency: string;
            /** @default false */
            partialAllowed?: boolean;
        };
        /**
         * @example {
         *       "type": "advice",
         *       "eventId": "evt-7f3a91",
         *       "cardToken": "tok_4bd1c2",
         *       "amount": "1250",
         *       "currency": "EUR"
         *     }
         */
        IssuerAdvice: components["schemas"]["IssuerPaymentMessage"] & {
            /** @enum {string} */
            type: "advice";
            /**
             * @description Integer in the currency's minor unit (ISO 4217).
             * @example 1250
             */
            amount: string;
            /** @example EUR */
            currency: string;
        };
        /**
         * @example {
         *       "type": "reversal",
         *       "eventId": "evt-7f3a91",
         *       "cardToken": "tok_4bd1c2",
         *       "amount": "1250",
         *       "currency": "EUR",
         *       "authorizationCode": "K3P9QX"
         *     }
         */
        IssuerReversal: components["schemas"]["IssuerPaymentMessage"] & {
            /** @enum {string} */
            type: "reversal";
            /**
             * @description If omitted, reverses the whole hold.
             * @example 1250
             */
            amount?: string;
            /** @example EUR */
            currency?: string;
        };
        /**
         * @example {
         *       "type": "clearing",
         *       "eventId": "evt-7f3a91",
         *       "cardToken": "tok_4bd1c2",
         *       "amount": "1250",
         *       "currency": "EUR",
         *       "authorizationCode": "K3P9QX"
         *     }
         */
        IssuerClearing: components["schemas"]["IssuerPaymentMessage"] & {
            /** @enum {string} */
            type: "clearing" | "clearing_cancellation";
            /**
             * @description Integer in the currency's minor unit (ISO 4217).
             * @example 1250
             */
            amount: string;
            /** @example EUR */
            currency: string;
            /**
             * @description For a clearing: whether it is the last one of the authorization.
             * @default true
             */
            isFinal?: boolean;
        };
        /**
         * @example {
         *       "type": "refund",
         *       "eventId": "evt-7f3a91",
         *       "cardToken": "tok_4bd1c2",
         *       "amount": "1250",
         *       "currency": "EUR"
         *     }
         */
        IssuerRefund: components["schemas"]["IssuerPaymentMessage"] & {
            /** @enum {string} */
            type: "refund" | "refund_reversal";
            /**
             * @description Integer in the currency's minor unit (ISO 4217).
             * @example 1250
             */
            amount: string;
            /** @example EUR */
            currency: string;
        };
        /**
         * @example {
         *       "type": "lost",
         *       "eventId": "evt-91c0",
         *       "cardToken": "tok_4bd1c2",
         *       "occurredAt": "2026-01-31T09:30:00.000Z"
         *     }
         */
        IssuerCardEvent: {
            /** @enum {string} */
            type: "activated" | "blocked" | "unblocked" | "lost" | "stolen" | "expired";
            eventId: components["schemas"]["IssuerEventId"];
            cardToken?: components["schemas"]["IssuerCardToken"];
            cardId?: components["schemas"]["Uuid"];
            occurredAt: components["schemas"]["DateTime"];
        };
        IssuerMessageResponse: {
            eventId: string;
            /** @enum {string} */
            outcome: "approved" | "declined";
            /**
             * @description ISO 8583 data element 39.
             * @enum {string}
             */
            responseCode: "00" | "10" | "51" | "14" | "05" | "62" | "41" | "43" | "54" | "78" | "59" | "61" | "65" | "57" | "68" | "12";
            /** @description Absent if the decision was too late. */
            authorizationCode?: string;
            /** Format: int64 */
            authorizationId?: number;
            /**
             * @description The approved amount in `currency`. Present only with `partialAllowed`.
             * @example 1250
             */
            approvedAmount?: string;
            /** @enum {string} */
            declineCode?: "810" | "FR7" | "OFF" | "FRB" | "UBT" | "BND" | "BNP" | "BNR" | "VNM" | "CNC" | "CND" | "CLO" | "TMO" | "LIM" | "VEL" | "MCC" | "CTY";
            declineReason?: string;
        };
        IssuerFileResponse: {
            results: {
                /** @description Line number, from 1. Empty lines count but have no result. */
                line: number;
                eventId: string | null;
                /** @description The HTTP status that the message would get in a request of its own. */
                status: number;
                answer?: components["schemas"]["IssuerMessageResponse"];
                /** @description `VALIDATION` for an invalid message, otherwise a code from docs/errors.md. */
                error?: string;
                message?: string;
            }[];
        };
        IssuerCardEventResponse: {
            eventId: string;
            cardId: components["schemas"]["Uuid"];
            /**
             * @description `outdated`: a newer event of the card has already been applied.
             * @enum {string}
             */
            outcome: "applied" | "outdated";
            /** @description The status of the card after the event. */
            status: string;
        };
        AccountEvent: {
            id: components["schemas"]["EventId"];
            /** @enum {string} */
            type: "account.created" | "account.provisioning" | "account.activated" | "account.blocked" | "account.closed";
            createdAt: components["schemas"]["DateTime"];
            test?: components["schemas"]["TestMark"];
            data: {
                userId: components["schemas"]["Uuid"];
                accountId: components["schemas"]["Uuid"] | null;
                sequence: components["schemas"]["EventSequence"];
                address: components["schemas"]["Address"];
                /** @example EUR */
                currency: string;
                status: components["schemas"]["AccountStatus"];
            };
        };
        AccountBalanceEvent: {
            id: components["schemas"]["EventId"];
            /** @enum {string} */
            type: "account.balance.changed";
            createdAt: components["schemas"]["DateTime"];
            test?: components["schemas"]["TestMark"];
            data: {
                userId: components["schemas"]["Uuid"];
                accountId: components["schemas"]["Uuid"] | null;
                sequence: components["schemas"]["EventSequence"];
                reason: components["schemas"]["EventType"];
                /** @description Id of the event that changed the balances. */
                referenceId: string;
                balances: {
                    /** @example EUR */
                    currency: string;
                    /** @example 18 */
                    decimals: number;
                    spendable: components["schemas"]["Amount"];
                    nonSpendable: components["schemas"]["Amount"];
                    processingDeposits: components["schemas"]["Amount"];
                    processingWithdrawals: components["schemas"]["Amount"];
                }[];
            };
        };
        KycEvent: {
            id: components["schemas"]["EventId"];
            /** @enum {string} */
            type: "kyc.profile.not_started" | "kyc.profile.documents_requested" | "kyc.profile.pending" | "kyc.profile.processing" | "kyc.profile.approved" | "kyc.profile.resubmission_requested" | "kyc.profile.requires_action" | "kyc.profile.rejected";
            createdAt: components["schemas"]["DateTime"];
            test?: components["schemas"]["TestMark"];
            data: {
                userId: components["schemas"]["Uuid"];
                accountId: components["schemas"]["Uuid"] | null;
                sequence: components["schemas"]["EventSequence"];
                status: components["schemas"]["KycStatus"];
            };
        };
        DepositEvent: {
            id: components["schemas"]["EventId"];
            /** @enum {string} */
            type: "deposit.pending" | "deposit.approved" | "deposit.rejected";
            createdAt: components["schemas"]["DateTime"];
            test?: components["schemas"]["TestMark"];
            data: {
                userId: components["schemas"]["Uuid"];
                accountId: components["schemas"]["Uuid"] | null;
                sequence: components["schemas"]["EventSequence"];
                /** @enum {string} */
                type: "deposit";
                id: string;
                /** @enum {string} */
                status: "pending" | "approved" | "rejected";
                amount: components["schemas"]["Amount"];
                /**
                 * @description The symbol of the stablecoin.
                 * @example EURe
                 */
                currency: string;
                /** Format: int32 */
                decimals: number;
                fiatCurrency: components["schemas"]["CurrencyCode"];
                isCredit: boolean;
                createdAt: components["schemas"]["DateTime"];
                description: string;
                txHash: components["schemas"]["TxHash"];
                fromAddress: components["schemas"]["Address"];
                /** Format: int32 */
                chainId: number;
            };
        };
        WithdrawalEvent: {
            id: components["schemas"]["EventId"];
            /** @enum {string} */
            type: "withdrawal.pending" | "withdrawal.processing" | "withdrawal.completed" | "withdrawal.failed";
            createdAt: components["schemas"]["DateTime"];
            test?: components["schemas"]["TestMark"];
            data: {
                userId: components["schemas"]["Uuid"];
                accountId: components["schemas"]["Uuid"] | null;
                sequence: components["schemas"]["EventSequence"];
                /** @enum {string} */
                type: "withdrawal";
                id: string;
                /** @enum {string} */
                status: "pending" | "processing" | "completed" | "failed";
                amount: components["schemas"]["Amount"];
                /**
                 * @description The symbol of the stablecoin.
                 * @example EURe
                 */
                currency: string;
                /** Format: int32 */
                decimals: number;
                fiatCurrency: components["schemas"]["CurrencyCode"];
                isCredit: boolean;
                createdAt: components["schemas"]["DateTime"];
                description: string;
                txHash: components["schemas"]["TxHash"] | null;
                toAddress: components["schemas"]["Address"];
                /** Format: int32 */
                chainId: number;
            };
        };
        CardEvent: {
            id: components["schemas"]["EventId"];
            /** @enum {string} */
            type: "card.created" | "card.provisioning" | "card.activated" | "card.blocked" | "card.unblocked" | "card.canceled" | "card.lost" | "card.stolen" | "card.expired";
            createdAt: components["schemas"]["DateTime"];
            test?: components["schemas"]["TestMark"];
            data: {
                userId: components["schemas"]["Uuid"];
                accountId: components["schemas"]["Uuid"] | null;
                sequence: components["schemas"]["EventSequence"];
                cardId: components["schemas"]["Uuid"];
                /** @enum {string} */
                type: "virtual";
                status: components["schemas"]["CardState"];
                last4: string | null;
                /** @example EUR */
                currency: string;
            };
        };
        CardTransactionEvent: {
            id: components["schemas"]["EventId"];
            /** @enum {string} */
            type: "card.transaction.pending" | "card.transaction.settled" | "card.transaction.cancelled" | "card.transaction.declined";
            createdAt: components["schemas"]["DateTime"];
            test?: components["schemas"]["TestMark"];
            data: {
                userId: components["schemas"]["Uuid"];
                accountId: components["schemas"]["Uuid"] | null;
                sequence: components["schemas"]["EventSequence"];
                /** @enum {string} */
                type: "card_transaction";
                id: string;
                /** @enum {string} */
                status: "pending" | "settled" | "cancelled" | "declined";
                amount: components["schemas"]["Amount"];
                currency: components["schemas"]["CurrencyCode"];
                /** Format: int32 */
                decimals: number;
                originalAmount: components["schemas"]["Amount"];
                originalCurrency: components["schemas"]["CurrencyCode"];
                /** Format: int32 */
                originalDecimals: number;
                isCredit: boolean;
                createdAt: components["schemas"]["DateTime"];
                updatedAt: components["schemas"]["DateTime"];
                description: string;
                /**
                 * Format: int64
                 * @description At most 2^53 - 1.
                 */
                authorizationId: number;
                mcc: string;
                authorizationCode: string;
                merchant: components["schemas"]["Merchant"];
                entryMode: string;
                billing: components["schemas"]["Billing"];
                transactionCurrency: components["schemas"]["CurrencyMetadata"];
                cardId: components["schemas"]["Uuid"];
                cardToken: string | null;
                clearedAt: components["schemas"]["DateTime"] | null;
                isPending: boolean;
                /** @enum {string} */
                kind: "Payment" | "Refund" | "Reversal";
                transactions: components["schemas"]["ExecutionDetail"][];
                declineReason: components["schemas"]["DeclineReason"] | null;
                wallet: components["schemas"]["Wallet"] | null;
                enrichment?: components["schemas"]["Enrichment"] | null;
            };
        };
        WebhookEndpointEvent: {
            id: components["schemas"]["EventId"];
            /** @enum {string} */
            type: "webhook.endpoint.disabled";
            createdAt: components["schemas"]["DateTime"];
            test?: components["schemas"]["TestMark"];
            data: {
                endpointId: components["schemas"]["Uuid"];
                url: string;
                /** @enum {string} */
                reason: "failing" | "gone";
            };
        };
        /**
         * Format: uuid
         * @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a
         */
        Uuid: string;
        /** @enum {string} */
        CardState: "provisioning" | "active" | "blocked" | "canceled" | "lost" | "stolen" | "expired";
        /**
         * Format: date-time
         * @example 2026-01-31T09:30:00.000Z
         */
        DateTime: string;
        /**
         * @description ISO 4217 code.
         * @example EUR
         */
        CurrencyCode: string;
        /**
         * @description A non-negative integer in the smallest unit. The quantity is amount / 10^decimals.
         * @example 1250
         */
        Amount: string;
        /** @example 0x702e35a06a5cdb536b4a4dfb7bea619b6e5408736904ca0b27e971f066d8e206 */
        TxHash: string;
        /**
         * @description An EVM address. Responses use the EIP-55 form.
         * @example 0xcB444e90D8198415266c6a2724b7900fb12FC56E
         */
        Address: string;
        /**
         * @description Identifies the message permanently. A retry with the same id gets the stored response.
         * @example evt-7f3a91
         */
        IssuerEventId: string;
        /** @description The processor's id of the card. Send this or `cardId`. */
        IssuerCardToken: string;
        /** @description The network's id of the card transaction. It links the messages of one card transaction. */
        NetworkTransactionId: string;
        /**
         * @description The code in the response to the authorization.
         * @example K3P9QX
         */
        AuthorizationCode: string;
        /** @enum {string} */
        EntryMode: "ecommerce" | "chip" | "contactless" | "magstripe" | "manual" | "stored";
        IssuerMerchant: {
            name?: string;
            city?: string;
            /** @example DE */
            country?: string;
            /** @example 5999 */
            categoryCode?: string;
        };
        /**
         * @description The amount billed to the card. Required if `currency` is not the card's currency.
         * @example 1250
         */
        BillingAmount: string;
        /**
         * @description Identifies the event in every delivery and retry. Ignore an event whose id you have already processed.
         * @example evt_01a1fc4ef39c748ab04f9ca8209a4d4a
         */
        EventId: string;
        /**
         * @description Present only in a test event, whose data is invented. Do not process it.
         * @enum {boolean}
         */
        TestMark: true;
        /** @description Numbers the user's events from 1, without gaps. An `account.balance.changed` event repeats the number of the event that caused it. */
        EventSequence: number;
        /** @enum {string} */
        AccountStatus: "provisioning" | "active" | "blocked" | "closed";
        /** @enum {string} */
        EventType: "account.created" | "account.provisioning" | "account.activated" | "account.blocked" | "account.closed" | "account.balance.changed" | "kyc.profile.not_started" | "kyc.profile.documents_requested" | "kyc.profile.pending" | "kyc.profile.processing" | "kyc.profile.approved" | "kyc.profile.resubmission_requested" | "kyc.profile.requires_action" | "kyc.profile.rejected" | "deposit.pending" | "deposit.approved" | "deposit.rejected" | "withdrawal.pending" | "withdrawal.processing" | "withdrawal.completed" | "withdrawal.failed" | "card.created" | "card.provisioning" | "card.activated" | "card.blocked" | "card.unblocked" | "card.canceled" | "card.lost" | "card.stolen" | "card.expired" | "card.transaction.pending" | "card.transaction.settled" | "card.transaction.cancelled" | "card.transaction.declined" | "webhook.endpoint.disabled";
        /** @enum {string} */
        KycStatus: "notStarted" | "documentsRequested" | "pending" | "processing" | "approved" | "resubmissionRequested" | "requiresAction" | "rejected";
        Programme: {
            name: string;
            logoUrl: string | null;
            /** @enum {string} */
            mode: "sandbox" | "production";
            chains: {
                /** Format: int32 */
                chainId: number;
                /**
                 * @description Append `/tx/<hash>` or `/address/<address>`.
                 * @example https://gnosisscan.io
                 */
                explorerUrl: string | null;
                /**
                 * Format: int32
                 * @description The number of later blocks that make a block final; null: the chain reports its final blocks.
                 */
                finalityBlocks: number | null;
            }[];
            /** @description The tokens that users can deposit. Cards draw from them in this order. */
            tokens: {
                address: components["schemas"]["Address"];
                symbol: string;
                currency: string;
                /** Format: int32 */
                decimals: number;
                /** Format: int32 */
                chainId: number;
                withdrawalMinimum: components["schemas"]["Amount"];
            }[];
            /** @description The rows of the balances. */
            currencies: {
                currency: string;
                /** Format: int32 */
                decimals: number;
            }[];
            limits: {
                /**
                 * Format: int32
                 * @description The maximum number of live cards per user.
                 */
                cards: number;
                /** @description Per user, in minor units of the currency. null: no limit. */
                currencies: {
                    currency: string;
                    /** Format: int32 */
                    decimals: number;
                    perTransaction: components["schemas"]["Amount"] | null;
                    dailyCards: components["schemas"]["Amount"] | null;
                    dailyWithdrawals: components["schemas"]["Amount"] | null;
                }[];
            };
            features: {
                ibans: boolean;
                /** @description ISO 3166 codes of the countries whose users may have an IBAN. */
                ibanCountries: string[];
                /** @enum {string} */
                partnerSignUp: "approval" | "open";
                sharedDomains: boolean;
            };
        };
        Success: {
            /** @enum {boolean} */
            success: true;
        };
        Account: {
            accountId: components["schemas"]["Uuid"];
            /**
             * @description The deposit address.
             * @example 0xcB444e90D8198415266c6a2724b7900fb12FC56E
             */
            address: string;
            /** @example EUR */
            currency: string;
            status: components["schemas"]["AccountStatus"];
        };
        User: {
            userId: components["schemas"]["Uuid"];
            /**
             * Format: email
             * @example ada@example.org
             */
            email: string | null;
            firstName: string | null;
            lastName: string | null;
            /**
             * @description ISO 3166-1 alpha-2 code.
             * @example DE
             */
            country: string | null;
            kycStatus: components["schemas"]["KycStatus"];
            account: components["schemas"]["Account"] | null;
            createdAt: components["schemas"]["DateTime"];
        };
        OwnerApproval: {
            /** @description The EIP-4361 message that an owner signed. */
            message: string;
            signature: string;
        };
        UserTerms: {
            terms: {
                /** @example general */
                type: string;
                /** @example 1 */
                version: string;
                url: string;
                /**
                 * Format: date-time
                 * @description null until the user accepts this version.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                acceptedAt: string | null;
            }[];
        };
        /** @description In minor units of the currency. null: no limit. */
        SpendingLimits: {
            perTransaction: components["schemas"]["Amount"] | null;
            daily: components["schemas"]["Amount"] | null;
        };
        CardLimits: {
            /** @example EUR */
            currency: string;
            /** Format: int32 */
            decimals: number;
            perTransaction: components["schemas"]["Amount"] | null;
            daily: components["schemas"]["Amount"] | null;
            programme: components["schemas"]["SpendingLimits"];
        };
        WithdrawalRequest: {
            /**
             * @description The address of a configured token, in lower case or with an EIP-55 checksum.
             * @example 0xcB444e90D8198415266c6a2724b7900fb12FC56E
             */
            tokenAddress: string;
            /**
             * @description The amount in token units.
             * @example 1000000000000000000
             */
            amount: string;
        };
        /** @enum {string} */
        CardMessageType: "authorization" | "incremental" | "replacement" | "reversal" | "clearing" | "clearing_cancellation" | "refund" | "refund_reversal" | "advice" | "expiry" | "single_message";
        HeldAndSettled: {
            held: components["schemas"]["Amount"];
            settled: components["schemas"]["Amount"];
        };
        CardMessage: {
            type: components["schemas"]["CardMessageType"];
            at: components["schemas"]["DateTime"];
            /** @description In minor units of the card's currency. For the type `replacement`, the change of the approved amount, which can be negative. */
            amount: string | null;
            isFinal: boolean;
            /**
             * @description `deferred`: the message waited for the one that it refers to.
             * @enum {string}
             */
            outcome: "approved" | "declined" | "deferred";
            declineReason: components["schemas"]["DeclineReason"] | null;
            before: components["schemas"]["HeldAndSettled"];
            after: components["schemas"]["HeldAndSettled"];
        };
        CardTransactionHistory: {
            transaction: components["schemas"]["CardTransactionItem"];
            messages: components["schemas"]["CardMessage"][];
        };
        NamedPartner: {
            /** @example Example Wallet */
            name: string;
        };
        Partner: {
            partnerId: components["schemas"]["Uuid"];
            name: string;
            /**
             * @description `pending`: the partner waits for the programme's approval. Its domains, KYC clients and webhooks have an effect only while it is `active`.
             * @enum {string}
             */
            status: "pending" | "active" | "suspended";
            createdAt: components["schemas"]["DateTime"];
        };
        AuditEntry: {
            seq: string;
            /** @example wallet:0xcB444e90D8198415266c6a2724b7900fb12FC56E */
            actor: string;
            /** @example member.added */
            action: string;
            subject: string;
            detail: {
                [key: string]: unknown;
            };
            createdAt: components["schemas"]["DateTime"];
        };
        Member: {
            address: components["schemas"]["Address"];
            /** @enum {string} */
            role: "owner" | "developer" | "viewer";
            createdAt: components["schemas"]["DateTime"];
        };
        /** @enum {string} */
        ApiKeyScope: "partner:read" | "domains:write" | "kyc-clients:write" | "webhooks:write" | "events:read" | "users:read" | "users:details" | "audit:read";
        ApiKey: {
            keyId: components["schemas"]["Uuid"];
            name: string;
            /** @description The last four characters of the key, to recognize it. */
            lastCharacters: string;
            scopes: components["schemas"]["ApiKeyScope"][];
            /**
             * @description The member that created the key, as in the audit log. Removing the member revokes the key, unless `keepKeys` is `true`.
             * @example wallet:0xcB444e90D8198415266c6a2724b7900fb12FC56E
             */
            createdBy: string;
            createdAt: components["schemas"]["DateTime"];
            expiresAt: components["schemas"]["DateTime"] | null;
            revokedAt: components["schemas"]["DateTime"] | null;
        };
        Invitation: {
            invitationId: components["schemas"]["Uuid"];
            address: components["schemas"]["Address"];
            /** @enum {string} */
            role: "owner" | "developer" | "viewer";
            /** @description Chain of a contract wallet. A contract on another chain cannot accept. */
            chainId: string | null;
            /**
             * @description The member that sent the invitation, as in the audit log.
             * @example wallet:0xcB444e90D8198415266c6a2724b7900fb12FC56E
             */
            invitedBy: string;
            createdAt: components["schemas"]["DateTime"];
            expiresAt: components["schemas"]["DateTime"];
        };
        Domain: {
            /** @example app.example.com */
            domain: string;
            /** @enum {string} */
            environment: "sandbox" | "production";
            createdAt: components["schemas"]["DateTime"];
            verifiedAt: components["schemas"]["DateTime"] | null;
            /** @description The domain proof. Publish it either as a DNS TXT record or as a file. */
            proof: {
                /** @description Name of the DNS TXT record. */
                dnsName: string;
                /** @description Content of the DNS TXT record. */
                dnsText: string;
                /** @description URL of the proof file. */
                url: string;
                /** @description Complete content of the proof file. */
                urlText: string;
            };
        };
        KycClient: {
            clientId: string;
            createdAt: components["schemas"]["DateTime"];
        };
        NewApiKey: components["schemas"]["ApiKey"] & {
            /**
             * @description The API key. It is returned only once, so store it with your secrets.
             * @example psk_…
             */
            key: string;
        };
        DayStatistics: {
            /** Format: date */
            day: string;
            users: number;
            cards: number;
            transactions: number;
            declines: {
                code: string;
                count: number;
            }[];
        };
        PartnerRequest: {
            requestId: components["schemas"]["Uuid"];
            requestedAt: components["schemas"]["DateTime"];
            actor: string;
            method: string;
            /** @example /partner/events */
            route: string;
            status: number;
            /** @description The error code. */
            code: string | null;
            milliseconds: number;
        };
        PartnerUserDetails: {
            userId: components["schemas"]["Uuid"];
            createdAt: components["schemas"]["DateTime"];
            kyc: components["schemas"]["KycStatus"];
            accountStatus: components["schemas"]["AccountStatus"] | null;
            /** @example EUR */
            currency: string | null;
            cards: components["schemas"]["Card"][];
        };
        /**
         * @description Event types, all types of a resource (`deposit.*`), or all events (`*`).
         * @example [
         *       "deposit.*",
         *       "card.transaction.settled"
         *     ]
         */
        EventFilters: string[];
        WebhookEndpoint: {
            endpointId: components["schemas"]["Uuid"];
            /** @example https://api.example.com/purser */
            url: string;
            events: components["schemas"]["EventFilters"];
            /** @example Ledger of the app */
            description: string;
            /** @enum {string} */
            status: "enabled" | "disabled";
            /** @description Changes whenever `url`, `events`, `description` or `status` changes. */
            version: string;
            /** @enum {string|null} */
            disabledReason: "partner" | "failing" | "gone" | null;
            failingSince: components["schemas"]["DateTime"] | null;
            /** @description The Ed25519 keys that sign now, newest first: `whpk_` and base64. */
            publicKeys: string[];
            /**
             * @description Reasons why no events of users arrive, such as a partner without a verified domain.
             * @example []
             */
            warnings: string[];
            createdAt: components["schemas"]["DateTime"];
        };
        NewWebhookEndpoint: components["schemas"]["WebhookEndpoint"] & {
            /** @description The secret of the HMAC signatures (`v1`): `whsec_` and base64. It is returned only once. */
            secret: string;
        };
        Event: {
            id: components["schemas"]["EventId"];
            type: components["schemas"]["EventType"];
            createdAt: components["schemas"]["DateTime"];
            test?: components["schemas"]["TestMark"];
            /** @description The data of the event, by the schema of its type in the section `webhooks`. */
            data: {
                [key: string]: unknown;
            };
        };
        Delivery: {
            endpointId: components["schemas"]["Uuid"];
            eventId: components["schemas"]["EventId"];
            type: components["schemas"]["EventType"];
            /** @enum {string} */
            status: "pending" | "delivered" | "dead";
            attempts: number;
            attemptedAt: components["schemas"]["DateTime"] | null;
            nextAttemptAt: components["schemas"]["DateTime"] | null;
            responseStatus: number | null;
            /** @description Why the last attempt received no response. */
            error: string | null;
            createdAt: components["schemas"]["DateTime"];
        };
        DeliveryAttempt: {
            attemptedAt: components["schemas"]["DateTime"];
            milliseconds: number;
            responseStatus: number | null;
            /** @description The first KiB of the response. */
            response: string | null;
            error: string | null;
        };
        SandboxUser: {
            userId: components["schemas"]["Uuid"];
            createdAt: components["schemas"]["DateTime"];
            owners: components["schemas"]["Address"][];
            partnerId: components["schemas"]["Uuid"] | null;
            /**
             * @description ISO 3166 alpha-2
             * @example DE
             */
            country: string | null;
            kyc: components["schemas"]["KycStatus"];
            accountStatus: components["schemas"]["AccountStatus"] | null;
            accountAddress: components["schemas"]["Address"] | null;
            /** @example EUR */
            currency: string | null;
            cards: {
                cardId: components["schemas"]["Uuid"];
                cardName: string;
                status: components["schemas"]["CardState"];
                last4: string | null;
            }[];
        };
        CardStatus: {
            cardId: components["schemas"]["Uuid"];
            status: components["schemas"]["CardState"];
        };
        ReceivedCardMessage: components["schemas"]["CardMessage"] & {
            messageId: components["schemas"]["Uuid"];
            source: string;
            eventId: string;
        };
        /** @description Moves token units between two ledger accounts. */
        Posting: {
            token: string;
            from: string;
            to: string;
            amount: components["schemas"]["Amount"];
        };
        WholeCardTransactionHistory: {
            transaction: components["schemas"]["CardTransactionItem"];
            /** @description Whether an operator should check it: its review is open. */
            needsReview: boolean;
            messages: components["schemas"]["ReceivedCardMessage"][];
            movements: {
                seq: string;
                kind: string;
                at: components["schemas"]["DateTime"];
                postings: components["schemas"]["Posting"][];
            }[];
            /** @description Events in the partner's log, which covers 30 days, with their deliveries. */
            events: {
                id: components["schemas"]["EventId"];
                type: string;
                createdAt: components["schemas"]["DateTime"];
                deliveries: components["schemas"]["Delivery"][];
            }[];
        };
        ChainHead: {
            /**
             * Format: int32
             * @description The number of the newest block.
             */
            number: number;
            /**
             * Format: int32
             * @description The number of the newest final block.
             */
            finalNumber: number;
        };
        /** @enum {string} */
        OperatorRole: "viewer" | "support" | "money" | "admin" | "auditor";
        /** @enum {string} */
        OperatorPermission: "session" | "overview:read" | "users:read" | "ledger:read" | "work:read" | "partners:read" | "operators:read" | "decisions:read" | "users:reveal" | "reconciliation:run" | "reads:read" | "evidence:read" | "sessions:read" | "sessions:end" | "proposals:write" | "users:block" | "reviews:write" | "webhooks:resend" | "users:unblock" | "payouts:write" | "switches:write" | "users:erase" | "partners:write" | "domains:write" | "keys:write" | "operators:write";
        OperatorMe: {
            address: components["schemas"]["Address"];
            /**
             * Format: uuid
             * @description The same for all wallets of a person.
             * @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a
             */
            personId: string;
            name: string;
            role: components["schemas"]["OperatorRole"];
            /** @description docs/operators.md lists the permissions of each role. */
            permissions: components["schemas"]["OperatorPermission"][];
            sessionId: components["schemas"]["Uuid"];
            expiresAt: components["schemas"]["DateTime"];
        };
        OperatorSession: {
            sessionId: components["schemas"]["Uuid"];
            address: components["schemas"]["Address"];
            /**
             * @description How the token of the session travels: in a cookie, or as a bearer token.
             * @enum {string}
             */
            via: "cookie" | "bearer";
            signedInAt: components["schemas"]["DateTime"];
            usedAt: components["schemas"]["DateTime"];
            expiresAt: components["schemas"]["DateTime"];
            /** @description Whether this request belongs to the session. */
            isCurrent: boolean;
        };
        OperatorPagination: {
            nextCursor: string | null;
            hasNext: boolean;
        };
        Operator: {
            address: components["schemas"]["Address"];
            /** @description The chain of a wallet that is a contract. */
            contractChainId: number | null;
            /**
             * Format: uuid
             * @description The same for all wallets of a person.
             * @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a
             */
            personId: string;
            name: string;
            role: components["schemas"]["OperatorRole"];
            /** @description The operator who added this one: a wallet, a name given in the shell, or `sandbox` for the test operator. */
            addedBy: string;
            createdAt: components["schemas"]["DateTime"];
            removedAt: components["schemas"]["DateTime"] | null;
        };
        /** @description The reason. It is stored forever, so it must not name people. */
        DecisionReason: string;
        DecisionSignature: {
            stateHash: string;
            /** @description The time at which the decision expires, in Unix seconds. */
            expires: number;
            signature: string;
        };
        /** @description EIP-712 typed data for `signTypedData` of the wallet. */
        DecisionTypedData: {
            domain: {
                name: string;
                version: string;
            };
            /** @enum {string} */
            primaryType: "Decision";
            types: {
                Decision: {
                    name: string;
                    type: string;
                }[];
            };
            message: {
                command: string;
                subject: string;
                reasonHash: string;
                stateHash: string;
                expires: string;
            };
        };
        PreparedDecision: {
            typedData: components["schemas"]["DecisionTypedData"];
            state: {
                [key: string]: string | null;
            };
            stateHash: string;
            expires: number;
            /** @description The number of people who must sign. */
            needed: number;
        };
        /** @enum {string} */
        OperatorCommand: "user block" | "user unblock" | "user erase" | "deposits return" | "transfers tell" | "payouts order" | "payouts decide" | "payouts cancel" | "payouts assign" | "reviews done" | "webhooks resend" | "partner approve" | "partner suspend" | "partner details" | "domain add" | "domain remove" | "keys rotate" | "keys retire" | "switch payouts off" | "switch payouts on" | "switch card-approvals off" | "switch card-approvals on" | "operator add" | "operator change" | "operator remove";
        Proposal: {
            proposalId: components["schemas"]["Uuid"];
            command: components["schemas"]["OperatorCommand"];
            subject: string;
            arguments: {
                [key: string]: string;
            };
            reason: string;
            state: {
                [key: string]: string | null;
            };
            /** @enum {string} */
            status: "open" | "executed" | "rejected" | "lapsed" | "expired";
            /** @description The number of people who must sign. */
            needed: number;
            proposedBy: components["schemas"]["Address"];
            proposedAt: components["schemas"]["DateTime"];
            expiresAt: components["schemas"]["DateTime"];
            closedBy: components["schemas"]["Address"] | null;
            closedAt: components["schemas"]["DateTime"] | null;
            /** @description The result, the reason for the rejection, or the reason why the proposal lapsed. */
            outcome: string | null;
            decisionId: components["schemas"]["Uuid"] | null;
            typedData: components["schemas"]["DecisionTypedData"];
        };
        SearchHit: {
            /** @enum {string} */
            kind: "user" | "card" | "cardTransaction" | "deposit" | "payout" | "event" | "partner";
            id: string;
            userId: components["schemas"]["Uuid"] | null;
            partnerId: components["schemas"]["Uuid"] | null;
            /**
             * @description The kind of value that matched the search text.
             * @enum {string}
             */
            matched: "userId" | "wallet" | "depositAddress" | "email" | "applicantId" | "cardId" | "last4" | "authorizationCode" | "transactionHash" | "depositId" | "withdrawalId" | "eventId" | "partnerId" | "partnerName";
        };
        OperatorUserSummary: {
            userId: components["schemas"]["Uuid"];
            /** @enum {string} */
            status: "active" | "closed";
            accountStatus: components["schemas"]["AccountStatus"] | null;
            kycStatus: components["schemas"]["KycStatus"];
            partnerId: components["schemas"]["Uuid"] | null;
            country: string | null;
            createdAt: components["schemas"]["DateTime"];
            /** @description Masked. */
            email: string | null;
        };
        PersonalData: {
            email: string | null;
            firstName: string | null;
            lastName: string | null;
            birthDate: string | null;
            nationality: string | null;
            street: string | null;
            city: string | null;
            postalCode: string | null;
            phone: string | null;
            iban: string | null;
        };
        OperatorUser: {
            userId: components["schemas"]["Uuid"];
            /** @enum {string} */
            status: "active" | "closed";
            accountStatus: components["schemas"]["AccountStatus"] | null;
            kycStatus: components["schemas"]["KycStatus"];
            partnerId: components["schemas"]["Uuid"] | null;
            country: string | null;
            createdAt: components["schemas"]["DateTime"];
            person: components["schemas"]["PersonalData"];
            account: {
                accountId: components["schemas"]["Uuid"];
                address: components["schemas"]["Address"];
                currency: string;
            } | null;
            owners: {
                address: components["schemas"]["Address"];
                contractChainId: number | null;
                createdAt: components["schemas"]["DateTime"];
            }[];
            applicantId: string | null;
            ibanStatus: string | null;
            closedAt: components["schemas"]["DateTime"] | null;
            erasedAt: components["schemas"]["DateTime"] | null;
        };
        RevealedPersonalData: components["schemas"]["PersonalData"] & {
            /** @description The names of all cards. */
            cards: {
                cardId: components["schemas"]["Uuid"];
                name: string;
            }[];
        };
        PersonalDataRead: {
            readId: components["schemas"]["Uuid"];
            readBy: components["schemas"]["Address"];
            role: components["schemas"]["OperatorRole"];
            userId: components["schemas"]["Uuid"];
            reason: string;
            readAt: components["schemas"]["DateTime"];
        };
        OperatorCard: {
            cardId: components["schemas"]["Uuid"];
            /** @description Masked. */
            name: string;
            status: components["schemas"]["CardState"];
            blockedBy: ("owner" | "issuer" | "compliance")[];
            currency: string;
            last4: string | null;
            expiryMonth: number | null;
            expiryYear: number | null;
            limitPerTransaction: components["schemas"]["Amount"] | null;
            limitDaily: components["schemas"]["Amount"] | null;
            replacementId: components["schemas"]["Uuid"] | null;
            createdAt: components["schemas"]["DateTime"];
        };
        OperatorDeposit: {
            /**
             * Format: uuid
             * @description Null: the transfer is not recorded as a deposit yet.
             * @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a
             */
            depositId: string | null;
            /** @description A transfer with an unknown arrival. Its deposit is pending until the arrival is known. */
            transfer: string | null;
            userId: components["schemas"]["Uuid"];
            chainId: number;
            token: string;
            amount: components["schemas"]["Amount"];
            fromAddress: string;
            txHash: components["schemas"]["TxHash"];
            status: string;
            chainState: string;
            screening: string;
            /** @example 5 */
            riskScore: number;
            riskTier: string;
            returnState: string | null;
            attempts: number;
            createdAt: components["schemas"]["DateTime"];
        };
        OperatorPayout: {
            withdrawalId: components["schemas"]["Uuid"];
            userId: components["schemas"]["Uuid"] | null;
            /**
             * Format: uuid
             * @description The deposit that is returned; null: a withdrawal.
             * @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a
             */
            depositId: string | null;
            chainId: number;
            token: string;
            amount: components["schemas"]["Amount"];
            toAddress: string;
            status: string;
            txHash: components["schemas"]["TxHash"] | null;
            nonce: string | null;
            isMined: boolean;
            /** @description `open`: the payout is final but paid nobody, and waits for a decision. */
            unpaid: string | null;
            attempts: number;
            createdAt: components["schemas"]["DateTime"];
        };
        OperatorEvent: {
            id: components["schemas"]["EventId"];
            type: string;
            createdAt: components["schemas"]["DateTime"];
        };
        Decision: {
            /** @description The number of the decision. Pass it as `after` to read the earlier ones. */
            seq: string;
            decisionId: components["schemas"]["Uuid"];
            decidedAt: components["schemas"]["DateTime"];
            /** @description The wallet of the proposer, or the name of the operator in the shell. */
            decidedBy: string;
            approvedBy: components["schemas"]["Address"] | null;
            /** @description The command with its arguments, as the operators signed it. */
            command: string;
            subject: string;
            reason: string;
            /** @description Whether the operator used the shell, without a signature. */
            isBreakGlass: boolean;
            proof: {
                [key: string]: unknown;
            } | null;
        };
        /** @description The card transaction, deposit or withdrawal that moved the money. The gas of a return has the type `withdrawal` and the id of the return. */
        MovementCause: {
            /** @enum {string} */
            type: "cardTransaction" | "deposit" | "withdrawal";
            id: components["schemas"]["Uuid"];
        };
        MovementSummary: {
            seq: string;
            kind: string;
            cause: components["schemas"]["MovementCause"];
            createdAt: components["schemas"]["DateTime"];
        };
        Movement: components["schemas"]["MovementSummary"] & {
            postings: components["schemas"]["Posting"][];
            seal: {
                firstSeq: string;
                lastSeq: string;
                sealedAt: components["schemas"]["DateTime"];
                hash: string;
                /** @description Whether the movement is the one that was sealed. */
                isIntact: boolean;
            } | null;
        };
        /** @description Token units. */
        LedgerAccounts: {
            available: string;
            held: string;
            frozen: string;
            deposit_processing: string;
            withdrawal_processing: string;
            debt: string;
            network: string;
            unfinal: string;
            chain: string;
            gas: string;
            loss: string;
        };
        TokenLedgerAccounts: {
            token: string;
            symbol: string | null;
            decimals: number | null;
            accounts: components["schemas"]["LedgerAccounts"];
        };
        ReconcileRun: {
            runId: components["schemas"]["Uuid"];
            startedAt: components["schemas"]["DateTime"];
            endedAt: components["schemas"]["DateTime"];
            /** @description No bad row, and no shortfall on a chain. */
            isClean: boolean;
            users: number;
            movements: number;
            postings: number;
            items: number;
            records: number;
            badUsers: number;
            badRows: number;
            firstBadRows: {
                userId: string;
                table: string;
                key: string;
                /** @description The invariant, the expected and the found value. */
                wrong: string;
            }[];
            unsealed: {
                users: number;
                movements: number;
                since: components["schemas"]["DateTime"] | null;
            };
            totals: {
                token: string;
                accounts: components["schemas"]["LedgerAccounts"];
            }[];
            custody: {
                chainId: number;
                token: string;
                block: number;
                isShort: boolean;
                books: string;
                maxOutgoing: string;
                wallets: string;
                depositAddresses: string;
                surplus: string;
            }[] | null;
        };
        BadRow: {
            table: string;
            key: string;
            /** @description The invariant, the expected and the found value. */
            wrong: string;
        };
        WaitingWork: {
            /** @enum {string} */
            work: "reviews" | "deferredMessages" | "depositsWaiting" | "depositsFrozen" | "arrivalsUnknown" | "payoutsOpen" | "payoutsUnpaid" | "payoutsUnassigned" | "webhooksDead" | "partnersPending" | "proposalsOpen" | "badRows" | "switchesOff";
            count: number;
            /** @description Whether more than `count` items wait. Counting stops at 1,000. */
            isMore: boolean;
            oldestAt: components["schemas"]["DateTime"] | null;
            /** @description The list of this work. */
            path: string;
        };
        WatchedChain: {
            chainId: number;
            seenBlock: string;
            finalBlock: string;
            /** @description Whether a process holds the lease of the chain. */
            isWatched: boolean;
            updatedAt: components["schemas"]["DateTime"];
            treasury: string | null;
            factory: {
                address: string;
                deployment: {
                    to: string;
                    data: string;
                } | null;
            } | null;
            payoutWallets: {
                address: string;
                /** @description The first nonce that Purser has neither stored nor read from the chain. */
                unreadNonce: string;
            }[];
        };
        Review: {
            /**
             * Format: uuid
             * @description The card transaction or card message to check.
             * @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a
             */
            reviewId: string;
            userId: components["schemas"]["Uuid"];
            kind: string;
            /** @description The status of the card transaction, or `deferred` for a deferred message. */
            status: string;
            currency: string;
            amount: components["schemas"]["Amount"] | null;
            createdAt: components["schemas"]["DateTime"];
        };
        DeadLetter: {
            endpointId: components["schemas"]["Uuid"];
            partnerId: components["schemas"]["Uuid"];
            eventId: components["schemas"]["EventId"];
            type: string;
            attempts: number;
            attemptedAt: components["schemas"]["DateTime"] | null;
            responseStatus: number | null;
            error: string | null;
        };
        PartnerSummary: {
            partnerId: components["schemas"]["Uuid"];
            name: string;
            /** @enum {string} */
            status: "pending" | "active" | "suspended";
            createdAt: components["schemas"]["DateTime"];
        };
        OperatorPartner: components["schemas"]["PartnerSummary"] & {
            /** @description Whether the partner may read cards and statements of its users. */
            readsDetails: boolean;
            members: components["schemas"]["Member"][];
            domains: {
                domain: string;
                environment: string;
                createdAt: components["schemas"]["DateTime"];
                verifiedAt: components["schemas"]["DateTime"] | null;
            }[];
            kycClients: {
                clientId: string;
                createdAt: components["schemas"]["DateTime"];
            }[];
            apiKeys: components["schemas"]["ApiKey"][];
            endpoints: {
                endpointId: components["schemas"]["Uuid"];
                url: string;
                /** @enum {string} */
                status: "enabled" | "disabled";
                failingSince: components["schemas"]["DateTime"] | null;
            }[];
        };
        SignInDomain: {
            domain: string;
            /**
             * Format: uuid
             * @description Null: an operator registered the domain.
             * @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a
             */
            partnerId: string | null;
            createdAt: components["schemas"]["DateTime"];
        };
        KillSwitch: {
            /** @enum {string} */
            name: "payouts" | "card-approvals";
            isOn: boolean;
            changedAt: components["schemas"]["DateTime"] | null;
        };
        SignedReason: {
            reason: components["schemas"]["DecisionReason"];
            signed?: components["schemas"]["DecisionSignature"];
        };
    };
    responses: {
        /** @description The rate limit is exceeded. Wait for the number of seconds in `Retry-After`. */
        RateLimited: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "RATE_LIMITED";
                };
            };
        };
        /** @description The request is invalid. The message names the field. */
        BadRequest2: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ValidationError"] | (components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "BAD_REQUEST" | "INVALID_JSON";
                });
            };
        };
        /** @description The body is too large. */
        PayloadTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "PAYLOAD_TOO_LARGE";
                };
            };
        };
        /** @description The body is not JSON. */
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "UNSUPPORTED_MEDIA_TYPE";
                };
            };
        };
        /** @description A service behind Purser failed. Send the same request again. */
        UpstreamFailure: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "UPSTREAM_FAILURE";
                };
            };
        };
        /**
         * @description `UNAUTHORIZED`: The request carries no access token.
         *
         *     `INVALID_TOKEN`: The access token is invalid.
         *
         *     `TOKEN_EXPIRED`: The access token has expired.
         *
         *     `DOMAIN_NOT_ALLOWED`: The domain of the sign-in is not registered, or its partner is not active.
         *
         *     `DOMAIN_OF_OTHER_PARTNER`: The domain of the sign-in belongs to another partner.
         *
         *     `NOT_REGISTERED`: The wallet belongs to no user yet.
         *
         *     `ACCESS_REVOKED`: The session has ended, the wallet has lost access to this user, or the user is closed.
         */
        Unauthorized7: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "UNAUTHORIZED" | "INVALID_TOKEN" | "TOKEN_EXPIRED" | "DOMAIN_NOT_ALLOWED" | "DOMAIN_OF_OTHER_PARTNER" | "NOT_REGISTERED" | "ACCESS_REVOKED";
                };
            };
        };
        /** @description OK */
        Success200: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Success"];
            };
        };
        /**
         * @description `UNAUTHORIZED`: The request carries no access token.
         *
         *     `INVALID_TOKEN`: The access token is invalid.
         *
         *     `TOKEN_EXPIRED`: The access token has expired.
         *
         *     `DOMAIN_NOT_ALLOWED`: The domain of the sign-in is not registered, or its partner is not active.
         *
         *     `DOMAIN_OF_OTHER_PARTNER`: The domain of the sign-in belongs to another partner.
         *
         *     `ACCESS_REVOKED`: The session has ended, the wallet has lost access to this user, or the user is closed.
         */
        Unauthorized6: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "UNAUTHORIZED" | "INVALID_TOKEN" | "TOKEN_EXPIRED" | "DOMAIN_NOT_ALLOWED" | "DOMAIN_OF_OTHER_PARTNER" | "ACCESS_REVOKED";
                };
            };
        };
        /**
         * @description `WALLET_IN_USE`: The wallet already belongs to a user.
         *
         *     `EMAIL_IN_USE`: The email address already belongs to a user.
         */
        WalletInUse2: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "WALLET_IN_USE" | "EMAIL_IN_USE";
                };
            };
        };
        /** @description `REQUEST_IN_PROGRESS`: A request with this idempotency key is in progress. */
        RequestInProgress: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "REQUEST_IN_PROGRESS";
                };
            };
        };
        /** @description OK */
        UserTerms200: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UserTerms"];
            };
        };
        /** @description OK */
        Account200: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Account"];
            };
        };
        /** @description `ACCOUNT_NOT_FOUND`: The user has no account. */
        AccountNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "ACCOUNT_NOT_FOUND";
                };
            };
        };
        /**
         * @description The request carries no access token. Send Authorization: Bearer <token>.
         *
         *     The access token is invalid. Sign in again.
         *
         *     The access token has expired. Sign in again.
         *
         *     The domain of the sign-in is not registered, or its partner is not active. Sign in at a registered domain.
         *
         *     The domain of the sign-in belongs to another partner. Sign in at a domain of your own partner or of the programme.
         *
         *     The wallet belongs to no user yet. Register with POST /user.
         *
         *     The session has ended, the wallet has lost access to this user, or the user is closed. Sign in again.
         */
        MessageError401: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["MessageError"];
            };
        };
        /** @description `CARD_NOT_FOUND`: The user has no card with this id. */
        CardNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "CARD_NOT_FOUND";
                };
            };
        };
        /**
         * @description `INVALID_CARD_STATUS`: The status of the card does not allow this operation.
         *
         *     `IDEMPOTENCY_KEY_REUSED`: The idempotency key was used with another request.
         */
        InvalidCardStatus2: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "INVALID_CARD_STATUS" | "IDEMPOTENCY_KEY_REUSED";
                };
            };
        };
        /** @description OK */
        CardLimits200: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CardLimits"];
            };
        };
        /** @description `INVALID_CARD_STATUS`: The status of the card does not allow this operation. */
        InvalidCardStatus: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "INVALID_CARD_STATUS";
                };
            };
        };
        /** @description Created */
        Uuid201: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    withdrawalId: components["schemas"]["Uuid"];
                };
            };
        };
        /**
         * @description `ACCOUNT_NOT_ACTIVE`: The account is not active.
         *
         *     `TOKEN_NOT_SUPPORTED`: The token is not supported.
         *
         *     `INSUFFICIENT_FUNDS`: The amount exceeds the spendable balance.
         *
         *     `WITHDRAWAL_TOO_SMALL`: The amount is below the minimum of the token.
         *
         *     `DAILY_LIMIT_EXCEEDED`: The amount exceeds the rest of the daily limit.
         *
         *     `PAYEE_NOT_ON_CHAIN`: The wallet is a contract on a different chain from the token.
         *
         *     `IDEMPOTENCY_KEY_REUSED`: The idempotency key was used with another request.
         */
        AccountNotActive7: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "ACCOUNT_NOT_ACTIVE" | "TOKEN_NOT_SUPPORTED" | "INSUFFICIENT_FUNDS" | "WITHDRAWAL_TOO_SMALL" | "DAILY_LIMIT_EXCEEDED" | "PAYEE_NOT_ON_CHAIN" | "IDEMPOTENCY_KEY_REUSED";
                };
            };
        };
        /** @description `WITHDRAWAL_NOT_FOUND`: No withdrawal has this id. */
        WithdrawalNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "WITHDRAWAL_NOT_FOUND";
                };
            };
        };
        /** @description `IDEMPOTENCY_KEY_REUSED`: The idempotency key was used with another request. */
        IdempotencyKeyReused: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "IDEMPOTENCY_KEY_REUSED";
                };
            };
        };
        /** @description `CARD_TRANSACTION_NOT_FOUND`: The user has no card transaction with this id. */
        CardTransactionNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "CARD_TRANSACTION_NOT_FOUND";
                };
            };
        };
        /**
         * @description `UNAUTHORIZED`: The request carries no access token.
         *
         *     `INVALID_TOKEN`: The access token is invalid.
         *
         *     `TOKEN_EXPIRED`: The access token has expired.
         *
         *     `DOMAIN_NOT_ALLOWED`: The domain of the sign-in is not registered, or its partner is not active.
         *
         *     `DOMAIN_OF_OTHER_PARTNER`: The domain of the sign-in belongs to another partner.
         *
         *     `ACCESS_REVOKED`: The session has ended, the wallet has lost access to this user, or the user is closed.
         *
         *     `INVALID_API_KEY`: The API key is unknown, expired or revoked.
         */
        UnauthorizedOrInvalidApiKey: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "UNAUTHORIZED" | "INVALID_TOKEN" | "TOKEN_EXPIRED" | "DOMAIN_NOT_ALLOWED" | "DOMAIN_OF_OTHER_PARTNER" | "ACCESS_REVOKED" | "INVALID_API_KEY";
                };
            };
        };
        /**
         * @description `NOT_A_MEMBER`: The wallet is not a member of a partner.
         *
         *     `NOT_PERMITTED`: The member's role or the scopes of the API key do not allow this.
         *
         *     `PARTNER_SUSPENDED`: The partner is suspended.
         */
        NotAMember3: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "NOT_A_MEMBER" | "NOT_PERMITTED" | "PARTNER_SUSPENDED";
                };
            };
        };
        /** @description `ALREADY_A_MEMBER`: The wallet is already a member of a partner. */
        AlreadyAMember: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "ALREADY_A_MEMBER";
                };
            };
        };
        /** @description `MEMBER_NOT_FOUND`: The partner has no member with this address. */
        MemberNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "MEMBER_NOT_FOUND";
                };
            };
        };
        /** @description `LAST_OWNER`: The last owner of a partner cannot leave or change role. */
        LastOwner: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "LAST_OWNER";
                };
            };
        };
        /** @description `INVITATION_NOT_FOUND`: No open invitation has this id. */
        InvitationNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "INVITATION_NOT_FOUND";
                };
            };
        };
        /** @description `DOMAIN_NOT_FOUND`: The partner has no claim to this domain. */
        DomainNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "DOMAIN_NOT_FOUND";
                };
            };
        };
        /** @description Created */
        NewApiKey201: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NewApiKey"];
            };
        };
        /** @description `API_KEY_LIMIT_REACHED`: The partner has the maximum number of valid API keys. */
        ApiKeyLimitReached: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "API_KEY_LIMIT_REACHED";
                };
            };
        };
        /** @description `API_KEY_NOT_FOUND`: The partner has no valid API key with this id. */
        ApiKeyNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "API_KEY_NOT_FOUND";
                };
            };
        };
        /** @description `USER_NOT_FOUND`: No user has this id. */
        UserNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "USER_NOT_FOUND";
                };
            };
        };
        /** @description OK */
        WebhookEndpoint200: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WebhookEndpoint"];
            };
        };
        /** @description `ENDPOINT_NOT_FOUND`: The partner has no webhook endpoint with this id. */
        EndpointNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "ENDPOINT_NOT_FOUND";
                };
            };
        };
        /** @description `EVENT_NOT_FOUND`: The partner has no event with this id, or it was deleted: after 30 days, or with its user. */
        EventNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "EVENT_NOT_FOUND";
                };
            };
        };
        /** @description `ENDPOINT_DISABLED`: The webhook endpoint is disabled. */
        EndpointDisabled: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "ENDPOINT_DISABLED";
                };
            };
        };
        /**
         * @description `SANDBOX_UNAUTHORIZED`: Sandbox operations require HTTP Basic authentication.
         *
         *     `SANDBOX_NOT_SHARED`: The sandbox uses the default password, which is public, so its simulator responds only on localhost.
         */
        SandboxUnauthorized2: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "SANDBOX_UNAUTHORIZED" | "SANDBOX_NOT_SHARED";
                };
            };
        };
        /** @description `PARTNER_NOT_FOUND`: No partner has this id. */
        PartnerNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "PARTNER_NOT_FOUND";
                };
            };
        };
        /**
         * @description `USER_NOT_FOUND`: No user has this id.
         *
         *     `ACCOUNT_NOT_FOUND`: The user has no account.
         */
        UserNotFound2: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "USER_NOT_FOUND" | "ACCOUNT_NOT_FOUND";
                };
            };
        };
        /** @description OK */
        CardStatus200: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CardStatus"];
            };
        };
        /** @description `DEPOSIT_NOT_FOUND`: No deposit has this id. */
        DepositNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "DEPOSIT_NOT_FOUND";
                };
            };
        };
        /**
         * @description `CARD_NOT_FOUND`: The user has no card with this id.
         *
         *     `AUTHORIZATION_NOT_FOUND`: The card has no authorization with this code.
         */
        CardNotFound2: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "CARD_NOT_FOUND" | "AUTHORIZATION_NOT_FOUND";
                };
            };
        };
        /** @description OK */
        WholeCardTransactionHistory200: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WholeCardTransactionHistory"];
            };
        };
        /** @description `NO_CHAIN`: No Anvil on this machine is attached. */
        NoChain: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "NO_CHAIN";
                };
            };
        };
        /** @description OK */
        ChainHead200: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ChainHead"];
            };
        };
        /** @description OK */
        DateTime200: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    now: components["schemas"]["DateTime"];
                };
            };
        };
        /** @description The decision. A retry of the event gets the same response. */
        IssuerMessageResponse200: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["IssuerMessageResponse"];
            };
        };
        /**
         * @description `ISSUER_UNAUTHORIZED`: The message is not signed.
         *
         *     `ISSUER_TIMESTAMP_REFUSED`: The timestamp of the signature is more than 300 seconds from now.
         *
         *     `ISSUER_SIGNATURE_REFUSED`: The signature does not match the body, the timestamp and a known key.
         */
        IssuerUnauthorized3: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "ISSUER_UNAUTHORIZED" | "ISSUER_TIMESTAMP_REFUSED" | "ISSUER_SIGNATURE_REFUSED";
                };
            };
        };
        /**
         * @description `EVENT_ID_REUSED`: The event id was used with another body.
         *
         *     `AUTHORIZATION_CODE_USED`: The card already has an authorization with this code.
         */
        EventIdReused2: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "EVENT_ID_REUSED" | "AUTHORIZATION_CODE_USED";
                };
            };
        };
        /** @description `BILLING_AMOUNT_NEEDED`: The message has no billing amount in the currency of the card. */
        BillingAmountNeeded: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "BILLING_AMOUNT_NEEDED";
                };
            };
        };
        /** @description OK */
        Delivery200: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @enum {boolean} */
                    received: true;
                };
            };
        };
        /** @description `CALLBACK_REFUSED`: The callback has no valid, current signature of a known key. */
        CallbackRefused: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "CALLBACK_REFUSED";
                };
            };
        };
        /** @description `OPERATOR_UNAUTHORIZED`: The request carries no open session of an operator. */
        OperatorUnauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "OPERATOR_UNAUTHORIZED";
                };
            };
        };
        /**
         * @description `ORIGIN_NOT_ALLOWED`: The request does not come from the console.
         *
         *     `ROLE_NOT_PERMITTED`: The role of the operator does not allow this.
         */
        OriginNotAllowed2: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "ORIGIN_NOT_ALLOWED" | "ROLE_NOT_PERMITTED";
                };
            };
        };
        /**
         * @description The request is invalid. The message names the field.
         *
         *     `INVALID_CURSOR`: The cursor is malformed or belongs to another list.
         */
        BadRequest3: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ValidationError"] | (components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "BAD_REQUEST" | "INVALID_JSON" | "INVALID_CURSOR";
                });
            };
        };
        /** @description OK */
        PreparedDecision200: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PreparedDecision"];
            };
        };
        /** @description Created */
        Proposal201: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Proposal"];
            };
        };
        /**
         * @description `DECISION_NOT_SIGNED`: The signature does not match the decision and the operator's wallet.
         *
         *     `ORIGIN_NOT_ALLOWED`: The request does not come from the console.
         *
         *     `ROLE_NOT_PERMITTED`: The role of the operator does not allow this.
         */
        DecisionNotSigned3: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "DECISION_NOT_SIGNED" | "ORIGIN_NOT_ALLOWED" | "ROLE_NOT_PERMITTED";
                };
            };
        };
        /**
         * @description `DECISION_USED`: Another operator has already signed this decision.
         *
         *     `STATE_CHANGED`: The subject has changed since its state was signed.
         */
        DecisionUsed2: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "DECISION_USED" | "STATE_CHANGED";
                };
            };
        };
        /** @description `DECISION_EXPIRED`: The decision has expired, or expires in more than 24 hours. */
        DecisionExpired: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "DECISION_EXPIRED";
                };
            };
        };
        /** @description OK */
        OperatorDeposit200: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["OperatorDeposit"][];
                    pagination: components["schemas"]["OperatorPagination"];
                };
            };
        };
        /** @description OK */
        OperatorPayout200: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["OperatorPayout"][];
                    pagination: components["schemas"]["OperatorPagination"];
                };
            };
        };
        /** @description OK */
        Proposal200: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Proposal"];
            };
        };
        /** @description `PROPOSAL_NOT_FOUND`: No proposal has this id. */
        ProposalNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "PROPOSAL_NOT_FOUND";
                };
            };
        };
        /**
         * @description `DECISION_USED`: Another operator has already signed this decision.
         *
         *     `STATE_CHANGED`: The subject has changed since its state was signed.
         *
         *     `USER_NOT_CLOSED`: The user is not closed.
         */
        DecisionUsed3: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "DECISION_USED" | "STATE_CHANGED" | "USER_NOT_CLOSED";
                };
            };
        };
        /** @description `OPERATOR_NOT_FOUND`: No operator has this wallet. */
        OperatorNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PlainError"] & {
                    /** @enum {unknown} */
                    error?: "OPERATOR_NOT_FOUND";
                };
            };
        };
        /** @description The delivery becomes a dead letter, and Purser disables the endpoint. */
        Delivery410: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The event was accepted. Respond within 15 seconds. */
        Delivery2xx: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The event was rejected. The delivery becomes a dead letter, which is not retried unless requested. 408 and 429 are retried. */
        Delivery4xx: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The attempt failed. Purser retries the delivery for three days. */
        DeliveryDefault: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
    };
    parameters: {
        /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
        IdempotencyKey: string;
        /**
         * @description An EVM address. Responses use the EIP-55 form.
         * @example 0xcB444e90D8198415266c6a2724b7900fb12FC56E
         */
        Address: string;
        /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
        CardId: string;
        /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
        WithdrawalId: string;
        /** @description The maximum number of items on the page. */
        Limit: number;
        /** @description `pagination.nextCursor` of the previous page. */
        Cursor: string;
        /** @description Inclusive. A bare date such as `2026-01-31` means its first instant (UTC). */
        StartDate: string;
        /** @description Inclusive. A bare date such as `2026-01-31` means its last instant (UTC). */
        EndDate: string;
        /** @description Only items of this type. */
        Type: "card_transaction" | "deposit" | "withdrawal";
        /** @description Only card transactions of this card. */
        UserMovementsCardId: string;
        /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
        CardTransactionId: string;
        PartnersLimit: number;
        /** @description The entries that come first. */
        Order: "oldest" | "newest";
        Action: string;
        Actor: string;
        /** @description Such as the id of a user. */
        Subject: string;
        /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
        InvitationId: string;
        Domain: string;
        /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
        KeyId: string;
        /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
        UserId: string;
        /** @description Only card transactions of this card. */
        PartnersCardId: string;
        /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
        EndpointId: string;
        WebhooksLimit: number;
        WebhooksType: components["schemas"]["EventType"];
        WebhooksUserId: string;
        /**
         * @description Identifies the event in every delivery and retry. Ignore an event whose id you have already processed.
         * @example evt_01a1fc4ef39c748ab04f9ca8209a4d4a
         */
        EventId: string;
        /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
        DepositId: string;
        OperatorLimit: number;
        /** @description `pagination.nextCursor` of the previous page. */
        OperatorCursor: string;
        OperatorUserId: string;
        /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
        PartnerId: string;
        /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
        ProposalId: string;
        /** @description Id of the event. */
        WebhookId: string;
        /** @description Time of this attempt in Unix seconds. */
        WebhookTimestamp: string;
        /** @description Standard Webhooks signatures of `<id>.<timestamp>.<body>`, separated by spaces: `v1a,` followed by the Ed25519 signature, and `v1,` followed by the HMAC-SHA256, both in base64. During a key rotation, the old keys add their own pairs. */
        WebhookSignature: string;
        /** @description The same value as `webhook-timestamp`. */
        XWebhookTimestamp: string;
        /** @description Ed25519 signature of `<timestamp>.<body>` by the newest key, in base64. */
        XWebhookSignature: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "health.get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok" | "unavailable";
                    };
                };
            };
        };
    };
    "health.getReadiness": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service is ready. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok" | "unavailable";
                    };
                };
            };
            /** @description The service is not ready. Try again later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok" | "unavailable";
                    };
                };
            };
        };
    };
    "health.getMetrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics in the Prometheus text format. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description `METRICS_UNAUTHORIZED`: The metrics need their own token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "METRICS_UNAUTHORIZED";
                    };
                };
            };
        };
    };
    "health.getSecurityText": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The contact, and the time until which it is valid. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description `NOT_FOUND`: No operation has this path. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "NOT_FOUND";
                    };
                };
            };
        };
    };
    "programme.get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Programme"];
                };
            };
        };
    };
    "auth.createNonce": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The nonce. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            429: components["responses"]["RateLimited"];
        };
    };
    "auth.createToken": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The EIP-4361 message exactly as it was signed.
                     * @example localhost:3000 wants you to sign in with your Ethereum account:
                     *     0xcB444e90D8198415266c6a2724b7900fb12FC56E
                     *
                     *
                     *     URI: http://localhost:3000/
                     *     Version: 1
                     *     Chain ID: 1
                     *     Nonce: n0a1b2c3d4e5f60718293a4b5c6d7e8f0a1b2c3d4e5f60718293a4b5c6d7e8f0a
                     *     Issued At: 2026-01-31T09:30:00.000Z
                     */
                    message: string;
                    /** @description The 65-byte signature of an externally owned account, or the bytes that the contract at the address accepts (EIP-1271). The signature of a contract that is not deployed yet is wrapped as ERC-6492 defines. */
                    signature: string;
                    /**
                     * @description The validity of the access token, in seconds.
                     * @default 3600
                     */
                    ttlInSeconds?: number;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description A JWT for the header `Authorization: Bearer`.
                         * @example eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJjaGFpbklkIjoiMSJ9.c2lnbmVk
                         */
                        token: string;
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            /**
             * @description `INVALID_NONCE`: The nonce was not issued by this service.
             *
             *     `NONCE_EXPIRED`: The nonce has expired.
             *
             *     `NONCE_USED`: The nonce has already been used.
             *
             *     `DOMAIN_NOT_ALLOWED`: The domain of the sign-in is not registered, or its partner is not active.
             *
             *     `DOMAIN_OF_OTHER_PARTNER`: The domain of the sign-in belongs to another partner.
             *
             *     `MESSAGE_EXPIRED`: The sign-in message has expired.
             *
             *     `MESSAGE_NOT_YET_VALID`: The sign-in message is not valid yet.
             *
             *     `INVALID_SIGNATURE`: The signature does not match the address in the sign-in message.
             *
             *     `CHAIN_NOT_SUPPORTED`: Contract signatures cannot be verified on the chain in the sign-in message.
             */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInError"] & {
                        /** @enum {unknown} */
                        error?: "INVALID_NONCE" | "NONCE_EXPIRED" | "NONCE_USED" | "DOMAIN_NOT_ALLOWED" | "DOMAIN_OF_OTHER_PARTNER" | "MESSAGE_EXPIRED" | "MESSAGE_NOT_YET_VALID" | "INVALID_SIGNATURE" | "CHAIN_NOT_SUPPORTED";
                    };
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "sessions.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /**
                             * Format: uuid
                             * @description The claim `jti` of its access tokens.
                             * @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a
                             */
                            sessionId: string;
                            address: components["schemas"]["Address"];
                            /** @description The domain of the sign-in message, which the wallet signed. */
                            domain: string;
                            signedInAt: components["schemas"]["DateTime"];
                            expiresAt: components["schemas"]["DateTime"];
                            /** @description Whether the access token of this request belongs to the session. */
                            isCurrent: boolean;
                        }[];
                    };
                };
            };
            401: components["responses"]["Unauthorized7"];
        };
    };
    "auth.logOut": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Success200"];
            401: components["responses"]["Unauthorized6"];
        };
    };
    "auth.logOutEverywhere": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Success200"];
            401: components["responses"]["Unauthorized6"];
        };
    };
    "auth.getKeySet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description JSON Web Key Set, RFC 7517 */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        keys: {
                            kty: string;
                            crv: string;
                            x: string;
                            y: string;
                            kid: string;
                            alg: string;
                            use: string;
                        }[];
                    };
                };
            };
        };
    };
    "user.sendEmailCode": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: email
                     * @example ada@example.org
                     */
                    email: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @description The code. Returned only in the sandbox. */
                        otp?: string;
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized6"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "user.get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            401: components["responses"]["Unauthorized7"];
        };
    };
    "user.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: email
                     * @example ada@example.org
                     */
                    email: string;
                    /**
                     * @description The code sent by email.
                     * @example 123456
                     */
                    otp: string;
                    /**
                     * @description A partner's share token, which imports a completed identity verification. An invalid token is ignored. In the sandbox, use `sandbox-` and a country code.
                     * @example sandbox-DE
                     */
                    shareToken?: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        userId: components["schemas"]["Uuid"];
                        accessToken: string;
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized6"];
            409: components["responses"]["WalletInUse2"];
            /** @description `INVALID_OTP`: The code is wrong, expired or already used. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "INVALID_OTP";
                    };
                };
            };
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "user.getOnboarding": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "action_accept_tos" | "waiting_kyc_setup" | "action_complete_kyc" | "kyc_manual_review" | "action_kyc_resubmission_requested" | "action_complete_sof" | "action_create_account" | "waiting_account_setup" | "completed" | "rejected";
                        /** @description The page where the user verifies their identity. */
                        webSdkUrl?: string;
                    };
                };
            };
            401: components["responses"]["Unauthorized7"];
            429: components["responses"]["RateLimited"];
        };
    };
    "owners.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            address: components["schemas"]["Address"];
                            createdAt: components["schemas"]["DateTime"];
                        }[];
                    };
                };
            };
            401: components["responses"]["Unauthorized7"];
        };
    };
    "owners.add": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The EIP-4361 message that the new wallet signed. */
                    message: string;
                    signature: string;
                    approval: components["schemas"]["OwnerApproval"];
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        address: components["schemas"]["Address"];
                    };
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        address: components["schemas"]["Address"];
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized7"];
            /**
             * @description `WALLET_IN_USE`: The wallet already belongs to a user.
             *
             *     `REQUEST_IN_PROGRESS`: A request with this idempotency key is in progress.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "WALLET_IN_USE" | "REQUEST_IN_PROGRESS";
                    };
                };
            };
            /**
             * @description `WALLET_NOT_PROVEN`: The message of the new wallet is invalid, expired, for another domain, or does not name this user.
             *
             *     `OWNER_NOT_APPROVED`: No current owner has signed a valid message that approves this change.
             *
             *     `OWNER_LIMIT_REACHED`: The user has the maximum number of owners.
             *
             *     `IDEMPOTENCY_KEY_REUSED`: The idempotency key was used with another request.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "WALLET_NOT_PROVEN" | "OWNER_NOT_APPROVED" | "OWNER_LIMIT_REACHED" | "IDEMPOTENCY_KEY_REUSED";
                    };
                };
            };
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "owners.remove": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description An EVM address. Responses use the EIP-55 form.
                 * @example 0xcB444e90D8198415266c6a2724b7900fb12FC56E
                 */
                address: components["parameters"]["Address"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    approval: components["schemas"]["OwnerApproval"];
                };
            };
        };
        responses: {
            200: components["responses"]["Success200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized7"];
            /** @description `OWNER_NOT_FOUND`: The user has no owner with this address. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "OWNER_NOT_FOUND";
                    };
                };
            };
            409: components["responses"]["RequestInProgress"];
            /**
             * @description `OWNER_NOT_APPROVED`: No current owner has signed a valid message that approves this change.
             *
             *     `LAST_WALLET`: The last owner cannot be removed.
             *
             *     `IDEMPOTENCY_KEY_REUSED`: The idempotency key was used with another request.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "OWNER_NOT_APPROVED" | "LAST_WALLET" | "IDEMPOTENCY_KEY_REUSED";
                    };
                };
            };
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "user.close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    approval: components["schemas"]["OwnerApproval"];
                };
            };
        };
        responses: {
            200: components["responses"]["Success200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized7"];
            /**
             * @description `ACCOUNT_NOT_EMPTY`: The account still has funds, holds, debt, or deposits or withdrawals in progress.
             *
             *     `OWNER_NOT_APPROVED`: No current owner has signed a valid message that approves this change.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "ACCOUNT_NOT_EMPTY" | "OWNER_NOT_APPROVED";
                    };
                };
            };
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "terms.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        terms: {
                            /** @example general */
                            type: string;
                            /** @example 1 */
                            version: string;
                            url: string;
                        }[];
                    };
                };
            };
            401: components["responses"]["Unauthorized6"];
        };
    };
    "terms.listAccepted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["UserTerms200"];
            401: components["responses"]["Unauthorized7"];
        };
    };
    "terms.accept": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    terms: {
                        /** @example general */
                        type: string;
                        /** @example 1 */
                        version: string;
                    }[];
                };
            };
        };
        responses: {
            200: components["responses"]["UserTerms200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized7"];
            /**
             * @description `UNKNOWN_TERMS`: A type or version of the terms is not current.
             *
             *     `IDEMPOTENCY_KEY_REUSED`: The idempotency key was used with another request.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "UNKNOWN_TERMS" | "IDEMPOTENCY_KEY_REUSED";
                    };
                };
            };
        };
    };
    "sourceOfFunds.get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            question: string;
                            answers: string[];
                        }[];
                    };
                };
            };
            401: components["responses"]["Unauthorized7"];
        };
    };
    "sourceOfFunds.answer": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @example [
                     *       {
                     *         "question": "What is your employment status?",
                     *         "answer": "Employed"
                     *       },
                     *       {
                     *         "question": "Where does the money for your account come from?",
                     *         "answer": "Salary"
                     *       },
                     *       {
                     *         "question": "What is your yearly income?",
                     *         "answer": "Less than 20,000"
                     *       },
                     *       {
                     *         "question": "How much do you expect to spend in a month?",
                     *         "answer": "Less than 1,000"
                     *       },
                     *       {
                     *         "question": "What will you use the account for?",
                     *         "answer": "Daily purchases"
                     *       }
                     *     ]
                     */
                    answers: {
                        question: string;
                        answer: string;
                    }[];
                };
            };
        };
        responses: {
            200: components["responses"]["Success200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized7"];
            /**
             * @description `INVALID_SOURCE_OF_FUNDS`: The answers do not match the questionnaire.
             *
             *     `IDEMPOTENCY_KEY_REUSED`: The idempotency key was used with another request.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "INVALID_SOURCE_OF_FUNDS" | "IDEMPOTENCY_KEY_REUSED";
                    };
                };
            };
        };
    };
    "account.get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Account200"];
            401: components["responses"]["Unauthorized7"];
            404: components["responses"]["AccountNotFound"];
        };
    };
    "account.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Account200"];
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized7"];
            /**
             * @description `ONBOARDING_INCOMPLETE`: An earlier onboarding step is incomplete.
             *
             *     `IDEMPOTENCY_KEY_REUSED`: The idempotency key was used with another request.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "ONBOARDING_INCOMPLETE" | "IDEMPOTENCY_KEY_REUSED";
                    };
                };
            };
        };
    };
    "kyc.share": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The KYC client that may use the share token.
                     * @example partner.example_1
                     */
                    forClientId: string;
                    /**
                     * @description Lifetime of the token in seconds.
                     * @default 600
                     */
                    ttlInSecs?: number;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @example c2hhcmUtdG9rZW4 */
                        token: string;
                        /**
                         * @description The KYC client that may use the share token.
                         * @example partner.example_1
                         */
                        forClientId: string;
                    };
                };
            };
            /**
             * @description The request is invalid. The message names the field.
             *
             *     forClientId is not a known KYC client. Use the id of a registered KYC client.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageError"];
                };
            };
            401: components["responses"]["MessageError401"];
            /** @description Identity verification is not approved. Complete it before you share it. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageError"];
                };
            };
            /** @description The rate limit is exceeded. Wait for the number of seconds in `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageError"];
                };
            };
            /** @description A service behind Purser failed. Send the same request again. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerError"];
                };
            };
        };
    };
    "ibans.getAvailability": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            available: boolean;
                        };
                    };
                };
            };
            401: components["responses"]["MessageError401"];
        };
    };
    "ibans.getSigningMessage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @example I hereby declare that I am the address owner. */
                            message: string;
                        };
                    };
                };
            };
            401: components["responses"]["MessageError401"];
        };
    };
    "ibans.activate": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Signature of the signing message by the signed-in wallet. */
                    signature: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @enum {boolean} */
                            success: true;
                        };
                    };
                };
            };
            /** @description The request is invalid. The message names the field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageError"];
                };
            };
            401: components["responses"]["MessageError401"];
            /**
             * @description The user is not eligible for an IBAN. Check with GET /api/v1/ibans/available first.
             *
             *     The idempotency key was used with another request. Use a new key for each request.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageError"];
                };
            };
        };
    };
    "ibans.get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @example IS140159260076545510730339 */
                            iban: string | null;
                            bic: string | null;
                            /** @enum {string} */
                            ibanStatus: "NOTSTARTED" | "PENDING" | "ASSIGNED";
                            /**
                             * @description The wallet that receives the euros.
                             * @example 0xcB444e90D8198415266c6a2724b7900fb12FC56E
                             */
                            address: string | null;
                        };
                    };
                };
            };
            401: components["responses"]["MessageError401"];
        };
    };
    "cards.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description 1 to 50 characters after trimming.
                     * @example Travel
                     */
                    cardName: string;
                    /**
                     * @description Phone number in E.164. Required for the first card, which creates the cardholder. Later, it is ignored unless all cards were canceled and the processor has rejected each of them.
                     * @example +4915123456789
                     */
                    phone?: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        cardId: components["schemas"]["Uuid"];
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized7"];
            409: components["responses"]["RequestInProgress"];
            /**
             * @description `PHONE_REQUIRED`: The first card requires a phone number.
             *
             *     `ACCOUNT_NOT_ACTIVE`: The account is not active.
             *
             *     `KYC_NOT_APPROVED`: Identity verification is not approved.
             *
             *     `CARD_LIMIT_REACHED`: The user has the maximum number of live cards.
             *
             *     `IDEMPOTENCY_KEY_REUSED`: The idempotency key was used with another request.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "PHONE_REQUIRED" | "ACCOUNT_NOT_ACTIVE" | "KYC_NOT_APPROVED" | "CARD_LIMIT_REACHED" | "IDEMPOTENCY_KEY_REUSED";
                    };
                };
            };
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "cards.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Card"][];
                    };
                };
            };
            401: components["responses"]["Unauthorized7"];
        };
    };
    "cards.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                cardId: components["parameters"]["CardId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The card. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Card"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized7"];
            404: components["responses"]["CardNotFound"];
        };
    };
    "cards.rename": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                cardId: components["parameters"]["CardId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description 1 to 50 characters after trimming.
                     * @example Travel
                     */
                    cardName: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Card"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized7"];
            404: components["responses"]["CardNotFound"];
        };
    };
    "cards.block": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                cardId: components["parameters"]["CardId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        cardId: components["schemas"]["Uuid"];
                        /** @enum {string} */
                        status: "blocked";
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized7"];
            404: components["responses"]["CardNotFound"];
            422: components["responses"]["InvalidCardStatus2"];
        };
    };
    "cards.unblock": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                cardId: components["parameters"]["CardId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        cardId: components["schemas"]["Uuid"];
                        /** @enum {string} */
                        status: "active";
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized7"];
            /** @description `BLOCKED_BY_ISSUER`: The issuer or compliance has also blocked the card. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "BLOCKED_BY_ISSUER";
                    };
                };
            };
            404: components["responses"]["CardNotFound"];
            422: components["responses"]["InvalidCardStatus2"];
        };
    };
    "cards.cancel": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                cardId: components["parameters"]["CardId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        cardId: components["schemas"]["Uuid"];
                        /** @enum {string} */
                        status: "canceled";
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized7"];
            404: components["responses"]["CardNotFound"];
            422: components["responses"]["InvalidCardStatus2"];
        };
    };
    "cards.report": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                cardId: components["parameters"]["CardId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    reason: "lost" | "stolen";
                    /**
                     * @description Creates a new card.
                     * @default false
                     */
                    replacement?: boolean;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        cardId: components["schemas"]["Uuid"];
                        /** @enum {string} */
                        status: "lost" | "stolen";
                        /**
                         * Format: uuid
                         * @description null: no replacement was requested, or the user may not create a card now.
                         * @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a
                         */
                        replacementCardId: string | null;
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized7"];
            404: components["responses"]["CardNotFound"];
            422: components["responses"]["InvalidCardStatus2"];
            429: components["responses"]["RateLimited"];
        };
    };
    "cards.getLimits": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                cardId: components["parameters"]["CardId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["CardLimits200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized7"];
            404: components["responses"]["CardNotFound"];
        };
    };
    "cards.setLimits": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                cardId: components["parameters"]["CardId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example 10000 */
                    perTransaction: string | null;
                    /** @example 10000 */
                    daily: string | null;
                };
            };
        };
        responses: {
            200: components["responses"]["CardLimits200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized7"];
            404: components["responses"]["CardNotFound"];
            /** @description `LIMIT_ABOVE_PROGRAMME`: The limit exceeds the programme's limit. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "LIMIT_ABOVE_PROGRAMME";
                    };
                };
            };
        };
    };
    "phone.get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description E.164
                         * @example +4915123456789
                         */
                        phone: string;
                        /**
                         * @description Calling code, digits only.
                         * @example 49
                         */
                        countryCode: string;
                    };
                };
            };
            401: components["responses"]["Unauthorized7"];
            /** @description `PHONE_NOT_FOUND`: No phone number is available, because no card has been created. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "PHONE_NOT_FOUND";
                    };
                };
            };
        };
    };
    "cardViews.getChallenge": {
        parameters: {
            query: {
                /** @description The data to show: number, expiry and security code, or the PIN. */
                action: "view-details" | "view-pin";
            };
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                cardId: components["parameters"]["CardId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        domain: {
                            name: string;
                            version: string;
                            /** @description The chain of the sign-in. Contract signatures are checked there. */
                            chainId: number;
                        };
                        /** @enum {string} */
                        primaryType: "Message";
                        types: {
                            Message: {
                                name: string;
                                type: string;
                            }[];
                        };
                        message: {
                            /** @description The text that the wallet shows to its owner. */
                            authorization: string;
                            /** @description A uint256 in decimal. Convert it to a BigInt before signing. */
                            nonce: string;
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized7"];
            404: components["responses"]["CardNotFound"];
            422: components["responses"]["InvalidCardStatus"];
        };
    };
    "cardViews.create": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                cardId: components["parameters"]["CardId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The data to show: number, expiry and security code, or the PIN.
                     * @enum {string}
                     */
                    action: "view-details" | "view-pin";
                    /** @description `message.nonce` of the challenge, in decimal. */
                    nonce: string;
                    signature: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        ephemeralToken: string;
                        expiresAt: components["schemas"]["DateTime"];
                        /** @description The token is in the fragment, which browsers never send to a server. */
                        frameUrl: string;
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized7"];
            /**
             * @description `INVALID_CHALLENGE`: The challenge was not issued for this wallet, card and action.
             *
             *     `CHALLENGE_EXPIRED`: The challenge has expired.
             *
             *     `CHALLENGE_USED`: The challenge has already been used.
             *
             *     `CHALLENGE_NOT_SIGNED`: The signature does not match the challenge and the wallet that signed in.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "INVALID_CHALLENGE" | "CHALLENGE_EXPIRED" | "CHALLENGE_USED" | "CHALLENGE_NOT_SIGNED";
                    };
                };
            };
            404: components["responses"]["CardNotFound"];
            422: components["responses"]["InvalidCardStatus"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "deposits.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            txHash: components["schemas"]["TxHash"];
                            amount: components["schemas"]["Amount"];
                            /**
                             * @description The token's symbol.
                             * @example EURe
                             */
                            currency: string;
                            /** @enum {string} */
                            status: "pending" | "approved" | "rejected";
                            createdAt: components["schemas"]["DateTime"];
                            kytBreakdown: {
                                /**
                                 * @description `pending`: there is no screening result yet.
                                 * @enum {string}
                                 */
                                result: "pending" | "approved" | "rejected";
                                /**
                                 * Format: int32
                                 * @example 0
                                 * @example 5
                                 */
                                riskScore: number;
                                /**
                                 * @example unknown
                                 * @example low
                                 */
                                riskTier: string;
                            };
                        }[];
                    };
                };
            };
            401: components["responses"]["Unauthorized7"];
            404: components["responses"]["AccountNotFound"];
        };
    };
    "withdrawals.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WithdrawalRequest"];
            };
        };
        responses: {
            201: components["responses"]["Uuid201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized7"];
            404: components["responses"]["AccountNotFound"];
            422: components["responses"]["AccountNotActive7"];
            429: components["responses"]["RateLimited"];
        };
    };
    "withdrawals.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            txHash: components["schemas"]["TxHash"];
                            amount: components["schemas"]["Amount"];
                            /**
                             * @description The token's symbol.
                             * @example EURe
                             */
                            currency: string;
                            createdAt: components["schemas"]["DateTime"];
                        }[];
                    };
                };
            };
            401: components["responses"]["Unauthorized7"];
            404: components["responses"]["AccountNotFound"];
        };
    };
    "withdrawals.createAlias": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WithdrawalRequest"];
            };
        };
        responses: {
            201: components["responses"]["Uuid201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized7"];
            404: components["responses"]["AccountNotFound"];
            422: components["responses"]["AccountNotActive7"];
            429: components["responses"]["RateLimited"];
        };
    };
    "withdrawals.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                withdrawalId: components["parameters"]["WithdrawalId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WithdrawalItem"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized7"];
            404: components["responses"]["WithdrawalNotFound"];
        };
    };
    "withdrawals.cancel": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                withdrawalId: components["parameters"]["WithdrawalId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        withdrawalId: components["schemas"]["Uuid"];
                        /** @enum {string} */
                        status: "failed";
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized7"];
            404: components["responses"]["WithdrawalNotFound"];
            /** @description `WITHDRAWAL_NOT_CANCELABLE`: The withdrawal is being paid or was paid, or earlier payouts are still being checked. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "WITHDRAWAL_NOT_CANCELABLE";
                    };
                };
            };
            422: components["responses"]["IdempotencyKeyReused"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "balances.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @example EUR */
                            currency: string;
                            /** @example 18 */
                            decimals: number;
                            /**
                             * @description The amount that can be spent or withdrawn now. Dust below the minor unit of the currency is omitted.
                             * @example 1250
                             */
                            spendable: string;
                            nonSpendable: components["schemas"]["Amount"];
                            processingDeposits: components["schemas"]["Amount"];
                            /**
                             * @description Requested withdrawals that are not yet final on the chain.
                             * @example 1250
                             */
                            processingWithdrawals: string;
                            tokens: {
                                token: components["schemas"]["Address"];
                                /** @example 18 */
                                decimals: number;
                                /**
                                 * @description The amount that can be spent or withdrawn now.
                                 * @example 1250
                                 */
                                spendable: string;
                                /**
                                 * @description The amount of deposits that screening refused.
                                 * @example 1250
                                 */
                                nonSpendable: string;
                                /**
                                 * @description Deposits seen on the chain that are not yet final and screened.
                                 * @example 1250
                                 */
                                processingDeposits: string;
                                /**
                                 * @description The maximum amount that a withdrawal pays out immediately.
                                 * @example 1250
                                 */
                                maxInstantWithdraw: string;
                            }[];
                        }[];
                    };
                };
            };
            401: components["responses"]["Unauthorized7"];
            404: components["responses"]["AccountNotFound"];
        };
    };
    "statement.list": {
        parameters: {
            query?: {
                /** @description The maximum number of items on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description `pagination.nextCursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description Inclusive. A bare date such as `2026-01-31` means its first instant (UTC). */
                startDate?: components["parameters"]["StartDate"];
                /** @description Inclusive. A bare date such as `2026-01-31` means its last instant (UTC). */
                endDate?: components["parameters"]["EndDate"];
                /** @description Only items of this type. */
                type?: components["parameters"]["Type"];
                /** @description Only card transactions of this card. */
                cardId?: components["parameters"]["UserMovementsCardId"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the statement. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatementPage"];
                    "text/csv": string;
                };
            };
            /** @description The request is invalid. Errors of kind `business` are `INVALID_CURSOR`, `CURSOR_MISMATCH` (the filters differ from those of the cursor) and `INVALID_DATE_RANGE`. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["BusinessError"];
                };
            };
            401: components["responses"]["Unauthorized7"];
            404: components["responses"]["AccountNotFound"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "cardTransactions.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                cardTransactionId: components["parameters"]["CardTransactionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CardTransactionHistory"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized7"];
            404: components["responses"]["CardTransactionNotFound"];
        };
    };
    "partner.get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        partnerId: components["schemas"]["Uuid"];
                        name: string;
                        /**
                         * @description `pending`: the partner waits for the programme's approval. Its domains, KYC clients and webhooks have an effect only while it is `active`.
                         * @enum {string}
                         */
                        status: "pending" | "active" | "suspended";
                        createdAt: components["schemas"]["DateTime"];
                        permissions: ("partner:read" | "members:write" | "domains:write" | "kyc-clients:write" | "keys:write" | "webhooks:write" | "events:read" | "users:read" | "users:details" | "audit:read")[];
                    };
                };
            };
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
        };
    };
    "partner.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NamedPartner"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Partner"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized6"];
            409: components["responses"]["AlreadyAMember"];
            429: components["responses"]["RateLimited"];
        };
    };
    "partner.rename": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NamedPartner"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Partner"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
        };
    };
    "partner.users.list": {
        parameters: {
            query?: {
                limit?: components["parameters"]["PartnersLimit"];
                /** @description Returns the users after this user id. */
                after?: string;
                /** @description The entries that come first. */
                order?: components["parameters"]["Order"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            userId: components["schemas"]["Uuid"];
                            createdAt: components["schemas"]["DateTime"];
                        }[];
                        pagination: {
                            hasNext: boolean;
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
        };
    };
    "partner.audit.list": {
        parameters: {
            query?: {
                limit?: components["parameters"]["PartnersLimit"];
                /** @description Returns the entries that follow this `seq`. */
                after?: string;
                /** @description The entries that come first. */
                order?: components["parameters"]["Order"];
                action?: components["parameters"]["Action"];
                actor?: components["parameters"]["Actor"];
                /** @description Such as the id of a user. */
                subject?: components["parameters"]["Subject"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AuditEntry"][];
                        pagination: {
                            hasNext: boolean;
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
        };
    };
    "partner.members.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Member"][];
                    };
                };
            };
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
        };
    };
    "partner.members.remove": {
        parameters: {
            query?: {
                /** @description `true` keeps the member's API keys. Only an owner may keep them. */
                keepKeys?: "true" | "false";
            };
            header?: never;
            path: {
                /**
                 * @description An EVM address. Responses use the EIP-55 form.
                 * @example 0xcB444e90D8198415266c6a2724b7900fb12FC56E
                 */
                address: components["parameters"]["Address"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @description The valid API keys that the member had created, now revoked unless `keepKeys` is `true`. */
                        apiKeys: components["schemas"]["ApiKey"][];
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
            404: components["responses"]["MemberNotFound"];
            409: components["responses"]["LastOwner"];
        };
    };
    "partner.members.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description An EVM address. Responses use the EIP-55 form.
                 * @example 0xcB444e90D8198415266c6a2724b7900fb12FC56E
                 */
                address: components["parameters"]["Address"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    role: "owner" | "developer" | "viewer";
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
            404: components["responses"]["MemberNotFound"];
            409: components["responses"]["LastOwner"];
        };
    };
    "partner.invitations.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Invitation"][];
                    };
                };
            };
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
        };
    };
    "partner.invitations.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "address": "0xcB444e90D8198415266c6a2724b7900fb12FC56E",
                 *       "role": "developer"
                 *     }
                 */
                "application/json": {
                    address: components["schemas"]["Address"];
                    /** @enum {string} */
                    role: "owner" | "developer" | "viewer";
                    /** @description Chain of a contract wallet. A contract on another chain cannot accept. */
                    chainId?: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
            409: components["responses"]["AlreadyAMember"];
            /**
             * @description `INVITATION_LIMIT_REACHED`: The partner has the maximum number of open invitations.
             *
             *     `IDEMPOTENCY_KEY_REUSED`: The idempotency key was used with another request.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "INVITATION_LIMIT_REACHED" | "IDEMPOTENCY_KEY_REUSED";
                    };
                };
            };
        };
    };
    "partner.invitations.revoke": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                invitationId: components["parameters"]["InvitationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Success200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
            404: components["responses"]["InvitationNotFound"];
        };
    };
    "invitations.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            invitationId: components["schemas"]["Uuid"];
                            partnerId: components["schemas"]["Uuid"];
                            /** @description The name that the partner chose for itself. */
                            partnerName: string;
                            /** @enum {string} */
                            role: "owner" | "developer" | "viewer";
                            createdAt: components["schemas"]["DateTime"];
                            expiresAt: components["schemas"]["DateTime"];
                        }[];
                    };
                };
            };
            401: components["responses"]["Unauthorized6"];
        };
    };
    "invitations.accept": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                invitationId: components["parameters"]["InvitationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        partnerId: components["schemas"]["Uuid"];
                        address: components["schemas"]["Address"];
                        /** @enum {string} */
                        role: "owner" | "developer" | "viewer";
                        createdAt: components["schemas"]["DateTime"];
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized6"];
            404: components["responses"]["InvitationNotFound"];
            409: components["responses"]["AlreadyAMember"];
        };
    };
    "invitations.decline": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                invitationId: components["parameters"]["InvitationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Success200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized6"];
            404: components["responses"]["InvitationNotFound"];
        };
    };
    "partner.domains.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Domain"][];
                    };
                };
            };
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
        };
    };
    "partner.domains.claim": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example app.example.com */
                    domain: string;
                    /** @enum {string} */
                    environment: "sandbox" | "production";
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
            /** @description `DOMAIN_CLAIMED`: The partner has already claimed this domain. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "DOMAIN_CLAIMED";
                    };
                };
            };
            /**
             * @description `DOMAIN_LIMIT_REACHED`: The partner has the maximum number of domains.
             *
             *     `IDEMPOTENCY_KEY_REUSED`: The idempotency key was used with another request.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "DOMAIN_LIMIT_REACHED" | "IDEMPOTENCY_KEY_REUSED";
                    };
                };
            };
        };
    };
    "partner.domains.verify": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                domain: components["parameters"]["Domain"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
            404: components["responses"]["DomainNotFound"];
            /** @description `DOMAIN_IN_USE`: The domain is registered to another partner or to the programme. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "DOMAIN_IN_USE";
                    };
                };
            };
            /** @description `DOMAIN_NOT_PROVEN`: The proof was found neither in DNS nor at the proof URL. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "DOMAIN_NOT_PROVEN";
                    };
                };
            };
            429: components["responses"]["RateLimited"];
        };
    };
    "partner.domains.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                domain: components["parameters"]["Domain"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Success200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
            404: components["responses"]["DomainNotFound"];
        };
    };
    "partner.kycClients.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["KycClient"][];
                    };
                };
            };
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
        };
    };
    "partner.kycClients.add": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The client's id at the KYC provider.
                     * @example example-wallet_1
                     */
                    clientId: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KycClient"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
            /** @description `KYC_CLIENT_IN_USE`: The KYC client id is already registered. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "KYC_CLIENT_IN_USE";
                    };
                };
            };
            /**
             * @description `KYC_CLIENT_LIMIT_REACHED`: The partner has the maximum number of KYC clients.
             *
             *     `IDEMPOTENCY_KEY_REUSED`: The idempotency key was used with another request.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "KYC_CLIENT_LIMIT_REACHED" | "IDEMPOTENCY_KEY_REUSED";
                    };
                };
            };
        };
    };
    "partner.kycClients.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The client's id at the KYC provider.
                 * @example example-wallet_1
                 */
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Success200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
            /** @description `KYC_CLIENT_NOT_FOUND`: The partner has no KYC client with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "KYC_CLIENT_NOT_FOUND";
                    };
                };
            };
        };
    };
    "partner.apiKeys.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ApiKey"][];
                    };
                };
            };
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
        };
    };
    "partner.apiKeys.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Back office",
                 *       "scopes": [
                 *         "partner:read"
                 *       ]
                 *     }
                 */
                "application/json": {
                    name: string;
                    scopes: components["schemas"]["ApiKeyScope"][];
                    /** @description Lifetime of the key. Without it, the key is valid until it is revoked. */
                    ttlInSeconds?: number;
                };
            };
        };
        responses: {
            201: components["responses"]["NewApiKey201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
            422: components["responses"]["ApiKeyLimitReached"];
        };
    };
    "partner.apiKeys.rotate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                keyId: components["parameters"]["KeyId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default 86400 */
                    overlapSeconds?: number;
                };
            };
        };
        responses: {
            201: components["responses"]["NewApiKey201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
            404: components["responses"]["ApiKeyNotFound"];
            422: components["responses"]["ApiKeyLimitReached"];
        };
    };
    "partner.apiKeys.revoke": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                keyId: components["parameters"]["KeyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Success200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
            404: components["responses"]["ApiKeyNotFound"];
        };
    };
    "partner.statistics": {
        parameters: {
            query?: {
                from?: string;
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["DayStatistics"][];
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
        };
    };
    "partner.requests.list": {
        parameters: {
            query?: {
                /** @description `true`: only errors. */
                failed?: "true" | "false";
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["PartnerRequest"][];
                        pagination: {
                            nextCursor: string | null;
                            hasNext: boolean;
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
        };
    };
    "partner.users.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                userId: components["parameters"]["UserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PartnerUserDetails"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
            404: components["responses"]["UserNotFound"];
        };
    };
    "partner.users.statement": {
        parameters: {
            query?: {
                /** @description The maximum number of items on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description `pagination.nextCursor` of the previous page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description Inclusive. A bare date such as `2026-01-31` means its first instant (UTC). */
                startDate?: components["parameters"]["StartDate"];
                /** @description Inclusive. A bare date such as `2026-01-31` means its last instant (UTC). */
                endDate?: components["parameters"]["EndDate"];
                /** @description Only items of this type. */
                type?: components["parameters"]["Type"];
                /** @description Only card transactions of this card. */
                cardId?: components["parameters"]["PartnersCardId"];
            };
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                userId: components["parameters"]["UserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatementPage"];
                };
            };
            /**
             * @description The request is invalid. The message names the field.
             *
             *     `INVALID_CURSOR`: The cursor is malformed or belongs to another list.
             *
             *     `CURSOR_MISMATCH`: The cursor belongs to a request with other filters.
             *
             *     `INVALID_DATE_RANGE`: startDate is after endDate.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | (components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "BAD_REQUEST" | "INVALID_JSON" | "INVALID_CURSOR" | "CURSOR_MISMATCH" | "INVALID_DATE_RANGE";
                    });
                };
            };
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
            404: components["responses"]["UserNotFound"];
        };
    };
    "partner.webhooks.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["WebhookEndpoint"][];
                    };
                };
            };
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
        };
    };
    "partner.webhooks.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example https://api.example.com/purser */
                    url: string;
                    /**
                     * @description Event types, all types of a resource (`deposit.*`), or all events (`*`).
                     * @default [
                     *       "*"
                     *     ]
                     * @example [
                     *       "deposit.*",
                     *       "card.transaction.settled"
                     *     ]
                     */
                    events?: string[];
                    /** @example Ledger of the app */
                    description?: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhookEndpoint"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
            /** @description `ENDPOINT_LIMIT_REACHED`: The partner has the maximum number of webhook endpoints. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "ENDPOINT_LIMIT_REACHED";
                    };
                };
            };
        };
    };
    "partner.webhooks.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                endpointId: components["parameters"]["EndpointId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["WebhookEndpoint200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
            404: components["responses"]["EndpointNotFound"];
        };
    };
    "partner.webhooks.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                endpointId: components["parameters"]["EndpointId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Success200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
            404: components["responses"]["EndpointNotFound"];
        };
    };
    "partner.webhooks.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                endpointId: components["parameters"]["EndpointId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example https://api.example.com/purser */
                    url?: string;
                    events?: components["schemas"]["EventFilters"];
                    /** @example Ledger of the app */
                    description?: string;
                    /** @enum {string} */
                    status?: "enabled" | "disabled";
                    /** @description The version that the change is based on. */
                    version?: string;
                };
            };
        };
        responses: {
            200: components["responses"]["WebhookEndpoint200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
            404: components["responses"]["EndpointNotFound"];
            /** @description `ENDPOINT_CHANGED`: The webhook endpoint has changed since this version. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "ENDPOINT_CHANGED";
                    };
                };
            };
        };
    };
    "partner.webhooks.rotateKeys": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                endpointId: components["parameters"]["EndpointId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default 86400 */
                    overlapSeconds?: number;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhookEndpoint"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
            404: components["responses"]["EndpointNotFound"];
        };
    };
    "partner.events.list": {
        parameters: {
            query?: {
                /** @description Returns the events after this event. */
                after?: string;
                limit?: components["parameters"]["WebhooksLimit"];
                /** @description The events that come first. `newest` ignores `wait`. */
                order?: "oldest" | "newest";
                type?: components["parameters"]["WebhooksType"];
                userId?: components["parameters"]["WebhooksUserId"];
                /** @description If there is no event, waits up to this many seconds for one before it responds. */
                wait?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Event"][];
                        pagination: {
                            hasNext: boolean;
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
            404: components["responses"]["EventNotFound"];
            429: components["responses"]["RateLimited"];
        };
    };
    "partner.events.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifies the event in every delivery and retry. Ignore an event whose id you have already processed.
                 * @example evt_01a1fc4ef39c748ab04f9ca8209a4d4a
                 */
                eventId: components["parameters"]["EventId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        event: components["schemas"]["Event"];
                        deliveries: components["schemas"]["Delivery"][];
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
            404: components["responses"]["EventNotFound"];
        };
    };
    "partner.events.resend": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description Identifies the event in every delivery and retry. Ignore an event whose id you have already processed.
                 * @example evt_01a1fc4ef39c748ab04f9ca8209a4d4a
                 */
                eventId: components["parameters"]["EventId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    endpointId?: components["schemas"]["Uuid"];
                };
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Number of deliveries that are now due. */
                        deliveries: number;
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
            /**
             * @description `EVENT_NOT_FOUND`: The partner has no event with this id, or it was deleted: after 30 days, or with its user.
             *
             *     `ENDPOINT_NOT_FOUND`: The partner has no webhook endpoint with this id.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "EVENT_NOT_FOUND" | "ENDPOINT_NOT_FOUND";
                    };
                };
            };
            409: components["responses"]["EndpointDisabled"];
            422: components["responses"]["IdempotencyKeyReused"];
        };
    };
    "partner.webhooks.listDeliveries": {
        parameters: {
            query?: {
                status?: "pending" | "delivered" | "dead";
                type?: components["parameters"]["WebhooksType"];
                /** @description The earliest creation, inclusive. */
                from?: string;
                /** @description The latest creation, inclusive. */
                to?: string;
                cursor?: string;
                limit?: components["parameters"]["WebhooksLimit"];
            };
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                endpointId: components["parameters"]["EndpointId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Delivery"][];
                        pagination: {
                            nextCursor: string | null;
                            hasNext: boolean;
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
            404: components["responses"]["EndpointNotFound"];
        };
    };
    "partner.webhooks.getDelivery": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                endpointId: components["parameters"]["EndpointId"];
                /**
                 * @description Identifies the event in every delivery and retry. Ignore an event whose id you have already processed.
                 * @example evt_01a1fc4ef39c748ab04f9ca8209a4d4a
                 */
                eventId: components["parameters"]["EventId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        delivery: components["schemas"]["Delivery"];
                        attempts: components["schemas"]["DeliveryAttempt"][];
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
            /**
             * @description `ENDPOINT_NOT_FOUND`: The partner has no webhook endpoint with this id.
             *
             *     `EVENT_NOT_FOUND`: The partner has no event with this id, or it was deleted: after 30 days, or with its user.
             *
             *     `DELIVERY_NOT_FOUND`: The webhook endpoint never got this event.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "ENDPOINT_NOT_FOUND" | "EVENT_NOT_FOUND" | "DELIVERY_NOT_FOUND";
                    };
                };
            };
        };
    };
    "partner.webhooks.test": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                endpointId: components["parameters"]["EndpointId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    type: components["schemas"]["EventType"];
                };
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        eventId: components["schemas"]["EventId"];
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
            404: components["responses"]["EndpointNotFound"];
            409: components["responses"]["EndpointDisabled"];
            422: components["responses"]["IdempotencyKeyReused"];
        };
    };
    "partner.webhooks.resendDeadLetters": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                endpointId: components["parameters"]["EndpointId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: date-time
                     * @description The earliest creation, inclusive.
                     * @example 2026-01-31T09:30:00.000Z
                     */
                    from?: string;
                    /**
                     * Format: date-time
                     * @description The latest creation, inclusive.
                     * @example 2026-01-31T09:30:00.000Z
                     */
                    to?: string;
                    /**
                     * @description `all`: dead and delivered ones.
                     * @default dead
                     * @enum {string}
                     */
                    status?: "dead" | "delivered" | "all";
                    /** @description `nextCursor` of the last response. */
                    cursor?: string;
                    /** @default 10000 */
                    limit?: number;
                } | null;
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Number of deliveries that are now due. */
                        deliveries: number;
                        /** @description Whether there may be more. */
                        hasMore: boolean;
                        /** @description The `cursor` of the next request. Null: everything is resent. */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["UnauthorizedOrInvalidApiKey"];
            403: components["responses"]["NotAMember3"];
            404: components["responses"]["EndpointNotFound"];
            409: components["responses"]["EndpointDisabled"];
            422: components["responses"]["IdempotencyKeyReused"];
        };
    };
    "sandbox.users.list": {
        parameters: {
            query?: {
                /** @description Returns the users that are older than this one. */
                before?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["SandboxUser"][];
                        pagination: {
                            hasNext: boolean;
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["SandboxUnauthorized2"];
        };
    };
    "sandbox.users.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "address": "0xcB444e90D8198415266c6a2724b7900fb12FC56E",
                 *       "country": "DE"
                 *     }
                 */
                "application/json": {
                    address: components["schemas"]["Address"];
                    /** Format: email */
                    email?: string;
                    /**
                     * @description ISO 3166 alpha-2
                     * @default DE
                     * @example DE
                     */
                    country?: string;
                    /** @enum {string} */
                    kyc?: "approved";
                    /**
                     * Format: uuid
                     * @description The partner of the user.
                     * @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a
                     */
                    partnerId?: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        userId: components["schemas"]["Uuid"];
                        accountAddress: components["schemas"]["Address"];
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["SandboxUnauthorized2"];
            404: components["responses"]["PartnerNotFound"];
            409: components["responses"]["WalletInUse2"];
            422: components["responses"]["IdempotencyKeyReused"];
        };
    };
    "sandbox.reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    confirm: "reset";
                };
            };
        };
        responses: {
            200: components["responses"]["Success200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["SandboxUnauthorized2"];
            /** @description `NOT_A_SANDBOX`: The database does not belong to a sandbox, so it is not reset. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "NOT_A_SANDBOX";
                    };
                };
            };
        };
    };
    "sandbox.users.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                userId: components["parameters"]["UserId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "accountStatus": "blocked"
                 *     }
                 */
                "application/json": {
                    kyc?: components["schemas"]["KycStatus"];
                    accountStatus?: components["schemas"]["AccountStatus"];
                    /**
                     * @description ISO 3166 alpha-2
                     * @example DE
                     */
                    country?: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        userId: components["schemas"]["Uuid"];
                        kyc: components["schemas"]["KycStatus"];
                        accountStatus: components["schemas"]["AccountStatus"] | null;
                        /**
                         * @description ISO 3166 alpha-2
                         * @example DE
                         */
                        country: string | null;
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["SandboxUnauthorized2"];
            404: components["responses"]["UserNotFound2"];
            /** @description `INVALID_ACCOUNT_STATUS`: The account cannot change from its current status to this one. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "INVALID_ACCOUNT_STATUS";
                    };
                };
            };
        };
    };
    "sandbox.cards.block": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                cardId: components["parameters"]["CardId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    by: "issuer" | "compliance";
                };
            };
        };
        responses: {
            200: components["responses"]["CardStatus200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["SandboxUnauthorized2"];
            404: components["responses"]["CardNotFound"];
            422: components["responses"]["InvalidCardStatus2"];
        };
    };
    "sandbox.cards.unblock": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                cardId: components["parameters"]["CardId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    by: "issuer" | "compliance";
                };
            };
        };
        responses: {
            200: components["responses"]["CardStatus200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["SandboxUnauthorized2"];
            404: components["responses"]["CardNotFound"];
            422: components["responses"]["InvalidCardStatus2"];
        };
    };
    "sandbox.cards.setStatus": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                cardId: components["parameters"]["CardId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    status: "provisioning" | "active" | "lost" | "stolen" | "expired";
                };
            };
        };
        responses: {
            200: components["responses"]["CardStatus200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["SandboxUnauthorized2"];
            404: components["responses"]["CardNotFound"];
            422: components["responses"]["InvalidCardStatus2"];
        };
    };
    "sandbox.deposits.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    userId: components["schemas"]["Uuid"];
                    /**
                     * @description The address of the token. See GET /sandbox/tokens.
                     * @example 0xcB444e90D8198415266c6a2724b7900fb12FC56E
                     */
                    token: string;
                    /**
                     * @description In token units.
                     * @example 100000000000000000000
                     */
                    amount: string;
                    /**
                     * @description The screening result. The default is `approved`.
                     * @enum {string}
                     */
                    result?: "approved" | "rejected" | "pending";
                    /**
                     * @description With `false`, the response is sent once the transfer is detected. The sandbox then mines no block for 30 seconds, so that requests can mine or replace blocks.
                     * @default true
                     */
                    final?: boolean;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        depositId: components["schemas"]["Uuid"];
                        txHash: components["schemas"]["TxHash"];
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["SandboxUnauthorized2"];
            /**
             * @description `ACCOUNT_NOT_FOUND`: The user has no account.
             *
             *     `USER_NOT_FOUND`: No user has this id.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "ACCOUNT_NOT_FOUND" | "USER_NOT_FOUND";
                    };
                };
            };
            409: components["responses"]["RequestInProgress"];
            /**
             * @description `TOKEN_NOT_SUPPORTED`: The token is not supported.
             *
             *     `IDEMPOTENCY_KEY_REUSED`: The idempotency key was used with another request.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "TOKEN_NOT_SUPPORTED" | "IDEMPOTENCY_KEY_REUSED";
                    };
                };
            };
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "sandbox.deposits.screen": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                depositId: components["parameters"]["DepositId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    result: "approved" | "rejected";
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        depositId: components["schemas"]["Uuid"];
                        /** @enum {string} */
                        status: "pending" | "approved" | "rejected";
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["SandboxUnauthorized2"];
            404: components["responses"]["DepositNotFound"];
            /** @description `INVALID_DEPOSIT_STATUS`: The status of the deposit does not allow this operation. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "INVALID_DEPOSIT_STATUS";
                    };
                };
            };
            422: components["responses"]["IdempotencyKeyReused"];
        };
    };
    "sandbox.withdrawals.settle": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                withdrawalId: components["parameters"]["WithdrawalId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    outcome: "completed" | "failed";
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        withdrawalId: components["schemas"]["Uuid"];
                        /** @enum {string} */
                        status: "completed" | "failed";
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["SandboxUnauthorized2"];
            404: components["responses"]["WithdrawalNotFound"];
            /**
             * @description `CHAIN_ATTACHED`: A chain is attached and decides the outcome.
             *
             *     `INVALID_WITHDRAWAL_STATUS`: The status of the withdrawal does not allow this operation.
             *
             *     `REQUEST_IN_PROGRESS`: A request with this idempotency key is in progress.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "CHAIN_ATTACHED" | "INVALID_WITHDRAWAL_STATUS" | "REQUEST_IN_PROGRESS";
                    };
                };
            };
            422: components["responses"]["IdempotencyKeyReused"];
        };
    };
    "sandbox.transactions.send": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "transaction_type": "authorization",
                 *       "card_id": "01a1fc4e-f39c-748a-b04f-9ca8209a4d4a",
                 *       "amount": "12.50",
                 *       "currency": "EUR",
                 *       "merchant_name": "Corner Shop"
                 *     }
                 */
                "application/json": {
                    transaction_type: components["schemas"]["CardMessageType"];
                    card_id: components["schemas"]["Uuid"];
                    /**
                     * @description Decimal amount in major units, with at most the currency's number of decimal places.
                     * @example 12.50
                     */
                    amount?: string;
                    /** @example EUR */
                    currency?: string;
                    /** @description Six letters or digits. Generated if omitted. */
                    authorization_code?: string;
                    /**
                     * @description Decimal amount in major units, with at most the currency's number of decimal places.
                     * @example 12.50
                     */
                    replacement_amount?: string;
                    /**
                     * @description For a clearing: whether it is the last one of the authorization.
                     * @default true
                     */
                    final?: boolean;
                    /** @default false */
                    partial_allowed?: boolean;
                    /** @example Test Merchant */
                    merchant_name?: string;
                    merchant_city?: string;
                    /** @example 5999 */
                    merchant_code?: string;
                    /** @example DE */
                    merchant_country?: string;
                    /** @description A retry with the same id gets the stored response. */
                    event_id?: string;
                    /**
                     * @description Network faults to simulate. Set an `event_id` to be able to retry the message.
                     * @example {
                     *       "duplicate": 3
                     *     }
                     */
                    fault?: {
                        /**
                         * @description Holds the message back until another message of the card has arrived, for at most 20 seconds.
                         * @enum {boolean}
                         */
                        reorder?: true;
                        /** @description Delays the message by this many seconds. */
                        delay_seconds?: number;
                        /** @description Sends this many further copies at the same time. */
                        duplicate?: number;
                        /**
                         * @description Kills the service (SIGKILL) after the commit and before the response.
                         * @enum {string}
                         */
                        crash?: "after_commit";
                        /**
                         * @description With `crash`: starts the service again at once, as a supervisor would.
                         * @enum {boolean}
                         */
                        restart?: true;
                        /**
                         * @description Loses the message, or its response. Either way the result is a 502.
                         * @enum {string}
                         */
                        drop?: "request" | "answer";
                    };
                };
            };
        };
        responses: {
            /** @description The decision, as the network receives it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "approved" | "denied";
                        authorization_code: string;
                        /** Format: int64 */
                        authorization_id: number;
                        /** @description The approved amount. Present only with `partial_allowed`. */
                        approved_amount?: string;
                        /** @enum {string} */
                        denial_code?: "810" | "FR7" | "OFF" | "FRB" | "UBT" | "BND" | "BNP" | "BNR" | "VNM" | "CNC" | "CND" | "CLO" | "TMO" | "LIM" | "VEL" | "MCC" | "CTY";
                        denial_reason?: string;
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["SandboxUnauthorized2"];
            404: components["responses"]["CardNotFound2"];
            /**
             * @description `AUTHORIZATION_CODE_USED`: The card already has an authorization with this code.
             *
             *     `EVENT_ID_REUSED`: The event id was used with another body.
             *
             *     `REQUEST_IN_PROGRESS`: A request with this idempotency key is in progress.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "AUTHORIZATION_CODE_USED" | "EVENT_ID_REUSED" | "REQUEST_IN_PROGRESS";
                    };
                };
            };
            /**
             * @description `AMOUNT_EXCEEDS_ORIGINAL`: The amount exceeds the rest of the original transaction.
             *
             *     `CURRENCY_NOT_SUPPORTED`: The currency has no exchange rate.
             *
             *     `IDEMPOTENCY_KEY_REUSED`: The idempotency key was used with another request.
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "AMOUNT_EXCEEDS_ORIGINAL" | "CURRENCY_NOT_SUPPORTED" | "IDEMPOTENCY_KEY_REUSED";
                    };
                };
            };
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "sandbox.cardTransactions.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                cardTransactionId: components["parameters"]["CardTransactionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["WholeCardTransactionHistory200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["SandboxUnauthorized2"];
            404: components["responses"]["CardTransactionNotFound"];
        };
    };
    "sandbox.rates.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The fixed exchange rates. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            currency: string;
                            /** @description Units of the currency for one euro. */
                            rate: string;
                        }[];
                    };
                };
            };
            401: components["responses"]["SandboxUnauthorized2"];
        };
    };
    "sandbox.tokens.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            address: components["schemas"]["Address"];
                            /** @example EURe */
                            symbol: string;
                            /** @example EUR */
                            currency: string;
                            /** Format: int32 */
                            decimals: number;
                            /** Format: int32 */
                            chainId: number;
                        }[];
                    };
                };
            };
            401: components["responses"]["SandboxUnauthorized2"];
        };
    };
    "sandbox.chain.get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: int32 */
                        chainId: number;
                        /** @example http://127.0.0.1:8545 */
                        rpcUrl: string;
                        /**
                         * Format: int32
                         * @description The number of later blocks that make a block final.
                         */
                        finalityDepth: number;
                    };
                };
            };
            401: components["responses"]["SandboxUnauthorized2"];
            404: components["responses"]["NoChain"];
        };
    };
    "sandbox.chain.getHead": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ChainHead200"];
            401: components["responses"]["SandboxUnauthorized2"];
            404: components["responses"]["NoChain"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "sandbox.chain.mine": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "blocks": 6
                 *     }
                 */
                "application/json": {
                    blocks: number;
                };
            };
        };
        responses: {
            200: components["responses"]["ChainHead200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["SandboxUnauthorized2"];
            404: components["responses"]["NoChain"];
            422: components["responses"]["IdempotencyKeyReused"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "sandbox.chain.reorganize": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "blocks": 6
                 *     }
                 */
                "application/json": {
                    blocks: number;
                };
            };
        };
        responses: {
            200: components["responses"]["ChainHead200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["SandboxUnauthorized2"];
            404: components["responses"]["NoChain"];
            422: components["responses"]["IdempotencyKeyReused"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "sandbox.clock.get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DateTime200"];
            401: components["responses"]["SandboxUnauthorized2"];
        };
    };
    "sandbox.clock.advance": {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example 3600 */
                    advanceSeconds: number;
                };
            };
        };
        responses: {
            200: components["responses"]["DateTime200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["SandboxUnauthorized2"];
            409: components["responses"]["RequestInProgress"];
            422: components["responses"]["IdempotencyKeyReused"];
        };
    };
    "issuer.authorizations.send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IssuerAuthorization"];
            };
        };
        responses: {
            200: components["responses"]["IssuerMessageResponse200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["IssuerUnauthorized3"];
            404: components["responses"]["CardNotFound2"];
            409: components["responses"]["EventIdReused2"];
            422: components["responses"]["BillingAmountNeeded"];
        };
    };
    "issuer.advices.send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IssuerAdvice"];
            };
        };
        responses: {
            200: components["responses"]["IssuerMessageResponse200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["IssuerUnauthorized3"];
            404: components["responses"]["CardNotFound2"];
            409: components["responses"]["EventIdReused2"];
            422: components["responses"]["BillingAmountNeeded"];
        };
    };
    "issuer.reversals.send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IssuerReversal"];
            };
        };
        responses: {
            200: components["responses"]["IssuerMessageResponse200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["IssuerUnauthorized3"];
            404: components["responses"]["CardNotFound2"];
            409: components["responses"]["EventIdReused2"];
            422: components["responses"]["BillingAmountNeeded"];
        };
    };
    "issuer.refunds.send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IssuerRefund"];
            };
        };
        responses: {
            200: components["responses"]["IssuerMessageResponse200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["IssuerUnauthorized3"];
            404: components["responses"]["CardNotFound2"];
            409: components["responses"]["EventIdReused2"];
            422: components["responses"]["BillingAmountNeeded"];
        };
    };
    "issuer.clearings.send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IssuerClearing"] | components["schemas"]["IssuerClearing"][];
                "application/x-ndjson": components["schemas"]["IssuerClearing"] | components["schemas"]["IssuerClearing"][];
            };
        };
        responses: {
            /** @description The decision, or one result per line of the file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuerFileResponse"] | components["schemas"]["IssuerMessageResponse"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["IssuerUnauthorized3"];
            404: components["responses"]["CardNotFound2"];
            409: components["responses"]["EventIdReused2"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["BillingAmountNeeded"];
        };
    };
    "issuer.cardEvents.send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IssuerCardEvent"];
            };
        };
        responses: {
            /** @description The card after the event. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuerCardEventResponse"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["IssuerUnauthorized3"];
            404: components["responses"]["CardNotFound"];
            /** @description `EVENT_ID_REUSED`: The event id was used with another body. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "EVENT_ID_REUSED";
                    };
                };
            };
            422: components["responses"]["InvalidCardStatus"];
        };
    };
    "callbacks.receiveScreening": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    depositId: components["schemas"]["Uuid"];
                    /** @enum {string} */
                    result: "approved" | "rejected";
                    /**
                     * @example 5
                     * @example 95
                     */
                    riskScore: number;
                    /**
                     * @example low
                     * @example severe
                     */
                    riskTier: string;
                };
            };
        };
        responses: {
            200: components["responses"]["Delivery200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["CallbackRefused"];
        };
    };
    "callbacks.receiveKyc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    applicantId: string | null;
                };
            };
        };
        responses: {
            200: components["responses"]["Delivery200"];
            401: components["responses"]["CallbackRefused"];
        };
    };
    "operator.signIn": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The EIP-4361 message that the operator signed. */
                    message: string;
                    signature: string;
                    /**
                     * @description How the token of the session travels: in a cookie, or as a bearer token.
                     * @enum {string}
                     */
                    via?: "cookie" | "bearer";
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The token for the header `Authorization: Bearer`. Null with `cookie`. */
                        token: string | null;
                        operator: components["schemas"]["OperatorMe"];
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            /**
             * @description `INVALID_NONCE`: The nonce was not issued by this service.
             *
             *     `NONCE_EXPIRED`: The nonce has expired.
             *
             *     `NONCE_USED`: The nonce has already been used.
             *
             *     `DOMAIN_NOT_ALLOWED`: The domain of the sign-in is not registered, or its partner is not active.
             *
             *     `MESSAGE_EXPIRED`: The sign-in message has expired.
             *
             *     `MESSAGE_NOT_YET_VALID`: The sign-in message is not valid yet.
             *
             *     `NOT_AN_OPERATOR`: The wallet is not an operator, or the signature does not match it.
             */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInError"] & {
                        /** @enum {unknown} */
                        error?: "INVALID_NONCE" | "NONCE_EXPIRED" | "NONCE_USED" | "DOMAIN_NOT_ALLOWED" | "MESSAGE_EXPIRED" | "MESSAGE_NOT_YET_VALID" | "NOT_AN_OPERATOR";
                    };
                };
            };
            /** @description `ORIGIN_NOT_ALLOWED`: The request does not come from the console. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "ORIGIN_NOT_ALLOWED";
                    };
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "operator.getMe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatorMe"];
                };
            };
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
        };
    };
    "operator.sessions.list": {
        parameters: {
            query?: {
                limit?: components["parameters"]["OperatorLimit"];
                /** @description `pagination.nextCursor` of the previous page. */
                cursor?: components["parameters"]["OperatorCursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["OperatorSession"][];
                        pagination: components["schemas"]["OperatorPagination"];
                    };
                };
            };
            400: components["responses"]["BadRequest3"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
        };
    };
    "operator.sessions.endAll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Success200"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
        };
    };
    "operator.sessions.end": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Success200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
            /** @description `SESSION_NOT_FOUND`: No open session has this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "SESSION_NOT_FOUND";
                    };
                };
            };
        };
    };
    "operator.operators.list": {
        parameters: {
            query?: {
                limit?: components["parameters"]["OperatorLimit"];
                /** @description `pagination.nextCursor` of the previous page. */
                cursor?: components["parameters"]["OperatorCursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Operator"][];
                        pagination: components["schemas"]["OperatorPagination"];
                    };
                };
            };
            400: components["responses"]["BadRequest3"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
        };
    };
    "operator.operators.add": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description An address, or `eip155:<chain id>:<address>` for a contract. */
                    wallet: string;
                    role: string;
                    person: string;
                    reason: components["schemas"]["DecisionReason"];
                    signed?: components["schemas"]["DecisionSignature"];
                };
            };
        };
        responses: {
            200: components["responses"]["PreparedDecision200"];
            201: components["responses"]["Proposal201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["DecisionNotSigned3"];
            409: components["responses"]["DecisionUsed2"];
            422: components["responses"]["DecisionExpired"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "operator.search": {
        parameters: {
            query: {
                q: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["SearchHit"][];
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
        };
    };
    "operator.users.list": {
        parameters: {
            query?: {
                limit?: components["parameters"]["OperatorLimit"];
                /** @description `pagination.nextCursor` of the previous page. */
                cursor?: components["parameters"]["OperatorCursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["OperatorUserSummary"][];
                        pagination: components["schemas"]["OperatorPagination"];
                    };
                };
            };
            400: components["responses"]["BadRequest3"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
        };
    };
    "operator.users.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                userId: components["parameters"]["UserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatorUser"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
            404: components["responses"]["UserNotFound"];
        };
    };
    "operator.users.reveal": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                userId: components["parameters"]["UserId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reason: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevealedPersonalData"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
            404: components["responses"]["UserNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
        };
    };
    "operator.reads.list": {
        parameters: {
            query?: {
                limit?: components["parameters"]["OperatorLimit"];
                /** @description `pagination.nextCursor` of the previous page. */
                cursor?: components["parameters"]["OperatorCursor"];
                userId?: components["parameters"]["OperatorUserId"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["PersonalDataRead"][];
                        pagination: components["schemas"]["OperatorPagination"];
                    };
                };
            };
            400: components["responses"]["BadRequest3"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
        };
    };
    "operator.users.listCards": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                userId: components["parameters"]["UserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["OperatorCard"][];
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
            404: components["responses"]["UserNotFound"];
        };
    };
    "operator.users.listStatement": {
        parameters: {
            query?: {
                limit?: components["parameters"]["OperatorLimit"];
                /** @description `pagination.nextCursor` of the previous page. */
                cursor?: components["parameters"]["OperatorCursor"];
            };
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                userId: components["parameters"]["UserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["StatementItem"][];
                        pagination: components["schemas"]["OperatorPagination"];
                    };
                };
            };
            400: components["responses"]["BadRequest3"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
            404: components["responses"]["UserNotFound"];
        };
    };
    "operator.users.listDeposits": {
        parameters: {
            query?: {
                limit?: components["parameters"]["OperatorLimit"];
                /** @description `pagination.nextCursor` of the previous page. */
                cursor?: components["parameters"]["OperatorCursor"];
            };
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                userId: components["parameters"]["UserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["OperatorDeposit200"];
            400: components["responses"]["BadRequest3"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
            404: components["responses"]["UserNotFound"];
        };
    };
    "operator.users.listWithdrawals": {
        parameters: {
            query?: {
                limit?: components["parameters"]["OperatorLimit"];
                /** @description `pagination.nextCursor` of the previous page. */
                cursor?: components["parameters"]["OperatorCursor"];
            };
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                userId: components["parameters"]["UserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["OperatorPayout200"];
            400: components["responses"]["BadRequest3"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
            404: components["responses"]["UserNotFound"];
        };
    };
    "operator.users.listEvents": {
        parameters: {
            query?: {
                limit?: components["parameters"]["OperatorLimit"];
                /** @description `pagination.nextCursor` of the previous page. */
                cursor?: components["parameters"]["OperatorCursor"];
            };
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                userId: components["parameters"]["UserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["OperatorEvent"][];
                        pagination: components["schemas"]["OperatorPagination"];
                    };
                };
            };
            400: components["responses"]["BadRequest3"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
            404: components["responses"]["UserNotFound"];
        };
    };
    "operator.users.listDecisions": {
        parameters: {
            query?: {
                limit?: components["parameters"]["OperatorLimit"];
                /** @description `pagination.nextCursor` of the previous page. */
                cursor?: components["parameters"]["OperatorCursor"];
            };
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                userId: components["parameters"]["UserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Decision"][];
                        pagination: components["schemas"]["OperatorPagination"];
                    };
                };
            };
            400: components["responses"]["BadRequest3"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
            404: components["responses"]["UserNotFound"];
        };
    };
    "operator.users.getCardTransaction": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                userId: components["parameters"]["UserId"];
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                cardTransactionId: components["parameters"]["CardTransactionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["WholeCardTransactionHistory200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
            404: components["responses"]["CardTransactionNotFound"];
        };
    };
    "operator.users.listMovements": {
        parameters: {
            query?: {
                limit?: components["parameters"]["OperatorLimit"];
                /** @description `pagination.nextCursor` of the previous page. */
                cursor?: components["parameters"]["OperatorCursor"];
            };
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                userId: components["parameters"]["UserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["MovementSummary"][];
                        pagination: components["schemas"]["OperatorPagination"];
                    };
                };
            };
            400: components["responses"]["BadRequest3"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
            404: components["responses"]["UserNotFound"];
        };
    };
    "operator.users.getMovement": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                userId: components["parameters"]["UserId"];
                seq: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Movement"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
            /** @description `MOVEMENT_NOT_FOUND`: The user has no movement with this number. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "MOVEMENT_NOT_FOUND";
                    };
                };
            };
        };
    };
    "operator.users.listLedgerAccounts": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                userId: components["parameters"]["UserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TokenLedgerAccounts"][];
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
            404: components["responses"]["UserNotFound"];
        };
    };
    "operator.reconciliation.list": {
        parameters: {
            query?: {
                limit?: components["parameters"]["OperatorLimit"];
                /** @description `pagination.nextCursor` of the previous page. */
                cursor?: components["parameters"]["OperatorCursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ReconcileRun"][];
                        pagination: components["schemas"]["OperatorPagination"];
                    };
                };
            };
            400: components["responses"]["BadRequest3"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
        };
    };
    "operator.reconciliation.checkUser": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                userId: components["parameters"]["UserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        checkedAt: components["schemas"]["DateTime"];
                        badRows: components["schemas"]["BadRow"][];
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
            404: components["responses"]["UserNotFound"];
            429: components["responses"]["RateLimited"];
        };
    };
    "operator.overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["WaitingWork"][];
                    };
                };
            };
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
        };
    };
    "operator.chains.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["WatchedChain"][];
                    };
                };
            };
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
        };
    };
    "operator.reviews.list": {
        parameters: {
            query?: {
                limit?: components["parameters"]["OperatorLimit"];
                /** @description `pagination.nextCursor` of the previous page. */
                cursor?: components["parameters"]["OperatorCursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Review"][];
                        pagination: components["schemas"]["OperatorPagination"];
                    };
                };
            };
            400: components["responses"]["BadRequest3"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
        };
    };
    "operator.deposits.list": {
        parameters: {
            query: {
                limit?: components["parameters"]["OperatorLimit"];
                /** @description `pagination.nextCursor` of the previous page. */
                cursor?: components["parameters"]["OperatorCursor"];
                state: "waiting" | "frozen" | "untold";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["OperatorDeposit200"];
            400: components["responses"]["BadRequest3"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
        };
    };
    "operator.payouts.list": {
        parameters: {
            query: {
                limit?: components["parameters"]["OperatorLimit"];
                /** @description `pagination.nextCursor` of the previous page. */
                cursor?: components["parameters"]["OperatorCursor"];
                state: "open" | "unpaid" | "unassigned";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["OperatorPayout200"];
            400: components["responses"]["BadRequest3"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
        };
    };
    "operator.webhooks.listDead": {
        parameters: {
            query?: {
                limit?: components["parameters"]["OperatorLimit"];
                /** @description `pagination.nextCursor` of the previous page. */
                cursor?: components["parameters"]["OperatorCursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["DeadLetter"][];
                        pagination: components["schemas"]["OperatorPagination"];
                    };
                };
            };
            400: components["responses"]["BadRequest3"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
        };
    };
    "operator.partners.list": {
        parameters: {
            query?: {
                limit?: components["parameters"]["OperatorLimit"];
                /** @description `pagination.nextCursor` of the previous page. */
                cursor?: components["parameters"]["OperatorCursor"];
                status?: "pending" | "active" | "suspended";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["PartnerSummary"][];
                        pagination: components["schemas"]["OperatorPagination"];
                    };
                };
            };
            400: components["responses"]["BadRequest3"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
        };
    };
    "operator.partners.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                partnerId: components["parameters"]["PartnerId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatorPartner"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
            404: components["responses"]["PartnerNotFound"];
        };
    };
    "operator.partners.listAudit": {
        parameters: {
            query?: {
                limit?: components["parameters"]["OperatorLimit"];
                /** @description `pagination.nextCursor` of the previous page. */
                cursor?: components["parameters"]["OperatorCursor"];
                action?: components["parameters"]["Action"];
                actor?: components["parameters"]["Actor"];
                /** @description Such as the id of a user. */
                subject?: components["parameters"]["Subject"];
            };
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                partnerId: components["parameters"]["PartnerId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AuditEntry"][];
                        pagination: components["schemas"]["OperatorPagination"];
                    };
                };
            };
            400: components["responses"]["BadRequest3"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
            404: components["responses"]["PartnerNotFound"];
        };
    };
    "operator.domains.list": {
        parameters: {
            query?: {
                limit?: components["parameters"]["OperatorLimit"];
                /** @description `pagination.nextCursor` of the previous page. */
                cursor?: components["parameters"]["OperatorCursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["SignInDomain"][];
                        pagination: components["schemas"]["OperatorPagination"];
                    };
                };
            };
            400: components["responses"]["BadRequest3"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
        };
    };
    "operator.domains.add": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    domain: string;
                    reason: components["schemas"]["DecisionReason"];
                    signed?: components["schemas"]["DecisionSignature"];
                };
            };
        };
        responses: {
            200: components["responses"]["PreparedDecision200"];
            201: components["responses"]["Proposal201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["DecisionNotSigned3"];
            409: components["responses"]["DecisionUsed2"];
            422: components["responses"]["DecisionExpired"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "operator.signingKeys.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            kid: string;
                            publicJwk: {
                                [key: string]: unknown;
                            };
                            activeFrom: components["schemas"]["DateTime"];
                            retiredAt: components["schemas"]["DateTime"] | null;
                        }[];
                    };
                };
            };
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
        };
    };
    "operator.switches.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["KillSwitch"][];
                    };
                };
            };
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
        };
    };
    "operator.evidence": {
        parameters: {
            query: {
                from: string;
                /** @description Exclusive. */
                to: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
            /** @description `PERIOD_INVALID`: The period must start before it ends and last at most 92 days. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "PERIOD_INVALID";
                    };
                };
            };
            429: components["responses"]["RateLimited"];
        };
    };
    "operator.proposals.list": {
        parameters: {
            query?: {
                status?: "open" | "executed" | "rejected" | "lapsed" | "expired";
                /** @description The last proposal of the previous page. */
                after?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Proposal"][];
                        pagination: {
                            hasNext: boolean;
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
        };
    };
    "operator.proposals.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    command: components["schemas"]["OperatorCommand"];
                    subject: string;
                    arguments?: {
                        [key: string]: string;
                    };
                    reason: components["schemas"]["DecisionReason"];
                    signed?: components["schemas"]["DecisionSignature"];
                };
            };
        };
        responses: {
            200: components["responses"]["PreparedDecision200"];
            201: components["responses"]["Proposal201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["DecisionNotSigned3"];
            /**
             * @description `USER_NOT_FOUND`: No user has this id.
             *
             *     `ACCOUNT_NOT_FOUND`: The user has no account.
             *
             *     `DEPOSIT_NOT_FOUND`: No deposit has this id.
             *
             *     `WITHDRAWAL_NOT_FOUND`: No withdrawal has this id.
             *
             *     `REVIEW_NOT_FOUND`: No open review has this id.
             *
             *     `ENDPOINT_NOT_FOUND`: The partner has no webhook endpoint with this id.
             *
             *     `PARTNER_NOT_FOUND`: No partner has this id.
             *
             *     `OPERATOR_NOT_FOUND`: No operator has this wallet.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "USER_NOT_FOUND" | "ACCOUNT_NOT_FOUND" | "DEPOSIT_NOT_FOUND" | "WITHDRAWAL_NOT_FOUND" | "REVIEW_NOT_FOUND" | "ENDPOINT_NOT_FOUND" | "PARTNER_NOT_FOUND" | "OPERATOR_NOT_FOUND";
                    };
                };
            };
            /**
             * @description `DECISION_USED`: Another operator has already signed this decision.
             *
             *     `STATE_CHANGED`: The subject has changed since its state was signed.
             *
             *     `USER_NOT_CLOSED`: The user is not closed.
             *
             *     `INVALID_DEPOSIT_STATUS`: The status of the deposit does not allow this operation.
             *
             *     `ENDPOINT_DISABLED`: The webhook endpoint is disabled.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "DECISION_USED" | "STATE_CHANGED" | "USER_NOT_CLOSED" | "INVALID_DEPOSIT_STATUS" | "ENDPOINT_DISABLED";
                    };
                };
            };
            422: components["responses"]["DecisionExpired"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "operator.proposals.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                proposalId: components["parameters"]["ProposalId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Proposal200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
            404: components["responses"]["ProposalNotFound"];
        };
    };
    "operator.proposals.approve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                proposalId: components["parameters"]["ProposalId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    signature: string;
                };
            };
        };
        responses: {
            200: components["responses"]["Proposal200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            /**
             * @description `DECISION_NOT_SIGNED`: The signature does not match the decision and the operator's wallet.
             *
             *     `SECOND_PERSON_REQUIRED`: The proposer cannot approve the proposal, even with another wallet.
             *
             *     `ORIGIN_NOT_ALLOWED`: The request does not come from the console.
             *
             *     `ROLE_NOT_PERMITTED`: The role of the operator does not allow this.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "DECISION_NOT_SIGNED" | "SECOND_PERSON_REQUIRED" | "ORIGIN_NOT_ALLOWED" | "ROLE_NOT_PERMITTED";
                    };
                };
            };
            404: components["responses"]["ProposalNotFound"];
            /**
             * @description `PROPOSAL_NOT_OPEN`: The proposal is executed, rejected, lapsed or expired.
             *
             *     `PROPOSAL_LAPSED`: The proposal has lapsed, and nothing was changed.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "PROPOSAL_NOT_OPEN" | "PROPOSAL_LAPSED";
                    };
                };
            };
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "operator.proposals.reject": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                proposalId: components["parameters"]["ProposalId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reason: components["schemas"]["DecisionReason"];
                };
            };
        };
        responses: {
            200: components["responses"]["Proposal200"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
            404: components["responses"]["ProposalNotFound"];
            /** @description `PROPOSAL_NOT_OPEN`: The proposal is executed, rejected, lapsed or expired. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "PROPOSAL_NOT_OPEN";
                    };
                };
            };
        };
    };
    "operator.decisions.list": {
        parameters: {
            query?: {
                subject?: string;
                /** @description The wallet of the proposer or approver, or the name of the operator in the shell. */
                by?: string;
                /** @description The `seq` of the last decision of the previous page. */
                after?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Decision"][];
                        pagination: {
                            hasNext: boolean;
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["OriginNotAllowed2"];
        };
    };
    "operator.users.block": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                userId: components["parameters"]["UserId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignedReason"];
            };
        };
        responses: {
            200: components["responses"]["PreparedDecision200"];
            201: components["responses"]["Proposal201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["DecisionNotSigned3"];
            404: components["responses"]["UserNotFound2"];
            409: components["responses"]["DecisionUsed2"];
            422: components["responses"]["DecisionExpired"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "operator.users.unblock": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                userId: components["parameters"]["UserId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignedReason"];
            };
        };
        responses: {
            200: components["responses"]["PreparedDecision200"];
            201: components["responses"]["Proposal201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["DecisionNotSigned3"];
            404: components["responses"]["UserNotFound2"];
            409: components["responses"]["DecisionUsed2"];
            422: components["responses"]["DecisionExpired"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "operator.users.erase": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                userId: components["parameters"]["UserId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignedReason"];
            };
        };
        responses: {
            200: components["responses"]["PreparedDecision200"];
            201: components["responses"]["Proposal201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["DecisionNotSigned3"];
            404: components["responses"]["UserNotFound"];
            409: components["responses"]["DecisionUsed3"];
            422: components["responses"]["DecisionExpired"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "operator.deposits.return": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                depositId: components["parameters"]["DepositId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignedReason"];
            };
        };
        responses: {
            200: components["responses"]["PreparedDecision200"];
            201: components["responses"]["Proposal201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["DecisionNotSigned3"];
            404: components["responses"]["DepositNotFound"];
            /**
             * @description `DECISION_USED`: Another operator has already signed this decision.
             *
             *     `STATE_CHANGED`: The subject has changed since its state was signed.
             *
             *     `INVALID_DEPOSIT_STATUS`: The status of the deposit does not allow this operation.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "DECISION_USED" | "STATE_CHANGED" | "INVALID_DEPOSIT_STATUS";
                    };
                };
            };
            422: components["responses"]["DecisionExpired"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "operator.transfers.tell": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                transfer: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    amount: string;
                    reason: components["schemas"]["DecisionReason"];
                    signed?: components["schemas"]["DecisionSignature"];
                };
            };
        };
        responses: {
            200: components["responses"]["PreparedDecision200"];
            201: components["responses"]["Proposal201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["DecisionNotSigned3"];
            409: components["responses"]["DecisionUsed2"];
            422: components["responses"]["DecisionExpired"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "operator.users.payOut": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                userId: components["parameters"]["UserId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    token: string;
                    payee: string;
                    reason: components["schemas"]["DecisionReason"];
                    signed?: components["schemas"]["DecisionSignature"];
                };
            };
        };
        responses: {
            200: components["responses"]["PreparedDecision200"];
            201: components["responses"]["Proposal201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["DecisionNotSigned3"];
            404: components["responses"]["AccountNotFound"];
            409: components["responses"]["DecisionUsed3"];
            422: components["responses"]["DecisionExpired"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "operator.payouts.decide": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                withdrawalId: components["parameters"]["WithdrawalId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    decision: string;
                    reason: components["schemas"]["DecisionReason"];
                    signed?: components["schemas"]["DecisionSignature"];
                };
            };
        };
        responses: {
            200: components["responses"]["PreparedDecision200"];
            201: components["responses"]["Proposal201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["DecisionNotSigned3"];
            404: components["responses"]["WithdrawalNotFound"];
            409: components["responses"]["DecisionUsed2"];
            422: components["responses"]["DecisionExpired"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "operator.payouts.cancel": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                withdrawalId: components["parameters"]["WithdrawalId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignedReason"];
            };
        };
        responses: {
            200: components["responses"]["PreparedDecision200"];
            201: components["responses"]["Proposal201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["DecisionNotSigned3"];
            404: components["responses"]["WithdrawalNotFound"];
            409: components["responses"]["DecisionUsed2"];
            422: components["responses"]["DecisionExpired"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "operator.payouts.assign": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                withdrawalId: components["parameters"]["WithdrawalId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    userId: string;
                    reason: components["schemas"]["DecisionReason"];
                    signed?: components["schemas"]["DecisionSignature"];
                };
            };
        };
        responses: {
            200: components["responses"]["PreparedDecision200"];
            201: components["responses"]["Proposal201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["DecisionNotSigned3"];
            404: components["responses"]["AccountNotFound"];
            409: components["responses"]["DecisionUsed2"];
            422: components["responses"]["DecisionExpired"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "operator.reviews.finish": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                reviewId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignedReason"];
            };
        };
        responses: {
            200: components["responses"]["PreparedDecision200"];
            201: components["responses"]["Proposal201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["DecisionNotSigned3"];
            /** @description `REVIEW_NOT_FOUND`: No open review has this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "REVIEW_NOT_FOUND";
                    };
                };
            };
            409: components["responses"]["DecisionUsed2"];
            422: components["responses"]["DecisionExpired"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "operator.webhooks.resend": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                endpointId: components["parameters"]["EndpointId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignedReason"];
            };
        };
        responses: {
            200: components["responses"]["PreparedDecision200"];
            201: components["responses"]["Proposal201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["DecisionNotSigned3"];
            404: components["responses"]["EndpointNotFound"];
            /**
             * @description `DECISION_USED`: Another operator has already signed this decision.
             *
             *     `STATE_CHANGED`: The subject has changed since its state was signed.
             *
             *     `ENDPOINT_DISABLED`: The webhook endpoint is disabled.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"] & {
                        /** @enum {unknown} */
                        error?: "DECISION_USED" | "STATE_CHANGED" | "ENDPOINT_DISABLED";
                    };
                };
            };
            422: components["responses"]["DecisionExpired"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "operator.partners.approve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                partnerId: components["parameters"]["PartnerId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignedReason"];
            };
        };
        responses: {
            200: components["responses"]["PreparedDecision200"];
            201: components["responses"]["Proposal201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["DecisionNotSigned3"];
            404: components["responses"]["PartnerNotFound"];
            409: components["responses"]["DecisionUsed2"];
            422: components["responses"]["DecisionExpired"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "operator.partners.suspend": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                partnerId: components["parameters"]["PartnerId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignedReason"];
            };
        };
        responses: {
            200: components["responses"]["PreparedDecision200"];
            201: components["responses"]["Proposal201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["DecisionNotSigned3"];
            404: components["responses"]["PartnerNotFound"];
            409: components["responses"]["DecisionUsed2"];
            422: components["responses"]["DecisionExpired"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "operator.partners.setDetails": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a */
                partnerId: components["parameters"]["PartnerId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    details: string;
                    reason: components["schemas"]["DecisionReason"];
                    signed?: components["schemas"]["DecisionSignature"];
                };
            };
        };
        responses: {
            200: components["responses"]["PreparedDecision200"];
            201: components["responses"]["Proposal201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["DecisionNotSigned3"];
            404: components["responses"]["PartnerNotFound"];
            409: components["responses"]["DecisionUsed2"];
            422: components["responses"]["DecisionExpired"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "operator.domains.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                domain: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignedReason"];
            };
        };
        responses: {
            200: components["responses"]["PreparedDecision200"];
            201: components["responses"]["Proposal201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["DecisionNotSigned3"];
            409: components["responses"]["DecisionUsed2"];
            422: components["responses"]["DecisionExpired"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "operator.signingKeys.rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignedReason"];
            };
        };
        responses: {
            200: components["responses"]["PreparedDecision200"];
            201: components["responses"]["Proposal201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["DecisionNotSigned3"];
            409: components["responses"]["DecisionUsed2"];
            422: components["responses"]["DecisionExpired"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "operator.signingKeys.retire": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                kid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignedReason"];
            };
        };
        responses: {
            200: components["responses"]["PreparedDecision200"];
            201: components["responses"]["Proposal201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["DecisionNotSigned3"];
            409: components["responses"]["DecisionUsed2"];
            422: components["responses"]["DecisionExpired"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "operator.switches.turnPayoutsOff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignedReason"];
            };
        };
        responses: {
            200: components["responses"]["PreparedDecision200"];
            201: components["responses"]["Proposal201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["DecisionNotSigned3"];
            409: components["responses"]["DecisionUsed2"];
            422: components["responses"]["DecisionExpired"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "operator.switches.turnPayoutsOn": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignedReason"];
            };
        };
        responses: {
            200: components["responses"]["PreparedDecision200"];
            201: components["responses"]["Proposal201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["DecisionNotSigned3"];
            409: components["responses"]["DecisionUsed2"];
            422: components["responses"]["DecisionExpired"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "operator.switches.turnCardApprovalsOff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignedReason"];
            };
        };
        responses: {
            200: components["responses"]["PreparedDecision200"];
            201: components["responses"]["Proposal201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["DecisionNotSigned3"];
            409: components["responses"]["DecisionUsed2"];
            422: components["responses"]["DecisionExpired"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "operator.switches.turnCardApprovalsOn": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignedReason"];
            };
        };
        responses: {
            200: components["responses"]["PreparedDecision200"];
            201: components["responses"]["Proposal201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["DecisionNotSigned3"];
            409: components["responses"]["DecisionUsed2"];
            422: components["responses"]["DecisionExpired"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "operator.operators.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description An EVM address. Responses use the EIP-55 form.
                 * @example 0xcB444e90D8198415266c6a2724b7900fb12FC56E
                 */
                address: components["parameters"]["Address"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignedReason"];
            };
        };
        responses: {
            200: components["responses"]["PreparedDecision200"];
            201: components["responses"]["Proposal201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["DecisionNotSigned3"];
            404: components["responses"]["OperatorNotFound"];
            409: components["responses"]["DecisionUsed2"];
            422: components["responses"]["DecisionExpired"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    "operator.operators.change": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description An EVM address. Responses use the EIP-55 form.
                 * @example 0xcB444e90D8198415266c6a2724b7900fb12FC56E
                 */
                address: components["parameters"]["Address"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    role: string;
                    reason: components["schemas"]["DecisionReason"];
                    signed?: components["schemas"]["DecisionSignature"];
                };
            };
        };
        responses: {
            200: components["responses"]["PreparedDecision200"];
            201: components["responses"]["Proposal201"];
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["OperatorUnauthorized"];
            403: components["responses"]["DecisionNotSigned3"];
            404: components["responses"]["OperatorNotFound"];
            409: components["responses"]["DecisionUsed2"];
            422: components["responses"]["DecisionExpired"];
            429: components["responses"]["RateLimited"];
            502: components["responses"]["UpstreamFailure"];
        };
    };
    onAccountEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Id of the event. */
                "webhook-id": components["parameters"]["WebhookId"];
                /** @description Time of this attempt in Unix seconds. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Standard Webhooks signatures of `<id>.<timestamp>.<body>`, separated by spaces: `v1a,` followed by the Ed25519 signature, and `v1,` followed by the HMAC-SHA256, both in base64. During a key rotation, the old keys add their own pairs. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /** @description The same value as `webhook-timestamp`. */
                "x-webhook-timestamp": components["parameters"]["XWebhookTimestamp"];
                /** @description Ed25519 signature of `<timestamp>.<body>` by the newest key, in base64. */
                "x-webhook-signature": components["parameters"]["XWebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountEvent"];
            };
        };
        responses: {
            410: components["responses"]["Delivery410"];
            "2XX": components["responses"]["Delivery2xx"];
            "4XX": components["responses"]["Delivery4xx"];
            default: components["responses"]["DeliveryDefault"];
        };
    };
    onAccountBalanceEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Id of the event. */
                "webhook-id": components["parameters"]["WebhookId"];
                /** @description Time of this attempt in Unix seconds. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Standard Webhooks signatures of `<id>.<timestamp>.<body>`, separated by spaces: `v1a,` followed by the Ed25519 signature, and `v1,` followed by the HMAC-SHA256, both in base64. During a key rotation, the old keys add their own pairs. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /** @description The same value as `webhook-timestamp`. */
                "x-webhook-timestamp": components["parameters"]["XWebhookTimestamp"];
                /** @description Ed25519 signature of `<timestamp>.<body>` by the newest key, in base64. */
                "x-webhook-signature": components["parameters"]["XWebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountBalanceEvent"];
            };
        };
        responses: {
            410: components["responses"]["Delivery410"];
            "2XX": components["responses"]["Delivery2xx"];
            "4XX": components["responses"]["Delivery4xx"];
            default: components["responses"]["DeliveryDefault"];
        };
    };
    onKycEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Id of the event. */
                "webhook-id": components["parameters"]["WebhookId"];
                /** @description Time of this attempt in Unix seconds. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Standard Webhooks signatures of `<id>.<timestamp>.<body>`, separated by spaces: `v1a,` followed by the Ed25519 signature, and `v1,` followed by the HMAC-SHA256, both in base64. During a key rotation, the old keys add their own pairs. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /** @description The same value as `webhook-timestamp`. */
                "x-webhook-timestamp": components["parameters"]["XWebhookTimestamp"];
                /** @description Ed25519 signature of `<timestamp>.<body>` by the newest key, in base64. */
                "x-webhook-signature": components["parameters"]["XWebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KycEvent"];
            };
        };
        responses: {
            410: components["responses"]["Delivery410"];
            "2XX": components["responses"]["Delivery2xx"];
            "4XX": components["responses"]["Delivery4xx"];
            default: components["responses"]["DeliveryDefault"];
        };
    };
    onDepositEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Id of the event. */
                "webhook-id": components["parameters"]["WebhookId"];
                /** @description Time of this attempt in Unix seconds. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Standard Webhooks signatures of `<id>.<timestamp>.<body>`, separated by spaces: `v1a,` followed by the Ed25519 signature, and `v1,` followed by the HMAC-SHA256, both in base64. During a key rotation, the old keys add their own pairs. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /** @description The same value as `webhook-timestamp`. */
                "x-webhook-timestamp": components["parameters"]["XWebhookTimestamp"];
                /** @description Ed25519 signature of `<timestamp>.<body>` by the newest key, in base64. */
                "x-webhook-signature": components["parameters"]["XWebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DepositEvent"];
            };
        };
        responses: {
            410: components["responses"]["Delivery410"];
            "2XX": components["responses"]["Delivery2xx"];
            "4XX": components["responses"]["Delivery4xx"];
            default: components["responses"]["DeliveryDefault"];
        };
    };
    onWithdrawalEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Id of the event. */
                "webhook-id": components["parameters"]["WebhookId"];
                /** @description Time of this attempt in Unix seconds. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Standard Webhooks signatures of `<id>.<timestamp>.<body>`, separated by spaces: `v1a,` followed by the Ed25519 signature, and `v1,` followed by the HMAC-SHA256, both in base64. During a key rotation, the old keys add their own pairs. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /** @description The same value as `webhook-timestamp`. */
                "x-webhook-timestamp": components["parameters"]["XWebhookTimestamp"];
                /** @description Ed25519 signature of `<timestamp>.<body>` by the newest key, in base64. */
                "x-webhook-signature": components["parameters"]["XWebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WithdrawalEvent"];
            };
        };
        responses: {
            410: components["responses"]["Delivery410"];
            "2XX": components["responses"]["Delivery2xx"];
            "4XX": components["responses"]["Delivery4xx"];
            default: components["responses"]["DeliveryDefault"];
        };
    };
    onCardEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Id of the event. */
                "webhook-id": components["parameters"]["WebhookId"];
                /** @description Time of this attempt in Unix seconds. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Standard Webhooks signatures of `<id>.<timestamp>.<body>`, separated by spaces: `v1a,` followed by the Ed25519 signature, and `v1,` followed by the HMAC-SHA256, both in base64. During a key rotation, the old keys add their own pairs. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /** @description The same value as `webhook-timestamp`. */
                "x-webhook-timestamp": components["parameters"]["XWebhookTimestamp"];
                /** @description Ed25519 signature of `<timestamp>.<body>` by the newest key, in base64. */
                "x-webhook-signature": components["parameters"]["XWebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CardEvent"];
            };
        };
        responses: {
            410: components["responses"]["Delivery410"];
            "2XX": components["responses"]["Delivery2xx"];
            "4XX": components["responses"]["Delivery4xx"];
            default: components["responses"]["DeliveryDefault"];
        };
    };
    onCardTransactionEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Id of the event. */
                "webhook-id": components["parameters"]["WebhookId"];
                /** @description Time of this attempt in Unix seconds. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Standard Webhooks signatures of `<id>.<timestamp>.<body>`, separated by spaces: `v1a,` followed by the Ed25519 signature, and `v1,` followed by the HMAC-SHA256, both in base64. During a key rotation, the old keys add their own pairs. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /** @description The same value as `webhook-timestamp`. */
                "x-webhook-timestamp": components["parameters"]["XWebhookTimestamp"];
                /** @description Ed25519 signature of `<timestamp>.<body>` by the newest key, in base64. */
                "x-webhook-signature": components["parameters"]["XWebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CardTransactionEvent"];
            };
        };
        responses: {
            410: components["responses"]["Delivery410"];
            "2XX": components["responses"]["Delivery2xx"];
            "4XX": components["responses"]["Delivery4xx"];
            default: components["responses"]["DeliveryDefault"];
        };
    };
    onWebhookEndpointEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Id of the event. */
                "webhook-id": components["parameters"]["WebhookId"];
                /** @description Time of this attempt in Unix seconds. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Standard Webhooks signatures of `<id>.<timestamp>.<body>`, separated by spaces: `v1a,` followed by the Ed25519 signature, and `v1,` followed by the HMAC-SHA256, both in base64. During a key rotation, the old keys add their own pairs. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /** @description The same value as `webhook-timestamp`. */
                "x-webhook-timestamp": components["parameters"]["XWebhookTimestamp"];
                /** @description Ed25519 signature of `<timestamp>.<body>` by the newest key, in base64. */
                "x-webhook-signature": components["parameters"]["XWebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEndpointEvent"];
            };
        };
        responses: {
            410: components["responses"]["Delivery410"];
            "2XX": components["responses"]["Delivery2xx"];
            "4XX": components["responses"]["Delivery4xx"];
            default: components["responses"]["DeliveryDefault"];
        };
    };
}
