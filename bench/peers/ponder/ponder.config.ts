import { readFileSync } from 'node:fs'
import { createConfig } from 'ponder'

export const transfer = {
  type: 'event',
  name: 'Transfer',
  inputs: [
    { name: 'from', type: 'address', indexed: true },
    { name: 'to', type: 'address', indexed: true },
    { name: 'amount', type: 'uint256', indexed: false },
  ],
}

const { URL_OF_NODE, TOKEN, FIRST_BLOCK, LAST_BLOCK, RECEIVERS, FILTER } = process.env
const receivers = JSON.parse(readFileSync(RECEIVERS, 'utf8'))

export default createConfig({
  database: { kind: 'postgres', connectionString: process.env.DATABASE_URL },
  chains: { anvil: { id: 31337, rpc: URL_OF_NODE, maxRequestsPerSecond: 10000 } },
  contracts: {
    Token: {
      chain: 'anvil',
      abi: [transfer],
      address: TOKEN,
      startBlock: Number(FIRST_BLOCK),
      endBlock: Number(LAST_BLOCK),
      ...(FILTER === 'topics' ? { filter: { event: 'Transfer', args: { to: receivers } } } : {}),
    },
  },
})
