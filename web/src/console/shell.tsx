import type { ReactNode } from 'react'
import { facts, isSandbox } from '../lib/facts.ts'
import { Shell } from '../ui/layout.tsx'
import { useText } from './text.ts'

/** In production, the proxy serves no pages for partners and owners on the host of operators. */
const servesOthers = isSandbox || !facts.hasOperators

/** The frame of the console's pages, except those for partners. It links the pages that this host serves. */
export function ConsoleShell({ right, children }: { right?: ReactNode; children: ReactNode }) {
  const t = useText()
  const link = 'flex min-h-10 items-center rounded-md px-3 text-sm text-soft last:-mr-3 hover:bg-sunken hover:text-text'
  return (
    <Shell
      home="/"
      title={t.nav.title}
      width="wide"
      nav={[
        ...(isSandbox ? [{ label: t.nav.playground, to: '/playground' }] : []),
        ...(facts.hasOperators ? [{ label: t.nav.operator, to: '/operator' }] : []),
        ...(servesOthers ? [{ label: t.nav.partner, to: '/partner' }] : []),
        ...(isSandbox ? [{ label: t.nav.design, to: '/design' }] : []),
      ]}
      right={
        right ?? (
          <>
            <a className={`${link} max-sm:hidden`} href="/docs/">
              {t.nav.documentation}
            </a>
            {servesOthers && (
              <a className={link} href="/app/">
                {t.nav.app}
              </a>
            )}
          </>
        )
      }
    >
      {children}
    </Shell>
  )
}
