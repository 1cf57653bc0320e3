import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { ManagedClusterSet } from '../../../apis/cluster/managed-cluster-set.ts'
import { labels } from '../../../fleet/names.ts'
import type { Handler } from '../../../kube/informer.ts'
import type { Stored } from '../../../kube/objects.ts'
import { membership, setsOf } from './membership.ts'

const group = 'cluster.open-cluster-management.io'

const aCluster = (name: string, given: Record<string, string> = {}): Stored<ManagedCluster> => ({
  apiVersion: `${group}/v1`,
  kind: 'ManagedCluster',
  metadata: { name, uid: name, resourceVersion: '1', labels: given },
})
const inSet = (name: string, set: string) => aCluster(name, { [labels.clusterSet]: set })

function aSet(name: string, matchLabels?: Record<string, string>): Stored<ManagedClusterSet> {
  const kind = { apiVersion: `${group}/v1beta2` as const, kind: 'ManagedClusterSet' as const }
  const metadata = { name, uid: name, resourceVersion: '1' }
  if (!matchLabels) return { ...kind, metadata }
  return {
    ...kind,
    metadata,
    spec: { clusterSelector: { selectorType: 'LabelSelector', labelSelector: { matchLabels } } },
  }
}

function scene() {
  const known = new Map<string, Stored<ManagedCluster>>()
  let tell: Handler<ManagedCluster> = () => {}
  const members = membership({
    list: () => [...known.values()],
    on(handler) {
      tell = handler
      return { [Symbol.dispose]() {} }
    },
  })
  const put = (object: Stored<ManagedCluster>) => {
    const previous = known.get(object.metadata.name)
    known.set(object.metadata.name, object)
    tell(previous ? { type: 'updated', previous, object } : { type: 'added', object })
  }
  const remove = (object: Stored<ManagedCluster>) => {
    known.delete(object.metadata.name)
    tell({ type: 'deleted', object })
  }
  return { members, put, remove }
}

test('a set by label follows its clusters as they come, move and go', () => {
  const { members, put, remove } = scene()
  put(inSet('a', 'blue'))
  put(inSet('b', 'blue1'))
  assert.deepEqual(members.members(aSet('blue')), ['a'])
  put(inSet('a', 'green'))
  put(inSet('b', 'blue'))
  put(aCluster('c'))
  assert.deepEqual(members.members(aSet('blue')), ['b'])
  assert.equal(members.count(aSet('green')), 1)
  remove(inSet('b', 'changed-as-it-went'))
  assert.equal(members.count(aSet('blue')), 0)
})

test('a set by selector takes whoever has the labels', () => {
  const { members, put } = scene()
  put(aCluster('a', { region: 'eu' }))
  put(aCluster('b', { region: 'us' }))
  assert.deepEqual(members.members(aSet('european', { region: 'eu' })), ['a'])
  assert.equal(members.count(aSet('global', {})), 2)
})

test('a cluster is in the set of its label and in all that select it', () => {
  const sets = [
    aSet('green'),
    aSet('global', {}),
    aSet('blue'),
    aSet('european', { region: 'eu' }),
    aSet('us', { region: 'us' }),
  ]
  assert.deepEqual(setsOf(aCluster('a', { [labels.clusterSet]: 'blue', region: 'eu' }), sets), [
    'blue',
    'european',
    'global',
  ])
  // A label names a set that takes by labels only: it does not count for one that takes by selector.
  assert.deepEqual(setsOf(inSet('a', 'us'), sets), ['global'])
})
