import { LinkButton } from './button.tsx'
import { Empty } from './states.tsx'
import { useUiText } from './text.ts'

/** Shown for an address that no page has. */
export function Missing({ home }: { home: string }) {
  const ui = useUiText()
  const back = <LinkButton to={home}>{ui.back}</LinkButton>
  return <Empty isPage title={ui.notFoundTitle} text={ui.notFoundText} action={back} />
}
