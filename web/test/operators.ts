import { createPurser, operatorSession, type Proposal, type Purser } from '@purser/client'
import { createPublicClient, http, parseAbi } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Service } from './service.ts'

/** Operators that work over the API, and access to the chain, for the stories of operators. */

/** The test operator of every sandbox, an admin. Its key is public. */
const testOperator = privateKeyToAccount('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d')

type OperatorPerson = { readonly account: PrivateKeyAccount; readonly purser: Purser }

export function operatorAt(service: Service, account: PrivateKeyAccount = testOperator): OperatorPerson {
  return {
    account,
    purser: createPurser({ baseUrl: service.url, auth: operatorSession(account, { consoleUrl: service.url }) }),
  }
}

type Change = Parameters<Purser['operator']['proposals']['create']>[0]

/** Proposes a change over the API, as the console does. */
export async function propose({ account, purser }: OperatorPerson, change: Change): Promise<Proposal> {
  const prepared = await purser.operator.proposals.create(change)
  if ('proposalId' in prepared) throw new Error('it was proposed without a signature')
  const { typedData, stateHash, expires } = prepared
  const signature = await account.signTypedData(typedData as never)
  const proposal = await purser.operator.proposals.create({ ...change, signed: { stateHash, expires, signature } })
  if (!('proposalId' in proposal)) throw new Error('the signature was ignored')
  return proposal
}

/** Approves the proposal of another person over the API. */
export async function approve({ account, purser }: OperatorPerson, { proposalId, typedData }: Proposal) {
  const signature = await account.signTypedData(typedData as never)
  return purser.operator.proposals.approve(proposalId, { signature })
}

/** Adds a wallet of another person as an operator. */
export async function addOperator(service: Service, address: string, role = 'money', person = 'Grace Hopper') {
  const reason = 'a second person is needed'
  await propose(operatorAt(service), {
    command: 'operator add',
    subject: address,
    arguments: { role, person },
    reason,
  })
}

type Token = { readonly address: `0x${string}`; readonly currency: string; readonly decimals: number }

export async function eurToken(service: Service): Promise<Token> {
  const { data } = await service.sandbox<{ data: Token[] }>('GET', '/tokens')
  const token = data.find(({ currency }) => currency === 'EUR')
  if (token === undefined) throw new Error('no token in EUR')
  return token
}

/** An amount of whole euros in token units. */
export const euros = ({ decimals }: Token, amount: number) => `${amount}${'0'.repeat(decimals)}`

/**
 * The code of a token that accepts every transfer and pays nobody. It returns 10^24 for calls with one argument, such
 * as `balanceOf`, so that the service goes on paying, and 1 for all others.
 */
const silentToken = '0x36602414601157600160005260206000f35b69d3c21bcecceda100000060005260206000f3'

/** The service's own chain. */
export async function chainOf(service: Service) {
  const { rpcUrl } = await service.sandbox<{ rpcUrl: string }>('GET', '/chain')
  const client = createPublicClient({ transport: http(rpcUrl) })
  const { address } = await eurToken(service)
  const abi = parseAbi(['function balanceOf(address) view returns (uint256)'])
  const setCode = (code: string) =>
    client.request({ method: 'anvil_setCode' as never, params: [address, code] as never })
  return {
    /** The euros of an address, in token units. */
    balanceOf: (holder: string) =>
      client.readContract({ address, abi, functionName: 'balanceOf', args: [holder as `0x${string}`] }),
    /** Lets the token accept every transfer and pay nobody, until the returned function is called. */
    async breakToken(): Promise<() => Promise<void>> {
      const code = await client.getCode({ address })
      await setCode(silentToken)
      return async () => void (await setCode(code ?? '0x'))
    },
  }
}
