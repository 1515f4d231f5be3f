import type { DeclineCode } from '../../server/src/cards/transactions/rules.ts'

/** The cause of each decline, and what to do. The compiler requires a row for each new code. */
export const declineTexts: Readonly<Record<DeclineCode | 'PFT', { readonly cause: string; readonly advice: string }>> =
  {
    FR7: {
      cause: 'No card has the card token or id of the message.',
      advice: 'Check that the processor sends the card token that it returned when Purser created the card.',
    },
    OFF: {
      cause: 'An operator has turned card approvals off with the kill switch. It applies to all cards.',
      advice: 'Tell cardholders that payments are paused. Deposits, withdrawals and refunds continue.',
    },
    FRB: {
      cause: 'The card is still `provisioning`: the issuer has not activated it.',
      advice: 'Wait for the event `card.activated`.',
    },
    UBT: {
      cause: 'An owner, the issuer or compliance has blocked the card.',
      advice:
        'If only an owner has blocked the card, any owner can unblock it. Otherwise, the user must contact support.',
    },
    BND: { cause: 'The card is canceled, which is final.', advice: 'Create another card.' },
    BNP: { cause: 'The card was reported lost, which is final.', advice: 'Use the replacement card.' },
    BNR: { cause: 'The card was reported stolen, which is final.', advice: 'Use the replacement card.' },
    VNM: { cause: 'The card has expired.', advice: 'Create another card.' },
    CNC: { cause: 'The user or the account is closed.', advice: 'Nothing: the customer relationship has ended.' },
    CND: {
      cause: 'The account is not active, or identity verification is not approved.',
      advice: 'Check `GET /user/onboarding` for an incomplete step. A blocked account needs an operator.',
    },
    CLO: {
      cause:
        'An incremental authorization or a replacement would raise an authorization that has ended or was declined.',
      advice: 'The merchant starts a new payment.',
    },
    MCC: {
      cause: 'The programme does not allow this type of merchant, by its merchant category code (MCC).',
      advice: 'Pay at another merchant.',
    },
    CTY: {
      cause: 'The programme does not allow payments in the country of the merchant.',
      advice: 'Pay in another country.',
    },
    LIM: {
      cause: "The payment exceeds a limit on the amount: the programme's, or one that the owner set on the card.",
      advice:
        'Show the limits of `GET /cards/{cardId}/limits`. The owner can raise the limits of the card up to those of the programme.',
    },
    VEL: {
      cause: "The user's cards have made too many authorizations in a period.",
      advice: 'Try again later.',
    },
    PFT: {
      cause: 'Reserved for an anti-fraud check. Purser never declines with this code.',
      advice: 'Handle it now. Your integration then needs no change when such a check is added.',
    },
    '810': {
      cause: "The spendable balance in the account's currency is lower than the amount.",
      advice: 'Deposit money, or pay a smaller amount. Pending deposits and holds are not spendable.',
    },
    TMO: {
      cause: 'Purser could not decide before the deadline of the processor. Nothing is held.',
      advice: 'Try again. Operators watch the rate of this code.',
    },
  }
