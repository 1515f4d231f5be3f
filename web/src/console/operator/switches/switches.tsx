import { useQuery } from '@tanstack/react-query'
import { useTitle } from '../../../lib/session.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { When } from '../../../ui/date.tsx'
import { Panel } from '../../../ui/layout.tsx'
import { Loaded, Skeleton } from '../../../ui/states.tsx'
import { DecideButton } from '../deciding.tsx'
import { OpenProposals } from '../open-proposals.tsx'
import { useOperator } from '../session.tsx'
import { ScreenHead } from '../table.tsx'
import { useControlText } from '../text/control.ts'

/**
 * The kill switches. By default, one person can turn a switch off, so that nobody waits for a second person in an
 * emergency.
 */
export function Switches() {
  const { switches: t } = useControlText()
  const { purser } = useOperator()
  useTitle(t.title)
  const switches = useQuery({
    queryKey: ['operator', 'switches'],
    queryFn: async () => (await purser.operator.switches.list()).data,
  })
  return (
    <>
      <ScreenHead title={t.title} text={t.lead} />
      <OpenProposals
        commands={['switch payouts off', 'switch payouts on', 'switch card-approvals off', 'switch card-approvals on']}
      />
      <Loaded query={switches} loading={<Skeleton className="h-56" />}>
        {(rows) => (
          <div className="grid items-start gap-5 xl:grid-cols-2">
            {rows.map(({ name, isOn, changedAt }) => (
              <Panel
                key={name}
                title={
                  <span className="flex items-center gap-3">
                    {t.names[name].title}
                    <Badge tone={isOn ? 'good' : 'bad'}>{isOn ? t.on : t.off}</Badge>
                  </span>
                }
                action={
                  <DecideButton
                    look={isOn ? 'danger' : 'primary'}
                    request={{ command: `switch ${name} ${isOn ? 'off' : 'on'}`, subject: name }}
                  >
                    {isOn ? t.turnOff : t.turnOn} <span className="sr-only">{t.names[name].title}</span>
                  </DecideButton>
                }
              >
                <p className="text-sm text-soft">
                  {t.names[name].text}{' '}
                  {changedAt === null ? (
                    // A switch whose row is lost counts as off, and nobody turned it off.
                    isOn && t.never
                  ) : (
                    <>
                      {isOn ? t.on : t.off} {t.since} <When at={changedAt} />.
                    </>
                  )}
                </p>
              </Panel>
            ))}
          </div>
        )}
      </Loaded>
    </>
  )
}
