import type { Step } from '../../core/step.ts'
import { serviceAccount } from '../../fleet/manifests/rbac.ts'
import { handoverAccount } from '../../fleet/spoke/names.ts'
import { spokeBinding, spokeRole } from '../../fleet/spoke/rbac.ts'
import { clusterRoleBindings, clusterRoles } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import { removeAccount } from '../handover/account.ts'

/**
 * What an agent that offered a way in leaves on its cluster: the account, which every token ends with, and its rights.
 * The role stays as long as another identity of a hub is bound to it. Repeats well.
 */
export async function* removeHandover(
  namespace: string,
  { kube, signal }: { kube: Kube; signal: AbortSignal },
): AsyncGenerator<Step> {
  const hadAccount = await removeAccount(kube, namespace, signal)
  const bindings = kube.of(clusterRoleBindings)
  const hadRights = await bindings.delete(spokeBinding(serviceAccount(namespace, handoverAccount)), { signal })
  if (!hadAccount && !hadRights) return
  const { items } = await bindings.list({ signal })
  if (!items.some(({ roleRef }) => roleRef.name === spokeRole))
    await kube.of(clusterRoles).delete(spokeRole, { signal })
  yield { did: 'the way in of the hub is closed' }
}
