import assert from 'node:assert/strict'
import { test } from 'node:test'
import { namespaces } from '../../../kube/kinds.ts'
import { managedNamespaceLabel, namespaceKeeper, wantedNamespaces } from './managed-namespaces.ts'
import { acceptance, httpFailure, memberScene } from './testing/scene.ts'

const label = managedNamespaceLabel('https://hub.example:6443')
const wanting = (...names: string[]) => ({
  conditions: [acceptance],
  managedNamespaces: names.map((name) => ({ name, clusterSet: 'one' })),
})

function keeping(t: { after(action: () => void): void }) {
  const scene = memberScene()
  const keeper = namespaceKeeper(scene.deps, () => {})
  scene.run(t, keeper.run)
  const marked = async () => {
    const { items } = await scene.memory.of(namespaces).list()
    return Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata.labels?.[label]]))
  }
  return { ...scene, keeper, marked }
}

test('the label has the first 63 digits of the digest of the URL', () => {
  assert.match(label, /^clusterset\.open-cluster-management\.io\/[0-9a-f]{63}$/)
  assert.notEqual(label, managedNamespaceLabel('https://other.example:6443'))
})

test('namespaces are made and marked, and only unmarked when they are not wanted any more', async (t) => {
  const { cluster, clock, keeper, marked, memory } = keeping(t)
  await memory.of(namespaces).create({ metadata: { name: 'there', labels: { mine: 'yes' } } })
  await cluster(wanting('fresh', 'there'))
  await clock.settle(50)
  assert.deepEqual(await marked(), { there: 'true', fresh: 'true' })
  assert.equal((await memory.of(namespaces).get('there')).metadata.labels?.['mine'], 'yes')
  assert.deepEqual(
    [...keeper.current].map(([name, { reason }]) => [name, reason]),
    [
      ['fresh', 'NamespaceApplied'],
      ['there', 'NamespaceApplied'],
    ],
  )
  await cluster(wanting('fresh'))
  await clock.settle(50)
  assert.deepEqual(await marked(), { there: 'false', fresh: 'true' })
  await cluster(wanting())
  await clock.settle(50)
  assert.deepEqual(await marked(), { there: 'false', fresh: 'false' })
})

test('a namespace that cannot be made is told, and tried again', async (t) => {
  const { cluster, clock, keeper, marked, memory } = keeping(t)
  memory.failNext(1, httpFailure(403, 'Forbidden'), 'apply')
  await cluster(wanting('fresh'))
  await clock.settle(50)
  assert.deepEqual(
    [keeper.current.get('fresh')?.status, keeper.current.get('fresh')?.reason],
    ['False', 'NamespaceApplyFailed'],
  )
  await clock.advance('1m')
  assert.deepEqual(await marked(), { fresh: 'true' })
  assert.equal(keeper.current.get('fresh')?.status, 'True')
})

test('what somebody removes comes back within a period', async (t) => {
  const { cluster, clock, marked, memory } = keeping(t)
  await cluster(wanting('fresh'))
  await clock.settle(50)
  await memory.of(namespaces).delete('fresh')
  await clock.advance('1m')
  assert.deepEqual(await marked(), { fresh: 'true' })
})

test('a cluster that is not accepted changes nothing', async (t) => {
  const { cluster, clock, memory } = keeping(t)
  await cluster({ managedNamespaces: [{ name: 'a', clusterSet: 'one' }] })
  await clock.advance('5m')
  assert.equal(memory.calls.length, 0)
  assert.equal(wantedNamespaces({ status: { managedNamespaces: [{ name: 'a', clusterSet: 'one' }] } }), undefined)
})
