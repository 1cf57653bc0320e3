import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tempDir } from '../../../test/support/temp-dir.ts'
import type { TestScope } from '../../../test/support/test-scope.ts'
import { teardown } from '../../../test/support/test-scope.ts'
import { openIn, put } from '../storage/testing/stores.ts'
import { FanOut } from './fan-out.ts'

function scene(t: TestScope) {
  const store = openIn(tempDir(t), { sync: async () => {} })
  teardown(t, () => store.close())
  const fanOut = new FanOut(store)
  const heard: string[] = []
  const listen = (storage: string, namespace: string, name?: string) =>
    fanOut.listen({ storage, namespace, name }, ({ type, entry }) => {
      heard.push(`${[storage, namespace, name].filter(Boolean).join('/')}: ${type} ${entry.namespace}/${entry.name}`)
    })
  return { store, fanOut, heard, listen }
}

test('each listener is told of its place only', async (t) => {
  const { store, heard, listen } = scene(t)
  listen('configmaps', '')
  listen('configmaps', 'a')
  listen('configmaps', 'a', 'x')
  listen('configmaps', '', 'x')
  listen('secrets', '')
  await put(store, 'x', '1', { namespace: 'a' })
  assert.deepEqual(heard.splice(0), [
    'configmaps: ADDED a/x',
    'configmaps/a: ADDED a/x',
    'configmaps/x: ADDED a/x',
    'configmaps/a/x: ADDED a/x',
  ])
  await put(store, 'y', '1', { namespace: 'b' })
  assert.deepEqual(heard.splice(0), ['configmaps: ADDED b/y'])
})

test('what is in no namespace is told once', async (t) => {
  const { store, heard, listen } = scene(t)
  listen('nodes', '')
  listen('nodes', '', 'n')
  await put(store, 'n', '1', { storage: 'nodes', namespace: '' })
  assert.deepEqual(heard, ['nodes: ADDED /n', 'nodes/n: ADDED /n'])
})

test('a listener that goes leaves nothing, and one that goes twice harms no other', async (t) => {
  const { store, fanOut, heard, listen } = scene(t)
  const first = listen('configmaps', 'a')
  first[Symbol.dispose]()
  assert.equal(fanOut.size, 0)
  listen('configmaps', 'a')
  first[Symbol.dispose]()
  await put(store, 'x', '1', { namespace: 'a' })
  assert.deepEqual([fanOut.size, heard.length], [1, 1])
})

test('a listener may go, and others come, while they are told', async (t) => {
  const { store, fanOut, heard, listen } = scene(t)
  const own = fanOut.listen({ storage: 'configmaps', namespace: '', name: undefined }, () => {
    own[Symbol.dispose]()
    heard.push('mine')
  })
  listen('configmaps', '')
  await put(store, 'x', '1')
  await put(store, 'y', '1')
  assert.deepEqual(heard, ['mine', 'configmaps: ADDED default/x', 'configmaps: ADDED default/y'])
})

test('a listener that throws keeps nothing from the others', async (t) => {
  const { store, fanOut, heard, listen } = scene(t)
  fanOut.listen({ storage: 'configmaps', namespace: '', name: undefined }, () => assert.fail('on purpose'))
  listen('configmaps', '')
  await Promise.all([put(store, 'x', '1'), put(store, 'y', '1')])
  assert.deepEqual(heard, ['configmaps: ADDED default/x', 'configmaps: ADDED default/y'])
})

test('once it is over nobody is told', async (t) => {
  const { store, fanOut, heard, listen } = scene(t)
  listen('configmaps', '')
  fanOut[Symbol.dispose]()
  await put(store, 'x', '1')
  assert.deepEqual(heard, [])
})
