import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import type { Stored } from '../../kube/objects.ts'
import { labels } from '../names.ts'
import { judgeClusterRequest } from './approval.ts'
import { keptRequest } from './kept.ts'
import { reasons } from './reasons.ts'

const csr = (more: { request?: string; annotation?: string; label?: string }): Stored<CertificateSigningRequest> => ({
  metadata: {
    name: 'west-1',
    uid: 'u',
    resourceVersion: '1',
    labels: { [labels.clusterName]: 'west', ...(more.label && { other: more.label }) },
    annotations: { note: more.annotation ?? '' },
    managedFields: [{ manager: 'agent' }],
  },
  spec: {
    request: more.request ?? 'cGVt',
    signerName: 'kubernetes.io/kube-apiserver-client',
    username: 'boot',
    usages: ['digital signature', 'client auth'],
  },
})

test('a request is kept without its managed fields', () => {
  const { managedFields: _, ...metadata } = csr({}).metadata
  assert.deepEqual(keptRequest(csr({})), { ...csr({}), metadata })
})

test('of a request larger than any real one only what it is found by is kept, and nobody decides on it', () => {
  const large = 'x'.repeat(2 ** 20)
  for (const more of [{ request: large }, { annotation: large }, { label: large }]) {
    const kept = keptRequest(csr(more))
    assert.ok(JSON.stringify(kept).length < 1_024)
    assert.deepEqual([kept.metadata.name, kept.metadata.labels], ['west-1', { [labels.clusterName]: 'west' }])
    assert.equal(typeof judgeClusterRequest(kept), 'string')
  }
  assert.ok(Object.values(reasons).includes(judgeClusterRequest(keptRequest(csr({ request: large }))) as never))
})
