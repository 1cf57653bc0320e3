import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import { hubKinds } from '../../src/apis/fleet-kinds.ts'
import { applyManifests } from '../../src/cli/apply-manifests.ts'
import { untilServed } from '../../src/cli/init-steps.ts'
import { systemClock } from '../../src/core/clock.ts'
import { setCondition } from '../../src/core/conditions.ts'
import { systemRandom } from '../../src/core/random.ts'
import { clusterRoleBindings, clusterRoles, namespaces, roleBindings } from '../../src/kube/kinds.ts'
import { accepted } from '../../src/registration/hub/membership/acceptance.ts'
import { wantedFinalizers } from '../../src/registration/hub/membership/phase.ts'
import { acceptedRbac, clusterNamespace, commonRoles } from '../../src/registration/hub/membership/rbac.ts'
import { crdManifests } from '../../src/registration/manifests/crds.ts'
import { launchKube } from '../../test/support/control-plane/kube.ts'
import { inParallel } from '../shared/timing.ts'
import { open } from './hub-scene.ts'
import { timed } from './join-turn.ts'
import { untilCalm } from './processes.ts'

/** As many as the hub has workers. */
const atOnce = 32

/** The same writes as an acceptance takes, by a client that does nothing else: no hub can be faster on this API server. */
export async function floorMs(count: number): Promise<number> {
  await using plane = await launchKube({}, process.env)
  await using kube = open(plane.connection())
  const crds = crdManifests(hubKinds)
  const { signal } = new AbortController()
  await applyManifests(kube, crds, signal)
  await untilServed(crds, { kube, clock: systemClock, random: systemRandom, signal, timeoutMs: 30_000 })
  for (const role of commonRoles({})) await kube.of(clusterRoles).create(role)
  const names = Array.from({ length: count }, (_, number) => `cluster${number}`)
  const clusters = kube.of(ManagedCluster.resource)
  await inParallel(count, 50, (number) =>
    clusters.create({ metadata: { name: names[number] ?? '' }, spec: { hubAcceptsClient: false } }),
  )
  await untilCalm(Object.values(plane.pids), 20_000)
  return await timed(() =>
    inParallel(count, atOnce, async (number) => {
      const name = names[number] ?? ''
      const rbac = acceptedRbac(name, {})
      await clusters.patch(name, { type: 'merge', body: { spec: { hubAcceptsClient: true } } })
      const finalizers = wantedFinalizers('accepted')
      await clusters.patch(name, { type: 'merge', body: { metadata: { finalizers } } })
      await kube.of(namespaces).create(clusterNamespace(name, {}))
      await kube.of(clusterRoles).create(rbac.clusterRole)
      await kube.of(clusterRoleBindings).create(rbac.clusterRoleBinding)
      await kube.of(roleBindings, name).create(rbac.registrationBinding)
      await kube.of(roleBindings, name).create(rbac.workBinding)
      const body = { status: { conditions: setCondition([], accepted, systemClock.now()) } }
      await clusters.patch(name, { type: 'merge', body }, { subresource: 'status' })
    }),
  )
}
