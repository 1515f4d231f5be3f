import { lazyRouteComponent } from '@tanstack/react-router'
import type { Screen } from '../screen.ts'

export const proposals: readonly Screen[] = [
  {
    path: '/proposals',
    component: lazyRouteComponent(() => import('./proposals.tsx'), 'Proposals'),
    may: 'decisions:read',
    menu: ['decisions', 'proposals'],
  },
  {
    path: '/proposals/$proposalId',
    component: lazyRouteComponent(() => import('./proposal.tsx'), 'ProposalScreen'),
    may: 'decisions:read',
  },
]
