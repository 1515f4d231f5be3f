import { useQuery } from '@tanstack/react-query'
import { useSignedIn } from '../../lib/session.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Panel } from '../../ui/layout.tsx'
import { pollAfter } from '../../ui/poll.ts'
import { Loaded, Skeleton } from '../../ui/states.tsx'
import { useSentences } from './partner.tsx'
import { useText } from './text.ts'

const pollMilliseconds = 2_000

/** Reads an event, and polls it while one of its deliveries is pending. */
export function useEvent(eventId: string) {
  const { purser } = useSignedIn()
  return useQuery({
    queryKey: ['event', eventId],
    queryFn: async () => purser.partner.events.get(eventId),
    refetchInterval: ({ state }) =>
      state.data?.deliveries.some(({ status }) => status === 'pending') === true &&
      pollAfter(pollMilliseconds, state.error),
  })
}

/** The event as endpoints receive it. */
export function EventBody({ eventId }: { eventId: string }) {
  const t = useText()
  const event = useEvent(eventId)
  const sentences = useSentences('events:read')
  return (
    <Panel title={t.events.body}>
      <Loaded query={event} loading={<Skeleton className="h-64" />} sentences={sentences}>
        {(data) => <CodeBlock label={t.events.body} code={JSON.stringify(data.event, null, 2)} />}
      </Loaded>
    </Panel>
  )
}
