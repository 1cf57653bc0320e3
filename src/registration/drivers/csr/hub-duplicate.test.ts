import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { agentUser, conditions } from '../../../fleet/names.ts'
import type { Stored } from '../../../kube/objects.ts'
import { duplicateReport } from './hub-duplicate.ts'
import type { Judged } from './hub-judge.ts'

function aCluster(status?: 'True' | 'False'): Stored<ManagedCluster> {
  const condition = status && {
    type: conditions.duplicateAgent,
    status,
    reason: 'Test',
    message: '',
    lastTransitionTime: '2026-03-01T12:00:00Z',
  }
  return {
    metadata: { name: 'west', uid: 'u', resourceVersion: '1' },
    ...(condition && { status: { conditions: [condition] } }),
  }
}

const judged = (standing: Judged['standing'], agent = 'a2'): Judged => ({
  request: {
    csr: {
      metadata: { name: `csr-${agent}`, uid: agent, resourceVersion: '1' },
      spec: { request: '', signerName: '' },
    },
    cluster: 'west',
    agent,
    user: agentUser('west', agent),
    requester: 'boot',
    publicKeyPem: 'key',
    seenAt: new Date(0),
    issued: undefined,
  },
  standing,
  incumbent: { agent: 'a1', certificateExpiresAt: undefined },
})

test('a second agent is told of with everything that is needed to decide', () => {
  const report = duplicateReport(aCluster(), [judged('free', 'a0'), judged('second'), judged('second', 'a3')])
  assert.deepEqual([report?.status, report?.reason], ['True', 'SecondAgentAsks'])
  for (const part of ['Agent a2', 'csr-a2', 'by boot', 'agent a1', '1 more', 'lanyard accept west --replace-agent'])
    assert.ok(report?.message.includes(part), part)
})

test('a copy is told from an agent of another name', () => {
  assert.match(duplicateReport(aCluster(), [judged('second', 'a1')])?.message ?? '', /goes on renewing the lease/)
})

test('the condition is not there unless it was needed once', () => {
  assert.equal(duplicateReport(aCluster(), [judged('free')]), undefined)
  assert.equal(duplicateReport(aCluster('True'), [])?.reason, 'NoOtherAgent')
})

test('while somebody waits to be judged, what was said of them stays', () => {
  assert.equal(duplicateReport(aCluster('True'), [judged('waits')]), undefined)
})

test('ten thousand rivals are told of in a message that a condition can hold', () => {
  const { request } = judged('free')
  const rivals = Array.from({ length: 10_000 }, (_, n) => judged('free', `a${n}`).request)
  const message = duplicateReport(aCluster(), [{ ...judged('waits'), request, rivals }])?.message ?? ''
  assert.match(message, /^10001 requests with different keys .* and 9981 more\. /)
  assert.ok(message.length < 32_768, `${message.length}`)
})
