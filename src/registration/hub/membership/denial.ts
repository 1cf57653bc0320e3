import type { ConditionReport } from '../../../core/conditions.ts'
import type { Outcome } from '../../../core/outcome.ts'
import { requeueAfter } from '../../../core/outcome.ts'
import { conditions } from '../../../fleet/names.ts'
import { ensure } from '../../../fleet/wanted/ensure.ts'
import { clusterRoleBindings, clusterRoles } from '../../../kube/kinds.ts'
import { reasons } from '../../reasons.ts'
import { cannotBe, ensureFinalizers, notInPlace } from './acceptance.ts'
import { revokeFrom } from './by-driver.ts'
import type { Cluster, Membership } from './context.ts'
import { lookAgainMs, together } from './context.ts'
import { deniedRbac } from './rbac.ts'
import { dropCopy } from './record-copy.ts'
import { conditionOf, report, reporting } from './report.ts'
import { removeRegistrationBinding, removeWorkBinding, traces } from './rights.ts'

export const denied: ConditionReport = {
  type: conditions.accepted,
  status: 'False',
  reason: reasons.HubClusterAdminDenied,
  message: 'Denied by hub cluster admin',
}

/** Takes the rights of a cluster back that was accepted before. Its own view of itself stays, so that it can see why. */
export async function deny(membership: Membership, cluster: Cluster, signal: AbortSignal): Promise<Outcome> {
  const { kube, view, settings, checkpoint } = membership
  const { name } = cluster.metadata
  return await reporting(membership, cluster, notInPlace, signal, async () => {
    const held = await ensureFinalizers(membership, cluster, 'denied', signal)
    const { clusterRole, clusterRoleBinding } = deniedRbac(name, settings.labels)
    const own = clusterRole.metadata.name
    await together([
      ensure(kube.of(clusterRoles), clusterRole, view.clusterRoles.get(own), signal),
      ensure(kube.of(clusterRoleBindings), clusterRoleBinding, view.clusterRoleBindings.get(own), signal),
    ])
    checkpoint('denial.rights-shrunk')
    const isOver = conditionOf(held, denied.type)?.reason === denied.reason && !traces(membership, name).bindings
    const worksLeft = isOver ? 0 : await removeBindings(membership, name, signal)
    checkpoint('denial.registration-removed')
    const revoked = await revokeFrom(membership, held, signal)
    if (revoked.outcome === 'terminal') await report(membership, held, cannotBe(revoked.failure), signal)
    if (revoked.outcome !== 'done') return revoked
    await dropCopy(membership, held, signal)
    await report(membership, held, denied, signal)
    checkpoint('denial.reported')
    return worksLeft > 0 ? requeueAfter(lookAgainMs) : revoked
  })
}

async function removeBindings(membership: Membership, cluster: string, signal: AbortSignal): Promise<number> {
  const removingWork = removeWorkBinding(membership, cluster, signal)
  await together([removeRegistrationBinding(membership, cluster, signal), removingWork])
  return await removingWork
}
