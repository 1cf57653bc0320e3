import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import { agentUser } from '../names.ts'
import type { ClusterRequest } from './approval.ts'
import { isRenewal, renewalReview } from './requester.ts'

const user = agentUser('west', 'a1')

const request = (requester: string, spec: Partial<CertificateSigningRequest['spec']> = {}): ClusterRequest => ({
  csr: {
    metadata: { name: 'csr', uid: 'u', resourceVersion: '1' },
    spec: { request: '', signerName: '', username: requester, ...spec },
  },
  cluster: 'west',
  agent: 'a1',
  user,
  requester,
  publicKeyPem: 'key',
})

test('only the agent itself renews', () => {
  assert.equal(isRenewal(request(user)), true)
  for (const other of [agentUser('west', 'a2'), agentUser('west', 'a11'), 'boot', ''])
    assert.equal(isRenewal(request(other)), false)
})

test('the review asks for the whole requester and for this cluster alone', () => {
  const who = { uid: '7', groups: ['g'], extra: { scope: ['x'] } }
  assert.deepEqual(renewalReview(request(user, who)).spec, {
    user,
    ...who,
    resourceAttributes: {
      group: 'register.open-cluster-management.io',
      resource: 'managedclusters',
      subresource: 'clientcertificates',
      verb: 'renew',
      name: 'west',
    },
  })
})
