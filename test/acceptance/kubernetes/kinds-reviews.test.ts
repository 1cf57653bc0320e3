/** The kinds that are questions: each is answered when it is created, and is never there to be read. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { needsControlPlane } from '../../support/control-plane.ts'
import { kindScene, refusal } from '../../support/kind-scene.ts'

const pods = { resource: 'pods', verb: 'get' }

const reviews: Record<
  string,
  { apiVersion: string; path: string; spec?: object; answer: (status: Record<string, unknown>) => unknown }
> = {
  TokenReview: {
    apiVersion: 'authentication.k8s.io/v1',
    path: 'tokenreviews',
    spec: { token: 'nonsense' },
    answer: ({ authenticated, error }) => authenticated !== true && error !== undefined,
  },
  SelfSubjectReview: {
    apiVersion: 'authentication.k8s.io/v1',
    path: 'selfsubjectreviews',
    answer: ({ userInfo }) => (userInfo as { username: string }).username === 'kubernetes-admin',
  },
  SubjectAccessReview: {
    apiVersion: 'authorization.k8s.io/v1',
    path: 'subjectaccessreviews',
    spec: { user: 'nobody', resourceAttributes: pods },
    answer: ({ allowed }) => allowed === false,
  },
  SelfSubjectAccessReview: {
    apiVersion: 'authorization.k8s.io/v1',
    path: 'selfsubjectaccessreviews',
    spec: { resourceAttributes: pods },
    answer: ({ allowed }) => allowed === true,
  },
  LocalSubjectAccessReview: {
    apiVersion: 'authorization.k8s.io/v1',
    path: 'namespaces/{namespace}/localsubjectaccessreviews',
    spec: { user: 'nobody', resourceAttributes: { ...pods, namespace: '{namespace}' } },
    answer: ({ allowed }) => allowed === false,
  },
  SelfSubjectRulesReview: {
    apiVersion: 'authorization.k8s.io/v1',
    path: 'selfsubjectrulesreviews',
    spec: { namespace: 'default' },
    answer: ({ resourceRules }) => Array.isArray(resourceRules) && resourceRules.length > 0,
  },
}

describe('reviews', needsControlPlane, () => {
  for (const [kind, { apiVersion, path: last, spec, answer }] of Object.entries(reviews)) {
    test(`E13: ${kind} of ${apiVersion} is answered when it is created, and cannot be read`, async (t) => {
      const { kube, namespace } = await kindScene(t)
      const filled = (text: string) => text.replaceAll('{namespace}', namespace)
      const path = filled(`/apis/${apiVersion}/${last}`)
      const body = JSON.parse(filled(JSON.stringify({ apiVersion, kind, ...(spec && { spec }) }))) as object
      const review = await kube.request<{ kind: string; status: Record<string, unknown> }>({
        method: 'POST',
        path,
        body,
      })
      assert.equal(review.kind, kind)
      assert.ok(answer(review.status), JSON.stringify(review.status))
      assert.equal((await refusal(kube.request({ path }))).code, 405)
    })
  }
})
