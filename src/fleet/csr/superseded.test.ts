import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agentUser } from '../names.ts'
import type { ClusterRequest } from './approval.ts'
import { supersededRequests } from './superseded.ts'

function request(
  name: string,
  second: number,
  { requester = 'boot', agent = 'a1', decision = '' } = {},
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
  }
}

const names = (...requests: ClusterRequest[]) => supersededRequests(requests).map(({ csr }) => csr.metadata.name)

test('only the newest open request of an agent stays', () => {
  assert.deepEqual(names(request('b', 2), request('c', 3), request('a', 1)), ['a', 'b'])
})

test('of the same second the last name is the newest', () => {
  assert.deepEqual(names(request('b', 1), request('a', 1)), ['a'])
})

test('requests of other requesters and for other agents are let be', () => {
  assert.deepEqual(names(request('a', 1), request('b', 2, { requester: 'else' }), request('c', 3, { agent: 'a2' })), [])
})

test('what is decided is neither removed nor replaces anything', () => {
  for (const decision of ['Approved', 'Denied', 'Failed'])
    assert.deepEqual(names(request('a', 1), request('b', 2, { decision }), request('c', 0, { decision })), [])
})
