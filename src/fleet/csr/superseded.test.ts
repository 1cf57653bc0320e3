import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agentUser } from '../names.ts'
import type { ClusterRequest } from './approval.ts'
import { contested, supersededRequests } from './superseded.ts'

function request(
  name: string,
  second: number,
  { requester = 'boot', agent = 'a1', decision = '', key = name } = {},
): ClusterRequest {
  return {
    csr: {
      metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: `2026-03-01T12:00:0${second}Z` as never },
      spec: { request: '', signerName: '' },
      ...(decision && { status: { conditions: [{ type: decision, status: 'True' }] } }),
    },
    cluster: 'west',
    agent,
    user: agentUser('west', agent),
    requester,
    publicKeyPem: key,
  }
}

const names = (...requests: ClusterRequest[]) =>
  supersededRequests(requests).map(({ request: { csr } }) => csr.metadata.name)

test('only the newest open request of an agent stays', () => {
  assert.deepEqual(names(request('b', 2), request('c', 3), request('a', 1)), ['a', 'b'])
})

test('of the same second the last name is the newest', () => {
  assert.deepEqual(names(request('b', 1), request('a', 1)), ['a'])
})

test('requests of other requesters and for other agents are let be', () => {
  assert.deepEqual(names(request('a', 1), request('b', 2, { requester: 'else' }), request('c', 3, { agent: 'a2' })), [])
})

test('what is decided is not removed, and what is refused replaces nothing', () => {
  for (const decision of ['Denied', 'Failed'])
    assert.deepEqual(names(request('a', 1), request('b', 2, { decision }), request('c', 0, { decision })), [])
  assert.deepEqual(names(request('a', 1), request('c', 0, { decision: 'Approved' })), [])
})

test('what is left when a newer one was approved is not the next to be approved', () => {
  assert.deepEqual(names(request('a', 1), request('b', 2, { decision: 'Approved' })), ['a'])
  assert.deepEqual(names(request('a', 2), request('b', 2, { decision: 'Approved' })), [])
})

test('each is told with what replaces it', () => {
  const [one] = supersededRequests([request('a', 1), request('b', 2)])
  assert.equal(one?.by.csr.metadata.name, 'b')
})

test('an agent is contested when open requests in its name have different keys, whoever makes them', () => {
  const contestants = (...requests: ClusterRequest[]) => contested(requests).map(({ csr }) => csr.metadata.name)
  const user = agentUser('west', 'a1')
  assert.deepEqual(contestants(request('a', 1), request('b', 2)), ['a', 'b'])
  assert.deepEqual(contestants(request('a', 1), request('b', 2, { requester: 'else' })), ['a', 'b'])
  assert.deepEqual(contestants(request('a', 1, { key: 'k' }), request('b', 2, { key: 'k' })), [])
  assert.deepEqual(contestants(request('a', 1), request('b', 2, { agent: 'a2' })), [])
  assert.deepEqual(contestants(request('a', 1), request('b', 2, { decision: 'Denied' })), [])
  assert.deepEqual(contestants(request('a', 1), request('b', 2, { requester: user })), [])
})

test('ten thousand requests in as many names are not compared each with each', () => {
  let looks = 0
  const asked = Array.from({ length: 10_000 }, (_, n) => {
    const { user, ...rest } = request(`csr-${n}`, 1, { agent: `a${n}` })
    const get = () => {
      looks++
      return user
    }
    return Object.defineProperty(rest, 'user', { get }) as ClusterRequest
  })
  assert.deepEqual(contested(asked), [])
  assert.ok(looks < 100_000, `${looks}`)
})
