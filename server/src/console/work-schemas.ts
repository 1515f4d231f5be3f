import { Type } from 'typebox'
import type { ChainConfig } from '../config/chains.ts'
import { factoryTransaction } from '../lib/deposit-address.ts'
import { partnerStatuses } from '../lib/partner-status.ts'
import { nameOfTransfer } from '../money/watcher/rules.ts'
import { Amount, DateTime, nullable, oneOf, TxHash, Uuid } from '../platform/http/schemas.ts'
import { killSwitches } from '../switches/rules.ts'
import { publicId } from '../webhooks/rules.ts'
import { EventId } from '../webhooks/schemas.ts'
import type { DomainRow, PartnerRow } from './partners.ts'
import {
  type ChainProgress,
  type DeadLetter,
  type DepositRow,
  type PayoutRow,
  type ReviewRow,
  type UnknownArrivalRow,
  type WaitingWork,
  workKinds,
} from './work.ts'

const Text = Type.String()
const TextOrNull = nullable(Text)
const Count = Type.Integer()

export const WorkRecord = Type.Object(
  {
    work: oneOf(workKinds),
    count: Type.Integer({ maximum: 1000 }),
    isMore: Type.Boolean({ description: 'Whether more than `count` items wait. Counting stops at 1,000.' }),
    oldestAt: nullable(DateTime),
    path: Type.String({ description: 'The list of this work.' }),
  },
  { title: 'WaitingWork' },
)

export const workRecord = ({ oldest, ...work }: WaitingWork) => ({
  ...work,
  oldestAt: oldest?.toISOString() ?? null,
})

export const ReviewRecord = Type.Object(
  {
    reviewId: Type.String({ ...Uuid, description: 'The card transaction or card message to check.' }),
    userId: Uuid,
    kind: Text,
    status: Type.String({ description: 'The status of the card transaction, or `deferred` for a deferred message.' }),
    currency: Text,
    amount: nullable(Amount),
    createdAt: DateTime,
  },
  { title: 'Review' },
)

export const reviewRecord = ({ amountMinor, createdAt, ...review }: ReviewRow) => ({
  ...review,
  amount: amountMinor === null ? null : String(amountMinor),
  createdAt: createdAt.toISOString(),
})

export const DepositRecord = Type.Object(
  {
    depositId: nullable(Type.String({ ...Uuid, description: 'Null: the transfer is not recorded as a deposit yet.' })),
    transfer: nullable(
      Type.String({
        description: 'A transfer with an unknown arrival. Its deposit is pending until the arrival is known.',
      }),
    ),
    userId: Uuid,
    chainId: Count,
    token: Text,
    amount: Amount,
    fromAddress: Text,
    txHash: TxHash,
    status: Text,
    chainState: Text,
    screening: Text,
    riskScore: Type.Integer({ examples: [5] }),
    riskTier: Text,
    returnState: TextOrNull,
    attempts: Count,
    createdAt: DateTime,
  },
  { title: 'OperatorDeposit' },
)

export const depositRecord = ({ amount, createdAt, ...deposit }: DepositRow) => ({
  ...deposit,
  transfer: null,
  amount: String(amount),
  createdAt: createdAt.toISOString(),
})

/** A transfer without a known arrival, with the amount that it claims. */
export const arrivalRecord = (transfer: UnknownArrivalRow) => ({
  ...{ depositId: transfer.depositId, transfer: nameOfTransfer(transfer), userId: transfer.userId },
  ...{ chainId: transfer.chainId, token: transfer.token, amount: String(transfer.claimed) },
  ...{ fromAddress: transfer.fromAddress, txHash: transfer.txHash, status: 'pending', chainState: 'unfinal' },
  ...{ screening: transfer.screening ?? 'pending', riskScore: transfer.riskScore ?? 0 },
  ...{ riskTier: transfer.riskTier ?? 'unknown' },
  ...{ returnState: null, attempts: 0, createdAt: transfer.createdAt.toISOString() },
})

export const PayoutRecord = Type.Object(
  {
    withdrawalId: Uuid,
    userId: nullable(Uuid),
    depositId: nullable(Type.String({ ...Uuid, description: 'The deposit that is returned; null: a withdrawal.' })),
    chainId: Count,
    token: Text,
    amount: Amount,
    toAddress: Text,
    status: Text,
    txHash: nullable(TxHash),
    nonce: TextOrNull,
    isMined: Type.Boolean(),
    unpaid: nullable(
      Type.String({ description: '`open`: the payout is final but paid nobody, and waits for a decision.' }),
    ),
    attempts: Count,
    createdAt: DateTime,
  },
  { title: 'OperatorPayout' },
)

export const payoutRecord = ({ payoutNonce, amount, createdAt, ...payout }: PayoutRow) => ({
  ...payout,
  nonce: payoutNonce === null ? null : String(payoutNonce),
  amount: String(amount),
  createdAt: createdAt.toISOString(),
})

export const DeadLetterRecord = Type.Object(
  {
    endpointId: Uuid,
    partnerId: Uuid,
    eventId: EventId,
    type: Text,
    attempts: Count,
    attemptedAt: nullable(DateTime),
    responseStatus: nullable(Count),
    error: TextOrNull,
  },
  { title: 'DeadLetter' },
)

export const deadLetterRecord = ({ position: _position, eventId, attemptedAt, ...letter }: DeadLetter) => ({
  ...letter,
  eventId: publicId(eventId),
  attemptedAt: attemptedAt?.toISOString() ?? null,
})

export const ChainRecord = Type.Object(
  {
    chainId: Count,
    seenBlock: Text,
    finalBlock: Text,
    isWatched: Type.Boolean({ description: 'Whether a process holds the lease of the chain.' }),
    updatedAt: DateTime,
    treasury: nullable(Text),
    factory: nullable(
      Type.Object({
        address: Text,
        deployment: nullable(
          Type.Object(
            { to: Text, data: Text },
            {
              description:
                'The transaction that deploys the factory. Null if `FACTORY_<chainId>` names a different factory.',
            },
          ),
        ),
      }),
    ),
    payoutWallets: Type.Array(
      Type.Object({
        address: Text,
        unreadNonce: Type.String({
          description: 'The first nonce that Purser has neither stored nor read from the chain.',
        }),
      }),
    ),
  },
  { title: 'WatchedChain' },
)

export const chainRecord = ({ seenBlock, finalBlock, updatedAt, wallets, configured, ...chain }: ChainProgress) => ({
  ...{ chainId: chain.chainId, seenBlock: String(seenBlock), finalBlock: String(finalBlock) },
  ...{ isWatched: chain.isWatched, updatedAt: updatedAt.toISOString() },
  treasury: configured?.treasury ?? null,
  factory: configured && factoryRecord(configured),
  payoutWallets: wallets.map(({ signer, unreadNonce }) => ({ address: signer, unreadNonce: String(unreadNonce) })),
})

function factoryRecord({ factory, treasury }: ChainConfig) {
  if (factory === null || treasury === null) return null
  return { address: factory, deployment: factoryTransaction(factory, treasury) }
}

export const PartnerSummary = Type.Object(
  { partnerId: Uuid, name: Text, status: oneOf(partnerStatuses), createdAt: DateTime },
  { title: 'PartnerSummary' },
)

export const partnerSummary = ({ createdAt, ...partner }: PartnerRow) => ({
  ...partner,
  createdAt: createdAt.toISOString(),
})

export const SignInDomainRecord = Type.Object(
  {
    domain: Text,
    partnerId: nullable(Type.String({ ...Uuid, description: 'Null: an operator registered the domain.' })),
    createdAt: DateTime,
  },
  { title: 'SignInDomain' },
)

export const signInDomainRecord = ({ createdAt, ...domain }: DomainRow) => ({
  ...domain,
  createdAt: createdAt.toISOString(),
})

export const SwitchRecord = Type.Object(
  { name: oneOf(killSwitches), isOn: Type.Boolean(), changedAt: nullable(DateTime) },
  { title: 'KillSwitch' },
)
