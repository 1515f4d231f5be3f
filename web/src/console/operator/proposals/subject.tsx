import { CopyId } from '../../../ui/copy.tsx'
import { IdLink } from '../values.tsx'

/** The areas of commands whose subjects have a screen of their own. */
const screens: Readonly<Record<string, string>> = { user: 'users', payouts: 'payouts', partner: 'partners' }

/** The subject of a proposal or decision. Users, payouts and partners link to their screens. */
export function Subject({ command, subject }: { command: string; subject: string }) {
  const [area = ''] = command.split(' ')
  const screen = screens[area]
  if (screen !== undefined) return <IdLink to={`/operator/${screen}/${subject}`} id={subject} />
  if (/^(0x)?[0-9a-f:x-]{20,}$/i.test(subject)) return <CopyId id={subject} />
  return <span className="wrap-anywhere">{subject}</span>
}
