import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { certificateSigningRequests, subjectAccessReviews } from '../../kube/kinds.ts'
import type { SubjectInput } from '../../pki/index.ts'
import { createRequest, generateKey } from '../../pki/index.ts'
import { csrApprover } from './csr-approver.ts'
import { controllerScene } from './testing/scene.ts'

const node = { commonName: 'system:node:a', organizations: ['system:nodes'] }

/** Whoever has the right to `allowed` asks for a kubelet's certificate. */
async function approvalOf(
  t: TestContext,
  {
    allowed = '',
    username = 'somebody',
    subject = node,
  }: { allowed?: string; username?: string; subject?: SubjectInput },
): Promise<string | undefined> {
  const { clock, kube } = await controllerScene(t, (deps, informers) => {
    const of: typeof deps.kube.of = (resource, namespace) => {
      const collection = deps.kube.of(resource, namespace)
      if (resource.plural !== subjectAccessReviews.plural) return collection
      const create: typeof collection.create = async (review, options) => {
        const { spec } = review as { spec?: { resourceAttributes?: { subresource?: string } } }
        const status = { allowed: spec?.resourceAttributes?.subresource === allowed }
        return collection.create({ ...review, metadata: { generateName: 'review' }, status }, options)
      }
      return { ...collection, create }
    }
    return csrApprover({ ...deps, kube: { ...deps.kube, of } }, informers)
  })
  const request = Buffer.from(await createRequest({ keyPem: generateKey().keyPem, subject })).toString('base64')
  const usages = ['client auth', 'digital signature']
  const spec = { request, signerName: 'kubernetes.io/kube-apiserver-client-kubelet', usages, username }
  await kube.of(certificateSigningRequests).create({ metadata: { name: 'a' }, spec })
  await clock.settle(30)
  const { status } = await kube.of(certificateSigningRequests).get('a')
  return status?.conditions?.find(({ type, reason }) => type === 'Approved' && reason === 'AutoApproved')?.message
}

test('a kubelet’s first certificate is approved for who may have it', async (t) => {
  assert.equal(
    await approvalOf(t, { allowed: 'nodeclient' }),
    'Auto approving kubelet client certificate after SubjectAccessReview.',
  )
})

test('a kubelet’s renewal needs the lesser right', async (t) => {
  assert.equal(
    await approvalOf(t, { allowed: 'selfnodeclient', username: 'system:node:a' }),
    'Auto approving self kubelet client certificate after SubjectAccessReview.',
  )
  assert.equal(await approvalOf(t, { allowed: 'selfnodeclient', username: 'system:node:b' }), undefined)
})

test('who has no right, or asks for anything else, waits for a person', async (t) => {
  assert.equal(await approvalOf(t, {}), undefined)
  assert.equal(await approvalOf(t, { allowed: 'nodeclient', subject: { commonName: 'jane' } }), undefined)
})
