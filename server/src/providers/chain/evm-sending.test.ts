import { expect, test } from 'vitest'
import { RpcRejection } from '../rpc/rpc.ts'
import { sendSigned } from './evm-sending.ts'

/** Sends a transaction that the only node rejects with the message. */
const sendTo = (message: string) =>
  sendSigned(
    [
      async () => {
        throw new RpcRejection(-32000, message)
      },
    ],
    '0x02',
  )

test.each([
  'already known',
  'Known transaction',
  'known transaction: 0x12',
  'nonce too low: next nonce 7, tx nonce 6',
  'replacement transaction underpriced',
])('a transaction that a node rejects with %j counts as sent', async (message) => {
  await expect(sendTo(message)).resolves.toBeUndefined()
})

test.each(['unknown transaction type', 'unknown account', 'insufficient funds for gas * price + value'])(
  'sending a transaction fails if its only node rejects it with %j',
  async (message) => {
    await expect(sendTo(message)).rejects.toMatchObject({ code: 'rejected' })
  },
)
