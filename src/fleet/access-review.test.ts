import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kube } from '../kube/kube.ts'
import { hasRight } from './access-review.ts'

const right = { verb: 'update', group: 'g', resource: 'r', subresource: 's', name: 'n' }

const answering = (status: object | undefined, asked: unknown[] = []) => {
  const create = async (review: unknown) => {
    asked.push(review)
    return { status }
  }
  return { of: () => ({ create }) } as unknown as Kube
}

test('the review is about all that is known of the requester', async () => {
  const asked: unknown[] = []
  const requester = { username: 'jane', uid: '7', groups: ['a'], extra: { scopes: ['x'] } }
  await hasRight(answering({ allowed: true }, asked), requester, right, new AbortController().signal)
  assert.deepEqual(asked, [
    { spec: { user: 'jane', uid: '7', groups: ['a'], extra: { scopes: ['x'] }, resourceAttributes: right } },
  ])
})

test('only a plain yes is one', async () => {
  const ask = (status: object | undefined) =>
    hasRight(answering(status), { username: 'jane' }, right, new AbortController().signal)
  assert.equal(await ask({ allowed: true }), true)
  for (const status of [{ allowed: false }, { allowed: true, denied: true }, {}, undefined])
    assert.equal(await ask(status), false)
})
