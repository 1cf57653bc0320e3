import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownerOfBinding, ownerOfClusterRight, shared } from './watches.ts'

const prefix = 'open-cluster-management:managedcluster'

const clusterRights: [string, string[]][] = [
  [`${prefix}:west`, ['west']],
  [`${prefix}:registration`, [shared]],
  [`${prefix}:work`, [shared]],
  [`${prefix}:west:other`, []],
  [`${prefix}:`, []],
  [prefix, []],
  ['open-cluster-management:bootstrap', []],
  [`x${prefix}:west`, []],
]
for (const [name, owners] of clusterRights)
  test(`the role ${name} is ${owners.length === 0 ? 'nobody’s' : JSON.stringify(owners)}`, () =>
    assert.deepEqual(ownerOfClusterRight({ metadata: { name } }), owners))

test('a binding belongs to the cluster of its namespace, and only under the name it has there', () => {
  const owner = (namespace: string, name: string) => ownerOfBinding({ metadata: { namespace, name } })
  assert.deepEqual(owner('west', `${prefix}:west:registration`), ['west'])
  assert.deepEqual(owner('west', `${prefix}:west:work`), ['west'])
  assert.deepEqual(owner('east', `${prefix}:west:work`), [])
  assert.deepEqual(owner('west', `${prefix}:west:works`), [])
})
