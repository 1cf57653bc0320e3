import { BreakglassEscalation } from '../apis/breakglass/breakglass-escalation.ts'
import { BreakglassSession } from '../apis/breakglass/breakglass-session.ts'
import { DenyPolicy } from '../apis/breakglass/deny-policy.ts'
import type { Clock } from '../core/clock.ts'
import type { Run } from '../core/lifecycle.ts'
import { runTogether } from '../core/lifecycle.ts'
import type { Log } from '../core/log.ts'
import type { Random } from '../core/random.ts'
import type { Informer } from '../kube/informer.ts'
import { informer, withoutManagedFields } from '../kube/informer.ts'
import type { Kube } from '../kube/kube.ts'
import { sessionLabels } from './names.ts'

/** What every replica watches to answer for people: sessions, what they may be asked under, and what forbids. */
export interface AccessView {
  readonly run: Run
  /** `user`: see `userKey`. `slot`: the label. `escalation`: the uid of the owner. */
  readonly sessions: Informer<BreakglassSession, 'name' | 'user' | 'slot' | 'cluster' | 'escalation'>
  readonly escalations: Informer<BreakglassEscalation, 'name' | 'group'>
  readonly policies: Informer<DenyPolicy>
}

/** Of the index `user`: names hold no control characters. */
export const userKey = (cluster: string, user: string): string => `${cluster}\u0000${user}`

export function accessView(kube: Kube, deps: { clock: Clock; random: Random; log: Log }): AccessView {
  const common = (kind: string) => ({ ...deps, log: deps.log.child({ kind }) })
  const view = {
    sessions: informer(kube.of(BreakglassSession.resource), {
      ...common('BreakglassSession'),
      transform: withoutManagedFields,
      indexes: {
        name: ({ metadata }) => [metadata.name],
        user: ({ spec }) => [userKey(spec.cluster, spec.user)],
        slot: ({ metadata }) => present(metadata.labels?.[sessionLabels.slot]),
        cluster: ({ spec }) => [spec.cluster],
        escalation: ({ metadata }) =>
          (metadata.ownerReferences ?? []).filter(({ controller }) => controller).map(({ uid }) => uid),
      },
    }),
    escalations: informer(kube.of(BreakglassEscalation.resource), {
      ...common('BreakglassEscalation'),
      transform: withoutManagedFields,
      indexes: { name: ({ metadata }) => [metadata.name], group: ({ spec }) => present(spec.escalatedGroup) },
    }),
    policies: informer(kube.of(DenyPolicy.resource), { ...common('DenyPolicy'), transform: withoutManagedFields }),
  }
  return {
    ...view,
    run: (signal) =>
      runTogether(
        signal,
        Object.values(view).map(({ run }) => run),
      ),
  }
}

const present = (value: string | undefined): string[] => (value === undefined ? [] : [value])
