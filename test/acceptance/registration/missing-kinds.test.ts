/** A hub on an API server that has the kinds of the fleet, and none of those of its gates Reach and Access. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClusterConfig } from '../../../src/apis/breakglass/cluster-config.ts'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { hubKinds } from '../../../src/apis/fleet-kinds.ts'
import { isTrue } from '../../../src/core/conditions.ts'
import { conditions } from '../../../src/fleet/names.ts'
import { isNotFound } from '../../../src/kube/failures.ts'
import { customResourceDefinitions } from '../../../src/kube/kinds.ts'
import { apiVersionOf } from '../../../src/kube/objects.ts'
import { crdManifests } from '../../../src/registration/manifests/crds.ts'
import { launchEmbedded } from '../../support/control-plane/embedded.ts'
import { unlessUnready } from '../../support/custom-resources.ts'
import { eventually } from '../../support/eventually.ts'
import { hubProcess, prepareHub } from '../../support/hub-process.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { teardown } from '../../support/test-scope.ts'

const { group } = ClusterConfig.resource

interface Discovered {
  resources?: { name: string }[]
}

test('F52: a hub without the kinds of a gate says so once, in one line, and takes them up when they come', async (t) => {
  // Embedded in every run: a real API server may go on showing kinds for minutes that were made and deleted at once.
  const plane = await launchEmbedded({})
  teardown(t, () => plane.stop())
  const admin = kubeClient(t, plane.connection())
  const prepared = await prepareHub(t, plane)
  const crds = admin.of(customResourceDefinitions)
  const ofGates = crdManifests(hubKinds).filter(({ object }) => object.metadata.name.endsWith(`.${group}`))
  assert.ok(ofGates.length > 5)
  for (const { object } of ofGates) await crds.delete(object.metadata.name)
  const path = `/apis/${apiVersionOf(ClusterConfig.resource)}`
  await eventually(
    'none of them is served',
    async () => {
      const { resources = [] } = await admin.request<Discovered>({ path }).catch((error: unknown): Discovered => {
        if (isNotFound(error)) return {}
        throw error
      })
      assert.deepEqual(
        resources.map(({ name }) => name),
        [],
      )
      const { items } = await crds.list()
      assert.deepEqual(
        items.map(({ metadata }) => metadata.name).filter((name) => name.endsWith(`.${group}`)),
        [],
      )
      return true
    },
    { withinMs: 40_000 },
  )

  const { printed } = await hubProcess(t, plane, admin, prepared)
  const linesWith = (text: string) =>
    printed()
      .split('\n')
      .filter((line) => line.includes(text))
  await eventually('it says so of both gates', () => linesWith('kinds of a gate are not served').length === 2)
  // What needs none of them goes on meanwhile.
  await admin.of(ManagedCluster.resource).create({ metadata: { name: 'west' }, spec: { hubAcceptsClient: true } })
  await eventually('a cluster is accepted', async () => {
    const { status } = await admin.of(ManagedCluster.resource).get('west')
    return isTrue(status?.conditions, conditions.accepted)
  })

  for (const { object } of ofGates) await crds.create(object as never)
  // By then the hub may look only every half minute.
  await eventually('both gates begin', () => linesWith('kinds of a gate are served now').length === 2, {
    withinMs: 120_000,
  })
  const config = {
    metadata: { name: 'west' },
    spec: { kubeconfigSecretRef: { name: 'nowhere', namespace: 'default' } },
  }
  await eventually('a ClusterConfig can be made', () =>
    unlessUnready(admin.of(ClusterConfig.resource, 'default').create(config)),
  )
  await eventually('the hub looks at it', async () => {
    const { status } = await admin.of(ClusterConfig.resource, 'default').get('west')
    return (status?.conditions?.length ?? 0) > 0
  })
  assert.equal(linesWith('kinds of a gate are not served').length, 2, printed())
  assert.deepEqual(linesWith('list failed'), [])
})
