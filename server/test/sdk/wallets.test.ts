import { Wallet } from 'ethers'
import fc from 'fast-check'
import { createWalletClient, custom } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { getAddress } from 'viem/utils'
import { expect, test } from 'vitest'
import { checksumAddress } from '../../../client/src/checksum.ts'
import {
  createPurser,
  eip1193Wallet,
  ethersWallet,
  simulator,
  viemWallet,
  type WalletAdapter,
  walletSession,
} from '../../../client/src/index.ts'
import { useService } from '../support/service.ts'

const service = useService()

/** A browser wallet with one account, whose address has no checksum. */
function providerOf(key: `0x${string}`) {
  const account = privateKeyToAccount(key)
  return {
    async request({ method, params = [] }: { method: string; params?: any }): Promise<unknown> {
      switch (method) {
        case 'eth_requestAccounts':
          return [account.address.toLowerCase()]
        case 'eth_chainId':
          return '0x1'
        case 'personal_sign':
          expect(getAddress(params[1])).toBe(account.address)
          return account.signMessage({ message: { raw: params[0] } })
        case 'eth_signTypedData_v4':
          return account.signTypedData(JSON.parse(params[1]))
        default:
          throw new Error(method)
      }
    },
  }
}

const wallets: Record<string, (key: `0x${string}`) => WalletAdapter> = {
  'a viem account': (key) => privateKeyToAccount(key),
  'a viem wallet client': (key) =>
    viemWallet(createWalletClient({ account: privateKeyToAccount(key), transport: custom(providerOf(key)) })),
  'an ethers signer': (key) => ethersWallet(new Wallet(key)),
  'a browser wallet': (key) => eip1193Wallet(providerOf(key)),
}

test.each(Object.entries(wallets))('%s signs in and signs the challenge of a card view', async (_name, adapt) => {
  const key = generatePrivateKey()
  const wallet = adapt(key)
  const session = walletSession(wallet, {
    domain: 'localhost',
    uri: 'http://localhost',
    statement: 'Sign in to Purser.',
  })
  const purser = createPurser({ baseUrl: service.url, auth: [session, simulator()] })
  await purser.sandbox.users.create({ address: privateKeyToAccount(key).address })
  const { cardId } = await purser.cards.create({ cardName: 'One', phone: '+4915123456789' })
  const action = 'view-pin'
  const challenge = await purser.cardViews.getChallenge(cardId, { action })
  const signature = (await wallet.signTypedData?.(challenge)) ?? ''
  const view = await purser.cardViews.create(cardId, { action, nonce: challenge.message.nonce, signature })
  expect(view.frameUrl).toContain('http')
})

test('checksumAddress returns the EIP-55 form of every address', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 160n - 1n }), (number) => {
      const address = `0x${number.toString(16).padStart(40, '0')}` as const
      expect(checksumAddress(address)).toBe(getAddress(address))
    }),
    { numRuns: 50 },
  )
})
