import { readFileSync } from 'node:fs'
import { ponder } from 'ponder:registry'
import { incoming } from 'ponder:schema'

const ours = new Set(
  JSON.parse(readFileSync(process.env.RECEIVERS, 'utf8')).map((address: string) => address.toLowerCase()),
)

ponder.on('Token:Transfer', async ({ event, context }) => {
  const { from, to, amount } = event.args
  if (!ours.has(to.toLowerCase())) return
  const { address: token } = event.log
  const { number: blockNumber, hash: blockHash } = event.block
  await context.db.insert(incoming).values({ id: event.id, token, from, to, amount, blockNumber, blockHash })
})
