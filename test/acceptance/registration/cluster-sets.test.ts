/** Sets of clusters: what every hub has, who is in which, and what follows from it. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { ManagedClusterSet } from '../../../src/apis/cluster/managed-cluster-set.ts'
import { ManagedClusterSetBinding } from '../../../src/apis/cluster/managed-cluster-set-binding.ts'
import { findCondition } from '../../../src/core/conditions.ts'
import { annotations, labels, setConditions } from '../../../src/fleet/names.ts'
import { namespaces } from '../../../src/kube/kinds.ts'
import { setRuns } from '../../../src/registration/hub/sets/index.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { HubScene } from '../../support/fleet-scene.ts'
import { hubScene } from '../../support/fleet-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'

describe('cluster sets', needsControlPlane, () => {
  const suite = suiteScope()
  let hub: HubScene
  before(async () => {
    hub = await hubScene(suite, await startControlPlane(suite, {}), { parts: setRuns })
  })
  const sets = () => hub.admin.of(ManagedClusterSet.resource)
  const clusters = () => hub.admin.of(ManagedCluster.resource)
  const label = (name: string, given: Record<string, string | null>) =>
    clusters().patch(name, { type: 'merge', body: { metadata: { labels: given } } })
  const create = (name: string, given: Record<string, string>) =>
    clusters().create({ metadata: { name, labels: given } })
  /** The set once its condition says so. */
  const says = (name: string, ...expected: [status: string, reason: string, message: string]) =>
    eventually(`${name} says ${expected}`, async () => {
      const set = await sets().find(name)
      const told = findCondition(set?.status?.conditions, setConditions.empty)
      assert.deepEqual([told?.status, told?.reason, told?.message], expected)
      return set
    })
  const isEmpty = (name: string) => says(name, 'True', 'NoClusterMatched', 'No ManagedCluster selected')
  const holds = (name: string, count: number) =>
    says(name, 'False', 'ClustersSelected', `${count} ManagedClusters selected`)

  test('R47: conditions and counts follow who is in a set; default and global come back with their selector, and users keep their labels', async () => {
    await isEmpty('default')
    await isEmpty('global')
    await sets().create({
      metadata: { name: 'blue' },
      spec: { clusterSelector: { selectorType: 'ExclusiveClusterSetLabel' } },
    })
    await sets().create({
      metadata: { name: 'european' },
      spec: {
        clusterSelector: {
          selectorType: 'LabelSelector',
          labelSelector: { matchExpressions: [{ key: 'region', operator: 'In', values: ['eu-1', 'eu-2'] }] },
        },
      },
    })
    await isEmpty('blue')
    await create('one', { [labels.clusterSet]: 'blue', region: 'eu-1' })
    await create('two', { [labels.clusterSet]: 'default', region: 'eu-2' })
    await create('three', { [labels.clusterSet]: 'blue1', region: 'us-1' })
    await Promise.all([holds('blue', 1), holds('default', 1), holds('european', 2), holds('global', 3)])
    await label('two', { [labels.clusterSet]: 'blue', region: 'us-1' })
    await Promise.all([holds('blue', 2), isEmpty('default'), holds('european', 1), holds('global', 3)])
    await clusters().delete('one')
    await Promise.all([holds('blue', 1), isEmpty('european'), holds('global', 2)])
    const selector = { selectorType: 'LabelSelector', labelSelector: { matchLabels: { region: 'us-1' } } }
    await sets().patch('european', { type: 'merge', body: { spec: { clusterSelector: { labelSelector: null } } } })
    await sets().patch('european', { type: 'merge', body: { spec: { clusterSelector: selector } } })
    await holds('european', 2)

    for (const name of ['default', 'global']) {
      const { metadata, spec } = await sets().get(name)
      await sets().delete(name)
      const again = await eventually(`${name} is back`, () => sets().find(name), {
        until: (found) => found !== undefined && found.metadata.uid !== metadata.uid,
      })
      assert.deepEqual(again?.spec, spec)
      const mine = { labels: { mine: 'yes' }, annotations: { note: 'kept' } }
      const other = { selectorType: 'LabelSelector', labelSelector: { matchLabels: { region: 'moon' } } }
      await sets().patch(name, { type: 'merge', body: { metadata: mine, spec: { clusterSelector: other } } })
      const restored = await eventually(`the selector of ${name} is restored`, () => sets().get(name), {
        until: (found) => JSON.stringify(found.spec) === JSON.stringify(spec),
      })
      assert.deepEqual([restored.metadata.labels, restored.metadata.annotations], [mine.labels, mine.annotations])
    }
    await holds('global', 2)
  })

  test('a built-in set whose annotation says so is left as its users have it', async () => {
    const own = { selectorType: 'LabelSelector', labelSelector: { matchLabels: { region: 'moon' } } }
    const body = { metadata: { annotations: { [annotations.autoUpdate]: 'false' } }, spec: { clusterSelector: own } }
    await sets().patch('global', { type: 'merge', body })
    await isEmpty('global')
    assert.deepEqual((await sets().get('global')).spec?.clusterSelector, own)
    await sets().patch('global', {
      type: 'merge',
      body: { metadata: { annotations: { [annotations.autoUpdate]: null } } },
    })
    await eventually('it is restored', async () => {
      assert.deepEqual((await sets().get('global')).spec?.clusterSelector, {
        selectorType: 'LabelSelector',
        labelSelector: {},
      })
      return true
    })
  })

  test('a binding tells whether its set exists', async () => {
    await hub.admin.of(namespaces).create({ metadata: { name: 'team-a' } })
    const bindings = hub.admin.of(ManagedClusterSetBinding.resource, 'team-a')
    await bindings.create({ metadata: { name: 'green' }, spec: { clusterSet: 'green' } })
    const bound = (status: string, reason: string) =>
      eventually(`the binding is ${reason}`, async () => {
        const told = findCondition((await bindings.get('green')).status?.conditions, setConditions.bound)
        assert.deepEqual([told?.status, told?.reason], [status, reason])
        return true
      })
    await bound('False', 'ClusterSetNotFound')
    await sets().create({ metadata: { name: 'green' } })
    await bound('True', 'ClusterSetBound')
    await sets().delete('green')
    await bound('False', 'ClusterSetNotFound')
  })

  test('a cluster is told the namespaces its sets want, and its agent keeps what it said of them', async () => {
    const namesOf = async (cluster: string) =>
      ((await clusters().get(cluster)).status?.managedNamespaces ?? []).map(
        ({ clusterSet, name }) => `${clusterSet}/${name}`,
      )
    const wants = (cluster: string, ...expected: string[]) =>
      eventually(`${cluster} is told ${expected}`, async () => {
        assert.deepEqual(await namesOf(cluster), expected)
        return true
      })
    const clusterSelector = { selectorType: 'LabelSelector', labelSelector: { matchLabels: { tier: 'edge' } } } as const
    await sets().create({
      metadata: { name: 'edge' },
      spec: { clusterSelector, managedNamespaces: [{ name: 'b' }, { name: 'a' }] },
    })
    await sets().create({ metadata: { name: 'apps' }, spec: { managedNamespaces: [{ name: 'shop' }] } })
    await create('four', { [labels.clusterSet]: 'apps', tier: 'edge' })
    await wants('four', 'apps/shop', 'edge/a', 'edge/b')

    const list = (await clusters().get('four')).status?.managedNamespaces ?? []
    const told = {
      type: 'NamespaceAvailable',
      status: 'True',
      reason: 'NamespaceApplied',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    }
    const managedNamespaces = list.map((entry) => ({ ...entry, conditions: [told] }))
    await clusters().patch(
      'four',
      { type: 'merge', body: { status: { managedNamespaces } } },
      { subresource: 'status' },
    )
    await sets().patch('edge', { type: 'merge', body: { spec: { managedNamespaces: [{ name: 'b' }, { name: 'c' }] } } })
    await wants('four', 'apps/shop', 'edge/b', 'edge/c')
    assert.deepEqual(
      (await clusters().get('four')).status?.managedNamespaces?.map(({ conditions }) => conditions?.length ?? 0),
      [1, 1, 0],
    )
    await label('four', { [labels.clusterSet]: 'default', tier: null })
    await wants('four')
    await label('four', { [labels.clusterSet]: 'apps' })
    await wants('four', 'apps/shop')
    await sets().delete('apps')
    await wants('four')
  })
})
