import type { Operator, OperatorPermission } from '@purser/client'
import { rolesOf } from '../permissions.ts'
import { Sheet, Table } from '../table.tsx'
import { useControlText } from '../text/control.ts'
import { useText } from '../text.ts'

const roles: readonly Operator['role'][] = ['viewer', 'support', 'money', 'admin', 'auditor']
const isPermission = (name: string): name is OperatorPermission => Object.hasOwn(rolesOf, name)

/** Shows which role may do what. */
export function PermissionMatrix() {
  const { operators: t } = useControlText()
  const { session } = useText()
  return (
    <section aria-labelledby="permissions" className="mt-8 grid gap-3">
      <h2 id="permissions" className="font-semibold">
        {t.permissions}
      </h2>
      <Sheet>
        <Table
          label={t.permissions}
          rows={Object.keys(rolesOf).filter(isPermission)}
          keyOf={(permission) => permission}
          columns={[
            { head: t.permission, cell: (permission) => <code className="text-xs">{permission}</code> },
            ...roles.map((role) => ({
              head: session.roles[role],
              cell: (permission: OperatorPermission) =>
                rolesOf[permission].includes(role) ? t.permitted : <span className="text-soft">–</span>,
            })),
          ]}
        />
      </Sheet>
    </section>
  )
}
