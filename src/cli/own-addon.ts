import { helloAgent } from '../../examples/addon-hello/agent.ts'
import { filesOfSecret } from '../../examples/addon-hello/files.ts'
import { addonName, greetingName, helloHub } from '../../examples/addon-hello/hub.ts'
import { ManagedClusterAddOn } from '../apis/addon/managed-cluster-addon.ts'
import type { Run } from '../core/lifecycle.ts'
import { runTogether } from '../core/lifecycle.ts'
import { done } from '../core/outcome.ts'
import { addonNamespace } from '../fleet/names.ts'
import { connect } from '../kube/client/index.ts'
import { controller } from '../kube/controller.ts'
import { isAlreadyExists } from '../kube/failures.ts'
import { configMaps } from '../kube/kinds.ts'
import type { Kube } from '../kube/kube.ts'
import type { CommandDeps } from './open-hub.ts'
import type { OwnCluster } from './own-cluster.ts'

/** Clusters up to which each greets every second; of more, less often. */
const few = 10

export interface OwnAddon {
  /** The hub side of the example, and whatever is enabled. */
  readonly run: Run
  /** Puts the example on a cluster, once: who disables it is not contradicted before the next start. */
  enableOn(cluster: string): void
  /** Its agent on a cluster. */
  on(cluster: OwnCluster): Run
}

/** The example add-on on our own clusters: what its author would run beside the hub, and on each of them. */
export function ownAddon(kube: Kube, clusters: number, deps: Omit<CommandDeps, 'signal'>): OwnAddon {
  const enabling = controller(
    'own-addon',
    async (cluster, { signal }) => {
      const metadata = { name: addonName }
      await kube
        .of(ManagedClusterAddOn.resource, cluster)
        .create({ metadata, spec: {} }, { signal })
        .catch((error: unknown) => {
          if (!isAlreadyExists(error)) throw error
        })
      return done
    },
    deps,
  )
  const hub = helloHub({ ...deps, kube })
  return {
    run: (signal) => runTogether(signal, [hub, enabling.run]),
    enableOn: enabling.enqueue,
    on: ({ plane }) =>
      helloAgent({
        ...deps,
        // Its credential goes with its cluster: whoever took that away need not be warned.
        log: { ...deps.log, warn: deps.log.info },
        spoke: plane.kube,
        namespace: addonNamespace,
        readFile: filesOfSecret(plane.kube, addonNamespace),
        connect: (connection) => connect(connection, deps),
        everyMs: clusters <= few ? 1_000 : 30_000,
      }),
  }
}

/** Resolves once the example has greeted from this cluster. */
export async function untilGreeted(kube: Kube, cluster: string, signal: AbortSignal): Promise<void> {
  const greetings = kube.of(configMaps, cluster)
  const fieldSelector = `metadata.name=${greetingName}`
  while (!signal.aborted) {
    const { items, metadata } = await greetings.list({ signal, fieldSelector })
    if (items.length > 0) return
    for await (const { type } of greetings.watch({ signal, fieldSelector, resourceVersion: metadata.resourceVersion }))
      if (type === 'ADDED') return
  }
}
