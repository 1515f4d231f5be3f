import type { Operator, OperatorPermission } from '@purser/client'
import { Matrix, PermissionName } from '../../../ui/matrix.tsx'
import { rolesOf } from '../permissions.ts'
import { Sheet } from '../table.tsx'
import { useControlText } from '../text/control.ts'
import { useText } from '../text.ts'

const roles: readonly Operator['role'][] = ['viewer', 'support', 'money', 'admin', 'auditor']
const isPermission = (name: string): name is OperatorPermission => Object.hasOwn(rolesOf, name)

/** Shows which role may do what. */
export function PermissionMatrix() {
  const { operators: t } = useControlText()
  const { session } = useText()
  return (
    <section aria-labelledby="permissions" className="mt-8 grid grid-cols-1 gap-3">
      <h2 id="permissions" className="font-semibold">
        {t.permissions}
      </h2>
      <Sheet>
        <Matrix
          label={t.permissions}
          head={t.permission}
          rows={Object.keys(rolesOf).filter(isPermission)}
          columns={roles}
          rowHead={(permission) => <PermissionName name={permission} />}
          columnHead={(role) => session.roles[role]}
          has={(permission, role) => rolesOf[permission].includes(role)}
        />
      </Sheet>
    </section>
  )
}
