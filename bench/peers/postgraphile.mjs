import { createServer } from 'node:http'
import pg from 'pg'
import { postgraphile } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { grafserv } from 'postgraphile/grafserv/node'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'
import { userOf } from './tokens.mjs'

/**
 * Serves the statement with PostGraphile: a view of the user's movements, which smart tags make an interface with one
 * type for each kind of movement. As its documentation shows, the user of the token is a setting of the transaction.
 * Queries over GET are on, and the data is written without an intermediate object, which is its fastest output.
 */
const chain = 'fiat_currency,tx_hash,chain_id'
const card =
  'updated_at,original_amount,original_currency,original_decimals,authorization_id,authorization_code,mcc,' +
  'merchant_name,merchant_city,merchant_country,entry_mode,card_id,card_token,cleared_at,kind,decline_code,decline_message'
const smartTags = [
  '@interface mode:single type:type',
  `@type deposit name:Deposit attributes:${chain},from_address`,
  `@type withdrawal name:Withdrawal attributes:${chain},to_address`,
  `@type card_transaction name:CardTransaction attributes:${card}`,
  '@primaryKey id',
]
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 8 })
await pool.query(`
  create schema if not exists api;
  create or replace view api.movement as
    select * from public.peer_movement where user_id = current_setting('jwt.claims.user_id')::uuid;
  comment on view api.movement is e'${smartTags.join('\\n')}'`)

const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ pool, schemas: ['api'] })],
  grafserv: { graphqlOverGET: true, outputDataAsString: true },
  grafast: {
    context: async ({ node }) => ({
      pgSettings: { 'jwt.claims.user_id': await userOf(node?.req.headers.authorization) },
    }),
  },
})

const server = createServer()
await instance.createServ(grafserv).addTo(server)
server.listen(Number(process.env.PORT), '127.0.0.1')
