import { ManagedCluster } from '../apis/cluster/managed-cluster.ts'
import type { Run } from '../core/lifecycle.ts'
import { informer, withoutManagedFields } from '../kube/informer.ts'
import type { Kube } from '../kube/kube.ts'
import { whatIsMissing } from '../registration/operations/until-joined.ts'
import type { CommandDeps } from './open-hub.ts'
import type { FleetWish } from './own-fleet.ts'

/** Clusters of which each is told. */
const few = 10

/** Says who asks and who has joined, as it happens; of many clusters only how many. */
export function fleetNews(wish: FleetWish & { kubeconfig: string }, deps: CommandDeps & { kube: Kube }): Run {
  const { clusters, manual, show, kubeconfig } = wish
  const watched = informer(deps.kube.of(ManagedCluster.resource), { ...deps, transform: withoutManagedFields })
  const asked = new Set<string>()
  const joined = new Set<string>()
  const command = (words: string) => `lanyard ${words} --kubeconfig ${kubeconfig}`

  function asks(name: string): void {
    if (asked.has(name)) return
    asked.add(name)
    if (clusters <= few) show({ did: `${name} asks to join`, detail: command(`accept ${name}`) })
    else if (asked.size === clusters) show({ did: `${clusters} clusters ask to join`, detail: command('accept --all') })
  }

  function joins(name: string): void {
    if (joined.has(name)) return
    joined.add(name)
    wish.onJoined?.(name)
    if (clusters <= few) show({ did: `${name} has joined and is available` })
    else if (joined.size % few === 0) show({ did: `${joined.size} of ${clusters} clusters have joined` })
    if (joined.size !== clusters) return
    show({ did: 'the fleet is complete', detail: command('get clusters') })
    show({ did: 'the example add-on is on all of it', detail: command('get addons') })
    wish.onComplete?.()
  }

  watched.on(({ type, object }) => {
    const { name } = object.metadata
    if (type === 'deleted') {
      asked.delete(name)
      joined.delete(name)
    } else if (manual && !object.spec?.hubAcceptsClient) asks(name)
    else if (whatIsMissing(object) === undefined) joins(name)
  })
  return watched.run
}
