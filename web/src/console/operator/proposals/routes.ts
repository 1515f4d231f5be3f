import { lazyPage } from '../../../ui/lazy-page.tsx'
import type { Screen } from '../screen.ts'

export const proposals: readonly Screen[] = [
  {
    path: '/proposals',
    component: lazyPage(() => import('./proposals.tsx'), 'Proposals'),
    may: 'decisions:read',
    menu: ['decisions', 'proposals'],
  },
  {
    path: '/proposals/$proposalId',
    component: lazyPage(() => import('./proposal.tsx'), 'ProposalScreen'),
    may: 'decisions:read',
  },
]
