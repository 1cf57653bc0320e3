import type { Secret } from 'kubernetes-types/core/v1.d.ts'
import type { Role, RoleBinding } from 'kubernetes-types/rbac/v1.d.ts'
import type { Clock } from '../../core/clock.ts'
import type { Run } from '../../core/lifecycle.ts'
import { runTogether } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import type { Random } from '../../core/random.ts'
import { spokeLabels } from '../../fleet/spoke/names.ts'
import type { Informer } from '../../kube/informer.ts'
import { informer, withoutManagedFields } from '../../kube/informer.ts'
import { roleBindings, roles, secrets } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { KubeObject, Resource, Stored } from '../../kube/objects.ts'

/** What the hub made for agents to hand over a way in, and whether they did. */
export interface HandoverView {
  readonly secrets: Informer<Secret>
  readonly roles: Informer<Role>
  readonly roleBindings: Informer<RoleBinding>
  readonly run: Run
}

export function handoverView(kube: Kube, deps: { clock: Clock; random: Random; log: Log }): HandoverView {
  const made = <T extends KubeObject>(
    resource: Resource<T>,
    transform: (object: Stored<T>) => Stored<T> = withoutManagedFields,
  ) =>
    informer(kube.of(resource), {
      ...deps,
      log: deps.log.child({ kind: resource.kind }),
      transform,
      labelSelector: `${spokeLabels.handover}=true`,
    })
  const view = { secrets: made(secrets, withoutValues), roles: made(roles), roleBindings: made(roleBindings) }
  return {
    ...view,
    run: (signal) =>
      runTogether(
        signal,
        Object.values(view).map(({ run }) => run),
      ),
  }
}

/** Only which keys hold anything: no credential stays in memory, and a renewed one is no news. */
function withoutValues(secret: Stored<Secret>): Stored<Secret> {
  withoutManagedFields(secret)
  delete secret.metadata.annotations
  if (secret.data)
    secret.data = Object.fromEntries(
      Object.entries(secret.data).map(([key, value]) => [key, value === '' ? '' : 'set']),
    )
  return secret
}
