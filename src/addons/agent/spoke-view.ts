import type { Lease } from 'kubernetes-types/coordination/v1.d.ts'
import { aborted, runTogether } from '../../core/lifecycle.ts'
import { labels } from '../../fleet/names.ts'
import type { Informer } from '../../kube/informer.ts'
import { informer, withoutManagedFields } from '../../kube/informer.ts'
import { leases, namespaces, secrets } from '../../kube/kinds.ts'
import type { Crew } from './crew.ts'
import type { AddonAgentDeps } from './deps.ts'

export interface SpokeChanges {
  onSecret(namespace: string, name: string): void
  onNamespace(namespace: string): void
  /** By the name of the add-on: its lease has the same. */
  onLease(namespace: string, addon: string): void
}

/** What the agent looks at on the managed cluster, in the namespaces that add-ons are in and in no others. */
export interface SpokeView {
  /** Watches these and no others. */
  follow(wanted: ReadonlySet<string>): Promise<void>
  /** Undefined until everything there is has been seen. */
  leasesIn(namespace: string): Informer<Lease> | undefined
}

export function spokeView(deps: AddonAgentDeps, runs: Crew, changes: SpokeChanges): SpokeView {
  const followed = new Map<string, Informer<Lease>>()
  const member = (namespace: string) => `watches of ${namespace}`

  function begin(namespace: string): void {
    const { spoke } = deps
    // Only the metadata: that something changed is all that has to be known of a Secret here.
    const held = informer(spoke.of(secrets, namespace).metadata, { ...deps, labelSelector: labels.addonName })
    const itself = informer(spoke.of(namespaces).metadata, { ...deps, fieldSelector: `metadata.name=${namespace}` })
    const beats = informer(spoke.of(leases, namespace), { ...deps, transform: withoutManagedFields })
    held.on(({ object }) => changes.onSecret(namespace, object.metadata.name))
    itself.on(() => changes.onNamespace(namespace))
    beats.on(({ object }) => changes.onLease(namespace, object.metadata.name))
    followed.set(namespace, beats)
    /** What went away before the watches began, and add-ons that have no lease, no event tells. */
    const lookOnce = async (signal: AbortSignal) => {
      await Promise.all([held, itself, beats].map((watch) => watch.synced(signal)))
      changes.onNamespace(namespace)
      await aborted(signal)
    }
    runs.start(member(namespace), (signal) => runTogether(signal, [held.run, itself.run, beats.run, lookOnce]))
  }

  return {
    async follow(wanted) {
      for (const namespace of [...followed.keys()].filter((name) => !wanted.has(name))) {
        followed.delete(namespace)
        await runs.stop(member(namespace))
      }
      for (const namespace of wanted) if (!followed.has(namespace)) begin(namespace)
    },
    leasesIn(namespace) {
      const found = followed.get(namespace)
      return found?.isSynced ? found : undefined
    },
  }
}
