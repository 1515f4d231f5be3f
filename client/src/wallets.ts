import { checksumAddress } from './checksum.ts'

/** EIP-712 typed data. */
export type TypedData = {
  readonly domain: Readonly<Record<string, unknown>>
  readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>
  readonly primaryType: string
  readonly message: Record<string, unknown>
}

/** A wallet that signs. A viem account works unchanged. */
export type WalletAdapter = {
  /** The address in EIP-55 form, or a function that asks for it. */
  readonly address: string | (() => Promise<string>)
  signMessage(request: { message: string }): Promise<string>
  /** Signs typed data, such as the challenge of a card view. */
  signTypedData?(data: TypedData): Promise<string>
  /** Returns the chain that the wallet is on. */
  chainId?(): Promise<number>
}

type ViemClient = {
  readonly account?: { readonly address: string } | undefined
  signMessage(request: { account: never; message: string }): Promise<string>
  signTypedData(request: never): Promise<string>
  getChainId(): Promise<number>
}

/** Adapts a viem wallet client with an account. */
export function viemWallet(client: ViemClient): WalletAdapter {
  const { account } = client
  if (account === undefined) throw new TypeError('the wallet client needs an account')
  return {
    address: account.address,
    signMessage: ({ message }) => client.signMessage({ account: account as never, message }),
    signTypedData: (data) => client.signTypedData({ account, ...data } as never),
    chainId: () => client.getChainId(),
  }
}

type EthersSigner = {
  getAddress(): Promise<string>
  signMessage(message: string): Promise<string>
  signTypedData(domain: object, types: never, message: never): Promise<string>
  readonly provider: { getNetwork(): Promise<{ readonly chainId: bigint }> } | null
}

/** Adapts a signer of ethers 6. */
export function ethersWallet(signer: EthersSigner): WalletAdapter {
  const { provider } = signer
  return {
    address: () => signer.getAddress(),
    signMessage: ({ message }) => signer.signMessage(message),
    signTypedData({ domain, types, message }) {
      // Signers of ethers add the `EIP712Domain` type themselves.
      const { EIP712Domain: _domain, ...rest } = types
      return signer.signTypedData(domain, rest as never, message as never)
    },
    ...(provider && { chainId: async () => Number((await provider.getNetwork()).chainId) }),
  }
}

type Eip1193Provider = { request(request: { method: string; params?: never }): Promise<unknown> }

/** Adapts a provider of a browser wallet (EIP-1193), such as `window.ethereum`. Its first account signs. */
export function eip1193Wallet(provider: Eip1193Provider): WalletAdapter {
  async function ask(method: string, ...params: readonly string[]): Promise<string> {
    const result = await provider.request({ method, params: params as never })
    const first: unknown = Array.isArray(result) ? result[0] : result
    if (typeof first !== 'string') throw new TypeError(`the wallet returned no string for ${method}`)
    return first
  }
  const address = async () => checksumAddress(await ask('eth_requestAccounts'))
  return {
    address,
    signMessage: async ({ message }) => ask('personal_sign', hexOf(message), await address()),
    signTypedData: async (data) => ask('eth_signTypedData_v4', await address(), JSON.stringify(withDomainType(data))),
    chainId: async () => Number(await ask('eth_chainId')),
  }
}

const domainTypes: Readonly<Record<string, string>> = {
  name: 'string',
  version: 'string',
  chainId: 'uint256',
  verifyingContract: 'address',
  salt: 'bytes32',
}

/** Adds the type of the domain, which browser wallets require. */
export function withDomainType({ types, ...data }: TypedData): TypedData {
  const fields = Object.entries(domainTypes).filter(([name]) => name in data.domain)
  return { ...data, types: { EIP712Domain: fields.map(([name, type]) => ({ name, type })), ...types } }
}

function hexOf(text: string): string {
  const bytes = new TextEncoder().encode(text)
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
