import { tokenObjects } from '../../src/addons/drivers/token/hub-objects.ts'
import { ready } from '../../src/addons/drivers/token/hub-report.ts'
import { ManagedClusterAddOn } from '../../src/apis/addon/managed-cluster-addon.ts'
import { hubKinds } from '../../src/apis/fleet-kinds.ts'
import { applyManifests } from '../../src/cli/apply-manifests.ts'
import { untilServed } from '../../src/cli/init-steps.ts'
import { systemClock } from '../../src/core/clock.ts'
import { setCondition } from '../../src/core/conditions.ts'
import { systemRandom } from '../../src/core/random.ts'
import { addonAccounts } from '../../src/fleet/names.ts'
import { namespaces, roleBindings, roles, serviceAccounts } from '../../src/kube/kinds.ts'
import { crdManifests } from '../../src/registration/manifests/crds.ts'
import { launchKube } from '../../test/support/control-plane/kube.ts'
import { open } from '../join/hub-scene.ts'
import { timed } from '../join/join-turn.ts'
import { untilCalm } from '../join/processes.ts'
import { inParallel } from '../shared/timing.ts'

const atOnce = 16

/**
 * The same writes that a hub makes for an add-on, for as many add-ons, by a client that does nothing else: no hub can be
 * faster on this API server.
 */
export async function floorMs(clusters: readonly string[], addons: number): Promise<number> {
  await using plane = await launchKube({}, process.env)
  await using admin = open(plane.connection())
  const crds = crdManifests(hubKinds)
  const { signal } = new AbortController()
  await applyManifests(admin, crds, signal)
  await untilServed(crds, { kube: admin, clock: systemClock, random: systemRandom, signal, timeoutMs: 30_000 })
  for (const name of clusters) await admin.of(namespaces).create({ metadata: { name } })
  const names = Array.from({ length: addons }, (_, number) => `floor${number}`)
  const all = clusters.flatMap((cluster) => names.map((addon) => ({ cluster, addon })))
  await inParallel(all.length, 50, async (number) => {
    const { cluster, addon } = all[number] as (typeof all)[number]
    await admin.of(ManagedClusterAddOn.resource, cluster).create({ metadata: { name: addon }, spec: {} })
  })
  await untilCalm(Object.values(plane.pids), 30_000)
  return await timed(() =>
    inParallel(all.length, atOnce, async (number) => {
      const { cluster, addon } = all[number] as (typeof all)[number]
      const [account] = addonAccounts(cluster, addon)
      const objects = tokenObjects(cluster, addon, account, {})
      const { metadata } = await admin.of(serviceAccounts, cluster).create(objects.account)
      await admin.of(roles, cluster).create(objects.role)
      await admin.of(roleBindings, cluster).create(objects.roleBinding)
      const report = ready({ namespace: cluster, account, uid: metadata.uid })
      const body = { status: { conditions: setCondition([], report, new Date()) } }
      await admin
        .of(ManagedClusterAddOn.resource, cluster)
        .patch(addon, { type: 'merge', body }, { subresource: 'status' })
    }),
  )
}
