// Sends one request as curl does, for tests of documented commands: curl [-s] [-w text] [-u user] [-H header] [-d body]
// url
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    'write-out': { type: 'string', short: 'w', default: '' },
    user: { type: 'string', short: 'u' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd' },
  },
})
const headers = values.header.map((header): [string, string] => {
  const [name = '', ...text] = header.split(':')
  return [name, text.join(':').trim()]
})
if (values.user !== undefined) headers.push(['authorization', `Basic ${btoa(values.user)}`])
const [url = ''] = positionals
const response = await fetch(url, {
  method: values.data === undefined ? 'GET' : 'POST',
  headers,
  ...(values.data === undefined ? {} : { body: values.data }),
})
process.stdout.write((await response.text()) + values['write-out'].replaceAll('\\n', '\n'))
