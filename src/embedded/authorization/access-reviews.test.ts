import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { WriteContext } from '../kinds/kind.ts'
import type { ApiObject } from '../objects.ts'
import { ApiFailure } from '../status.ts'
import { accessReviewAnswers } from './access-reviews.ts'
import type { Attributes, Decision } from './attributes.ts'
import type { ControlPlaneAuthorizer } from './authorizer.ts'
import { somebody } from './testing/questions.ts'

type Plural =
  | 'subjectaccessreviews'
  | 'selfsubjectaccessreviews'
  | 'localsubjectaccessreviews'
  | 'selfsubjectrulesreviews'

function reviewer(decision: Decision, rules: Partial<ReturnType<ControlPlaneAuthorizer['rulesFor']>> = {}) {
  const asked: Attributes[] = []
  const authorizer = {
    authorize: async (attributes: Attributes) => {
      asked.push(attributes)
      return decision
    },
    rulesFor: () => ({ rules: [], errors: [], incomplete: false, ...rules }),
  } as unknown as ControlPlaneAuthorizer
  const answers = accessReviewAnswers({ authorizer })
  const context = { user: somebody('jane', 'dev'), namespace: 'blue' } as unknown as WriteContext
  const ask = (plural: Plural, spec: object, metadata: ApiObject['metadata'] = {}) =>
    answers[`${plural}.authorization.k8s.io`](
      { apiVersion: 'authorization.k8s.io/v1', kind: 'Review', metadata, spec },
      context,
    )
  return { asked, ask }
}

const allowed = { verdict: 'allow', reason: 'because' } as const
const getPods = { verb: 'get', resource: 'pods', namespace: 'blue' }

const causes = async (call: Promise<unknown>) => {
  const failure = await call.catch((error) => error)
  assert.ok(failure instanceof ApiFailure && failure.code === 422, String(failure))
  return failure.details?.causes?.map(({ field, message }) => `${field}: ${message}`)
}

describe('a review', () => {
  test('asks about its subject, or about who asks', async () => {
    const { asked, ask } = reviewer(allowed)
    const spec = { user: 'joe', groups: ['ops'], uid: '7', extra: { a: ['b'] }, resourceAttributes: getPods }
    const { status } = await ask('subjectaccessreviews', spec)
    assert.deepEqual(status, { allowed: true, reason: 'because' })
    await ask('selfsubjectaccessreviews', { nonResourceAttributes: { path: '/x', verb: 'get' } })
    assert.deepEqual(asked, [
      {
        user: { name: 'joe', groups: ['ops'], uid: '7', extra: { a: ['b'] } },
        verb: 'get',
        group: '',
        version: '',
        resource: 'pods',
        subresource: '',
        namespace: 'blue',
        name: '',
      },
      { user: somebody('jane', 'dev'), verb: 'get', path: '/x' },
    ])
  })

  test('tells a denial and an error apart from a no', async () => {
    const status = async (decision: Decision) =>
      (await reviewer(decision).ask('subjectaccessreviews', { user: 'joe', resourceAttributes: getPods })).status
    assert.deepEqual(await status({ verdict: 'no opinion', reason: '' }), { allowed: false })
    assert.deepEqual(await status({ verdict: 'deny', reason: 'never', error: 'torn' }), {
      allowed: false,
      denied: true,
      reason: 'never',
      evaluationError: 'torn',
    })
  })

  test('hands selectors on, and tells of those that cannot be read', async () => {
    const { asked, ask } = reviewer({ verdict: 'no opinion', reason: '' })
    const requirements = [
      { key: 'a', operator: 'In', values: ['b', 'c'] },
      { key: 'd', operator: 'DoesNotExist' },
      { key: 'e', operator: 'Unheard' },
    ]
    const review = (resourceAttributes: object) => ask('subjectaccessreviews', { user: 'joe', resourceAttributes })
    await review({ ...getPods, labelSelector: { requirements }, fieldSelector: { rawSelector: 'a=b' } })
    const [first] = asked as { labelSelector?: string; fieldSelector?: string }[]
    assert.deepEqual([first?.labelSelector, first?.fieldSelector], ['a in (b,c),!d', 'a=b'])
    const { status } = await review({ ...getPods, labelSelector: { rawSelector: 'a in (b' } })
    const evaluationError = 'spec.resourceAttributes.labelSelector ignored due to parse error'
    assert.deepEqual(status, { allowed: false, evaluationError })
  })

  test('must ask one question, about somebody', async () => {
    const { ask } = reviewer(allowed)
    assert.deepEqual(await causes(ask('subjectaccessreviews', {})), [
      'spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
      'spec.user: Invalid value: "": at least one of user or group must be specified',
    ])
    const named = ask('subjectaccessreviews', { user: 'joe', resourceAttributes: getPods }, { name: 'x' })
    assert.deepEqual(await causes(named), ['metadata: Invalid value: {"name":"x"}: must be empty'])
  })

  test('that is local stays in its namespace', async () => {
    const { ask } = reviewer(allowed)
    const local = (spec: object) => ask('localsubjectaccessreviews', { user: 'joe', ...spec }, { namespace: 'blue' })
    assert.equal((await local({ resourceAttributes: getPods })).metadata.namespace, 'blue')
    assert.deepEqual(await causes(local({ resourceAttributes: { ...getPods, namespace: 'red' } })), [
      'spec.resourceAttributes.namespace: Invalid value: "red": must match metadata.namespace',
    ])
    assert.deepEqual(await causes(local({ nonResourceAttributes: { path: '/x' } })), [
      'spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":""}: disallowed on this kind of request',
    ])
  })

  test('of rules lists those of resources and those of paths', async () => {
    const rules = [
      { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['x'] },
      { verbs: ['get'], nonResourceURLs: ['/x'] },
    ]
    const { ask } = reviewer(allowed, { rules, errors: ['one is lost'], incomplete: true })
    const answer = await ask('selfsubjectrulesreviews', { namespace: 'blue' })
    assert.deepEqual(answer, {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'Review',
      metadata: {},
      spec: {},
      status: {
        resourceRules: [rules[0]],
        nonResourceRules: [rules[1]],
        incomplete: true,
        evaluationError: 'one is lost',
      },
    })
    await assert.rejects(ask('selfsubjectrulesreviews', {}), { code: 400, message: 'no namespace on request' })
  })
})
