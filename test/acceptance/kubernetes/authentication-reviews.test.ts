/** authentication/v1: questions about users. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { KubeFailure } from '../../../src/kube/failures.ts'
import { serviceAccounts } from '../../../src/kube/kinds.ts'
import { aServiceAccount } from '../../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'

const group = '/apis/authentication.k8s.io/v1'
const apiVersion = 'authentication.k8s.io/v1'

interface Review {
  kind: string
  apiVersion: string
  metadata: Record<string, unknown>
  spec?: { token: string }
  status: Record<string, unknown>
}

async function start(t: Parameters<typeof startControlPlane>[0]) {
  const plane = await startControlPlane(t)
  const admin = kubeClient(t, plane.connection())
  const post = (resource: string, body: object) =>
    admin.request<Review>({ method: 'POST', path: `${group}/${resource}`, body, contentType: 'application/json' })
  return { plane, admin, post }
}

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error) => (error instanceof KubeFailure ? [error.code, error.message] : error),
  )

describe('authentication/v1', needsControlPlane, () => {
  test('E13: a TokenReview tells whose a token is', async (t) => {
    const { admin, post } = await start(t)
    const namespace = await freshNamespace(t, admin)
    const accounts = admin.of(serviceAccounts, namespace)
    const { metadata } = await accounts.create(aServiceAccount('robot'))
    const { status } = await accounts.createSubresource<object, { status: { token: string } }>('robot', 'token', {
      apiVersion,
      kind: 'TokenRequest',
      spec: {},
    })
    const { token } = status
    const review = await post('tokenreviews', { apiVersion, kind: 'TokenReview', spec: { token } })
    const { extra, ...user } = review.status['user'] as Record<string, unknown>
    assert.deepEqual([review.kind, review.apiVersion, review.spec], ['TokenReview', apiVersion, { token }])
    assert.deepEqual(Object.keys(extra as object), ['authentication.kubernetes.io/credential-id'])
    assert.deepEqual(
      { ...review.status, user },
      {
        authenticated: true,
        user: {
          username: `system:serviceaccount:${namespace}:robot`,
          uid: metadata.uid,
          groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
        },
        audiences: ['https://kubernetes.default.svc'],
      },
    )
  })

  test('E13: a TokenReview of what is no token says so, and does not fail', async (t) => {
    const { post } = await start(t)
    for (const token of ['nonsense', 'a.b.c', 'eyJhbGciOiJub25lIn0.e30.'])
      assert.deepEqual((await post('tokenreviews', { apiVersion, kind: 'TokenReview', spec: { token } })).status, {
        user: {},
        error: 'invalid bearer token',
      })
  })

  test('E13: a TokenReview must have a token', async (t) => {
    const { post } = await start(t)
    assert.deepEqual(await codeOf(post('tokenreviews', { apiVersion, kind: 'TokenReview', spec: {} })), [
      400,
      'token is required for TokenReview in authentication',
    ])
  })

  test('E13: a SelfSubjectReview tells who asks, whatever it was sent with', async (t) => {
    const { post } = await start(t)
    const review = await post('selfsubjectreviews', {
      apiVersion,
      kind: 'SelfSubjectReview',
      metadata: { labels: { of: 'no use' } },
      status: { userInfo: { username: 'somebody-else' } },
    })
    assert.deepEqual([review.kind, Object.keys(review.metadata)], ['SelfSubjectReview', ['creationTimestamp']])
    const { extra, ...user } = review.status['userInfo'] as Record<string, unknown>
    assert.deepEqual(user, { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] })
    assert.deepEqual(Object.keys(extra as object), ['authentication.kubernetes.io/credential-id'])
  })

  test('E13: reviews are asked and nothing else', async (t) => {
    const { admin } = await start(t)
    for (const resource of ['tokenreviews', 'selfsubjectreviews'])
      assert.deepEqual(await codeOf(admin.request({ path: `${group}/${resource}` })), [
        405,
        'the server does not allow this method on the requested resource',
      ])
  })

  test('E13: a TokenRequest is asked of an account, and nothing can be read there', async (t) => {
    const { admin, post } = await start(t)
    const path = '/api/v1/namespaces/default/serviceaccounts/default/token'
    const body = { apiVersion, kind: 'TokenRequest', spec: { audiences: ['vault'] } }
    const { kind, status } = await admin.request<Review>({
      method: 'POST',
      path,
      body,
      contentType: 'application/json',
    })
    assert.equal(kind, 'TokenRequest')
    const spec = { token: status['token'], audiences: ['vault'] }
    const review = await post('tokenreviews', { apiVersion, kind: 'TokenReview', spec })
    assert.deepEqual([review.status['authenticated'], review.status['audiences']], [true, ['vault']])
    assert.deepEqual(await codeOf(admin.request({ path })), [
      405,
      'the server does not allow this method on the requested resource',
    ])
  })
})
