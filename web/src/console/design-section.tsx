import type { ReactNode } from 'react'
import { Panel } from '../ui/layout.tsx'

type Props = { readonly title: string; readonly isFlush?: boolean; readonly children: ReactNode }

/** A part of the design page. It is never split over two columns. */
export function Section({ title, isFlush = false, children }: Props) {
  return (
    <div className="mb-6 break-inside-avoid">
      <Panel title={title} isFlush={isFlush}>
        {isFlush ? children : <div className="grid grid-cols-1 gap-5">{children}</div>}
      </Panel>
    </div>
  )
}
