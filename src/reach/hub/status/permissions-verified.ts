import { spokeReasons } from '../../../fleet/spoke/index.ts'
import { permissionName } from '../permissions.ts'
import type { Rule } from '../status-of.ts'

/** Apart from Ready: a cluster can be got into with too few rights, and the way in is then not what is wrong. */
export const permissionsVerified: Rule = ({ config, result, before }) => {
  const { failure, permissions = [] } = result
  if (failure?.isThrottled || (failure && !before)) return undefined
  if (failure) return unknown('the cluster cannot be asked before it can be got into')
  const missing = permissions.filter(({ isAllowed }) => isAllowed === false)
  if (missing.length > 0)
    return {
      status: 'False',
      reason: spokeReasons.PermissionsMissing,
      message: `the hub may not ${missing.map(permissionName).join(', ')}; \`lanyard reach rbac ${config.metadata.name}\` prints what it needs`,
    }
  const unanswered = permissions.filter(({ isAllowed }) => isAllowed === undefined)
  if (permissions.length === 0 || unanswered.length > 0)
    return unknown('the cluster did not say what the hub may do; it is asked again')
  return {
    status: 'True',
    reason: spokeReasons.PermissionsGranted,
    message: `the hub may ${permissions.map(permissionName).join(', ')}`,
  }
}

const unknown = (message: string) => ({
  status: 'Unknown' as const,
  reason: spokeReasons.PermissionsUnknown,
  message,
})
