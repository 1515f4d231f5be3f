import { readFile } from 'node:fs/promises'
import { type Command, Failure, UsageError } from '../command.ts'
import { type Context, clientFor, userToken } from '../context.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Sends one authenticated request to any path. */
export const apiCommand: Command = {
  name: 'api',
  summary: 'Sends a request to any path, with your credentials',
  detail:
    'Sandbox paths use the password of the simulator, operator paths use your wallet, and partner paths use your API key. A POST that takes an idempotency key gets one and is retried.',
  arguments: [
    { name: 'method', description: 'The method', choices: methods },
    { name: 'path', description: 'The path with its query, such as /user/statement?limit=5' },
  ],
  options: [
    { name: 'data', value: 'json', description: 'The body: JSON, @file, or - for standard input' },
    { name: 'key', value: 'key', description: 'The idempotency key' },
    { name: 'include', description: 'Also prints the status and the headers, to standard error' },
  ],
  examples: ['api GET /user/statement', `api POST /sandbox/clock --data '{"advanceSeconds":3600}'`],
  async run(context, given) {
    const [method, path] = [given.text('method'), given.text('path')]
    if (!/^\/(?!\/)/.test(path)) throw new UsageError('The path must begin with one slash, such as /health.')
    const { pathname, searchParams } = new URL(path, 'http://localhost')
    const data = given.optional('data')
    const body = data === undefined ? undefined : await bodyOf(context, data)
    const key = given.optional('key')
    const purser = await clientFor(context, pathname)
    const call = purser.request(method, pathname, {
      query: Object.fromEntries(searchParams),
      signal: context.signal,
      ...(body === undefined ? {} : { body }),
      ...(key === undefined ? {} : { idempotencyKey: key }),
    })
    const { data: result, response } = await call.withResponse()
    if (given.has('include')) {
      context.out.note(`${response.status}`)
      response.headers.forEach((value, name) => {
        context.out.note(`${name}: ${value}`)
      })
    }
    context.out.result(result, typeof result === 'string' ? [result] : undefined)
  },
}

/** Lets other programs act as the user. */
export const tokenCommand: Command = {
  name: 'token',
  summary: 'Signs in with your wallet, and prints the access token',
  detail: 'It signs in as the current sandbox user if no wallet is set.',
  examples: ['token'],
  async run(context) {
    const token = await userToken(context)
    context.out.result({ token }, [token])
  },
}

async function bodyOf({ readInput }: Context, data: string): Promise<unknown> {
  const text = data === '-' ? await readInput() : data.startsWith('@') ? await fileText(data.slice(1)) : data
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError('--data must be JSON, @file or -.')
  }
}

async function fileText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${path} cannot be read (${error.code}). Check the path and its permissions.`)
  })
}
