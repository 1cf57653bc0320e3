import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kind } from '../kinds/kind.ts'
import { ApiFailure } from '../status.ts'
import { namespaceLifecycle } from './namespace-lifecycle.ts'
import { aWrite, kinds, MemoryStore, outcome } from './testing/scene.ts'

const store = new MemoryStore()
  .put('namespaces', { metadata: { name: 'home' } })
  .put('namespaces', { metadata: { name: 'ending' }, ...{ status: { phase: 'Terminating' } } })
const step = namespaceLifecycle(store)

const result = (kind: Kind, more: Parameters<typeof aWrite>[1] = {}) => {
  const write = aWrite(kind, more)
  return step.concerns?.(write) ? outcome(step.refuse?.(write)) : 'not asked'
}

test('a namespace must be there for what is made in it', async () => {
  assert.equal(await result(kinds.pods), 'admitted')
  assert.equal(await result(kinds.pods, { namespace: 'nowhere' }), '404 NotFound: namespaces "nowhere" not found')
  for (const operation of ['UPDATE', 'DELETE'] as const)
    assert.equal(await result(kinds.pods, { namespace: 'nowhere', operation }), 'not asked')
  for (const kind of [kinds.nodes, kinds.namespaces, kinds.localReviews])
    assert.equal(await result(kind, { namespace: 'nowhere' }), 'not asked')
})

test('a namespace must not be on its way out, and the refusal says so to programs', async () => {
  const write = aWrite(kinds.pods, { namespace: 'ending', name: '', object: { metadata: { generateName: 'p-' } } })
  await assert.rejects(
    async () => step.refuse?.(write),
    (error) => {
      assert.ok(error instanceof ApiFailure)
      assert.equal(
        error.message,
        'pods "p-" is forbidden: unable to create new content in namespace ending because it is being terminated',
      )
      assert.deepEqual(error.details?.causes, [
        {
          reason: 'NamespaceTerminating',
          message: 'namespace ending is being terminated',
          field: 'metadata.namespace',
        },
      ])
      return true
    },
  )
})

test('some namespaces stay', async () => {
  const remove = (name: string, subresource = '') =>
    result(kinds.namespaces, { operation: 'DELETE', name, subresource })
  for (const name of ['default', 'kube-system', 'kube-public'])
    assert.equal(
      await remove(name),
      `403 Forbidden: namespaces "${name}" is forbidden: this namespace may not be deleted`,
    )
  assert.equal(await remove('home'), 'admitted')
})
