/** What a managed cluster says of itself, as the hub shows it. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ClusterProperty } from '../../../src/apis/about/cluster-property.ts'
import { ClusterClaim } from '../../../src/apis/cluster/cluster-claim.ts'
import { labels } from '../../../src/fleet/names.ts'
import { customResourceDefinitions, events } from '../../../src/kube/kinds.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { MemberScene } from '../../support/member-scene.ts'
import { memberScene } from '../../support/member-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'

describe('claims and properties of a cluster', needsControlPlane, () => {
  const suite = suiteScope()
  let scene: MemberScene
  before(async () => {
    scene = await memberScene(suite, await startControlPlane(suite, {}))
  })
  const shown = async (cluster: string) =>
    (await scene.hub.cluster(cluster)).status?.clusterClaims?.map(({ name, value }) => `${name}=${value}`) ?? []
  const shows = (what: string, cluster: string, expected: string[]) =>
    eventually(what, async () => {
      assert.deepEqual(await shown(cluster), expected)
      return true
    })
  const claim = (name: string, value: string, own: Record<string, string> = {}) =>
    scene.hub.admin.of(ClusterClaim.resource).create({ metadata: { name, labels: own }, spec: { value } })
  const clear = async () => {
    for (const { resource } of [ClusterClaim, ClusterProperty]) await scene.hub.admin.of(resource).deleteCollection()
  }

  test('R46: claims are mirrored as they come, change and go: sorted, cut at the maximum, reserved ones never', async (t) => {
    const { admin } = scene.hub
    const claims = admin.of(ClusterClaim.resource)
    const properties = admin.of(ClusterProperty.resource)
    const settings = { maxCustomClusterClaims: 3, reservedClusterClaimSuffixes: ['example.io'] }
    await scene.join(t, 'stated', {}, { settings })

    await claim('zone', 'a')
    await claim('id.k8s.io', 'one')
    await claim('hidden', 'here', { [labels.spokeOnly]: '' })
    await shows('added ones, reserved first', 'stated', ['id.k8s.io=one', 'zone=a'])

    await claims.patch('zone', { type: 'merge', body: { spec: { value: 'b' } } })
    await shows('a changed one', 'stated', ['id.k8s.io=one', 'zone=b'])

    await properties.create({ metadata: { name: 'zone' }, spec: { value: 'property' } })
    await shows('the property of the same name wins', 'stated', ['id.k8s.io=one', 'zone=property'])
    await properties.delete('zone')
    await shows('and the claim is back when it is gone', 'stated', ['id.k8s.io=one', 'zone=b'])

    await claims.patch('zone', { type: 'merge', body: { metadata: { labels: { [labels.spokeOnly]: 'true' } } } })
    await shows('one that is hidden from now on', 'stated', ['id.k8s.io=one'])
    await claims.patch('zone', { type: 'merge', body: { metadata: { labels: { [labels.spokeOnly]: null } } } })

    for (const name of ['b', 'a', 'c', 'd']) await claim(name, name)
    for (const name of ['product', 'platform', 'kubeversion']) await claim(`${name}.open-cluster-management.io`, name)
    await claim('z.example.io', 'suffix')
    const reserved = [
      'id.k8s.io=one',
      'kubeversion.open-cluster-management.io=kubeversion',
      'platform.open-cluster-management.io=platform',
      'product.open-cluster-management.io=product',
      'z.example.io=suffix',
    ]
    await shows('custom ones are cut, reserved ones not', 'stated', [...reserved, 'a=a', 'b=b', 'c=c'])
    await eventually('people are told what is missing', async () =>
      (await admin.of(events, 'stated').list()).items.some(
        ({ reason, message }) =>
          reason === 'CustomClusterClaimsTruncated' && /^2 claims .*: d, zone; /.test(message ?? ''),
      ),
    )
    await claims.delete('b')
    await claims.delete('z.example.io')
    await shows('deleted ones make room', 'stated', [...reserved.slice(0, -1), 'a=a', 'c=c', 'd=d'])
    await clear()
    await shows('all are gone', 'stated', [])
  })

  test('a gate that is off leaves its kind alone', async (t) => {
    await claim('claimed', 'yes')
    await scene.hub.admin.of(ClusterProperty.resource).create({ metadata: { name: 'stated' }, spec: { value: 'yes' } })
    await scene.join(t, 'claims-only', {}, { settings: { features: { clusterClaim: true, clusterProperty: false } } })
    await scene.join(t, 'neither', {}, { settings: { features: { clusterClaim: false, clusterProperty: false } } })
    await shows('only claims', 'claims-only', ['claimed=yes'])
    assert.deepEqual(await shown('neither'), [])
    await clear()
  })

  test('a property that is too long for the hub does not keep the rest from it', async (t) => {
    const properties = scene.hub.admin.of(ClusterProperty.resource)
    await properties.create({ metadata: { name: 'long' }, spec: { value: 'x'.repeat(1025) } })
    await properties.create({ metadata: { name: 'short' }, spec: { value: 'x' } })
    await scene.join(t, 'wordy')
    await shows('the rest', 'wordy', ['short=x'])
    await clear()
  })

  test('a cluster that does not serve the kinds joins all the same', async (t) => {
    const { admin } = scene.hub
    for (const { declaration } of [ClusterClaim, ClusterProperty])
      await admin.of(customResourceDefinitions).delete(`${declaration.plural}.${declaration.group}`)
    await eventually('they are gone', async () => {
      const { items } = await admin.of(customResourceDefinitions).list()
      return items.every(({ spec }) => spec.names.kind !== 'ClusterClaim' && spec.names.kind !== 'ClusterProperty')
    })
    await scene.join(t, 'plain')
    assert.deepEqual(await shown('plain'), [])
  })
})
