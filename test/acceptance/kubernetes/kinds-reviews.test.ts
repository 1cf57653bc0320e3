/** The kinds that are questions: each is answered when it is created, and is never there to be read. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { needsControlPlane } from '../../support/control-plane.ts'
import { kindScene, refusal } from '../../support/kind-scene.ts'
import { rawRequest } from '../../support/raw-request.ts'

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

  test('E11: managedFields of an answer say who asked what', async (t) => {
    const { plane } = await kindScene(t)
    const headers = { 'content-type': 'application/json', 'user-agent': 'asker/v1' }
    const ask = async (path: string, body: object) => {
      const { json } = await rawRequest(plane, { method: 'POST', path, headers, body: JSON.stringify(body) })
      return json.metadata.managedFields.map(({ time: _, ...entry }: { time: string }) => entry)
    }
    const entry = { operation: 'Update', fieldsType: 'FieldsV1' }
    const spec = { user: 'nobody', resourceAttributes: pods }
    assert.deepEqual(await ask('/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec }), [
      {
        ...entry,
        manager: 'asker',
        apiVersion: 'authorization.k8s.io/v1',
        fieldsV1: { 'f:spec': { 'f:resourceAttributes': { '.': {}, 'f:resource': {}, 'f:verb': {} }, 'f:user': {} } },
      },
    ])
    const account = '/api/v1/namespaces/kube-system/serviceaccounts/default/token?fieldManager=me'
    assert.deepEqual(await ask(account, { spec: { audiences: ['x'] } }), [
      {
        ...entry,
        manager: 'me',
        apiVersion: 'authentication.k8s.io/v1',
        fieldsV1: { 'f:spec': { 'f:audiences': {}, 'f:expirationSeconds': {} } },
        subresource: 'token',
      },
    ])
  })

  test('a review about rights has no metadata, a local one nothing but its namespace', async (t) => {
    const { plane, namespace } = await kindScene(t)
    const ask = async (path: string, metadata: object, spec: object) => {
      const body = JSON.stringify({ metadata, spec })
      const at = `/apis/authorization.k8s.io/v1/${path}`
      return rawRequest(plane, { method: 'POST', path: at, headers: { 'content-type': 'application/json' }, body })
    }
    const spec = { user: 'nobody', resourceAttributes: { ...pods, namespace } }
    const review = await ask('subjectaccessreviews', { name: 'x' }, spec)
    const local = await ask(`namespaces/${namespace}/localsubjectaccessreviews`, { name: 'x' }, spec)
    assert.deepEqual([review.code, local.code], [422, 422])
    assert.match(
      review.json.message,
      /^\.authorization\.k8s\.io "" is invalid: metadata: Invalid value: .*: must be empty$/,
    )
    assert.match(local.json.message, /: must be empty except for namespace$/)
    assert.deepEqual(Object.keys(review.json.details), ['group', 'causes'])
  })
})
