/** Questions about rights: authorization.k8s.io/v1. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isInvalid } from '../../../src/kube/failures.ts'
import { roleBindings, roles } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { accessScene, refusal } from '../../support/access-scene.ts'
import {
  aClusterRole,
  aClusterRoleBinding,
  aGroup,
  aRole,
  aRoleBinding,
  aUser,
  uniqueName,
} from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'

interface Answer {
  apiVersion: string
  kind: string
  metadata: { namespace?: string }
  spec: object
  status: { allowed: boolean; denied?: boolean; reason?: string; evaluationError?: string }
}

interface RulesAnswer {
  kind: string
  spec: object
  status: { resourceRules: object[]; nonResourceRules: object[]; incomplete: boolean; evaluationError?: string }
}

const api = '/apis/authorization.k8s.io/v1'
const post = <R>(kube: Kube, path: string, body: object) =>
  kube.request<R>({ method: 'POST', path: `${api}/${path}`, body, contentType: 'application/json' })

const review = (kube: Kube, spec: object, metadata?: object) =>
  post<Answer>(kube, 'subjectaccessreviews', { ...(metadata && { metadata }), spec })
const selfReview = (kube: Kube, spec: object) => post<Answer>(kube, 'selfsubjectaccessreviews', { spec })
const localReview = (kube: Kube, namespace: string, spec: object) =>
  post<Answer>(kube, `namespaces/${namespace}/localsubjectaccessreviews`, { spec })
const rulesReview = (kube: Kube, namespace?: string) =>
  post<RulesAnswer>(kube, 'selfsubjectrulesreviews', { spec: { namespace } })

const causes = async (call: Promise<unknown>) => {
  const failure = await call.catch((error) => error)
  assert.ok(isInvalid(failure), String(failure))
  return failure.details?.causes?.map(({ field, message }) => `${field}: ${message}`)
}

const readPods = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }

describe('access reviews', needsControlPlane, () => {
  test('E13: a SubjectAccessReview says whether a user may, and which binding lets them', async (t) => {
    const { admin, namespace } = await accessScene(t)
    const name = uniqueName('jane')
    await admin.of(roles, namespace).create(aRole('reader', readPods))
    await admin.of(roleBindings, namespace).create(aRoleBinding('reader', aUser(name)))
    const spec = { user: name, resourceAttributes: { namespace, verb: 'get', resource: 'pods', name: 'x' } }
    const answer = await eventually('it is allowed', () => review(admin, spec), {
      until: ({ status }) => status.allowed,
    })
    assert.deepEqual(
      [answer.apiVersion, answer.kind, answer.spec, answer.status],
      [
        'authorization.k8s.io/v1',
        'SubjectAccessReview',
        spec,
        {
          allowed: true,
          reason: `RBAC: allowed by RoleBinding "reader/${namespace}" of Role "reader" to User "${name}"`,
        },
      ],
    )
    const other = { ...spec, resourceAttributes: { ...spec.resourceAttributes, verb: 'delete' } }
    assert.deepEqual((await review(admin, other)).status, { allowed: false })
  })

  test('E13: the reason names the subject by which the binding applies', async (t) => {
    const { admin, namespace, clusterRole, clusterRoleBinding } = await accessScene(t)
    const name = uniqueName('reader')
    await clusterRole(aClusterRole(name, readPods, { nonResourceURLs: ['/logs/*'], verbs: ['get'] }))
    const account = { kind: 'ServiceAccount', name: 'robot', namespace }
    await clusterRoleBinding(aClusterRoleBinding(name, aGroup(name), account))
    const ask = async (spec: object) =>
      (await eventually('it is allowed', () => review(admin, spec), { until: ({ status }) => status.allowed })).status
        .reason
    const resourceAttributes = { verb: 'get', resource: 'pods', version: 'v1' }
    const nonResourceAttributes = { verb: 'get', path: '/logs/x' }
    const by = `RBAC: allowed by ClusterRoleBinding "${name}" of ClusterRole "${name}"`
    assert.deepEqual(
      [
        await ask({ groups: [name], resourceAttributes }),
        await ask({ user: 'jane', groups: ['a', name], nonResourceAttributes }),
        await ask({ user: `system:serviceaccount:${namespace}:robot`, resourceAttributes }),
      ],
      [`${by} to Group "${name}"`, `${by} to Group "${name}"`, `${by} to ServiceAccount "robot/${namespace}"`],
    )
  })

  test('E13: a binding to a role that is not there is told in the reason', async (t) => {
    const { admin, namespace } = await accessScene(t)
    await admin.of(roleBindings, namespace).create(aRoleBinding('missing', aUser('jane')))
    const spec = { user: 'jane', resourceAttributes: { namespace, verb: 'get', resource: 'pods' } }
    const { status } = await eventually('it is known', () => review(admin, spec), {
      until: ({ status }) => status.reason !== undefined,
    })
    const reason = 'RBAC: role.rbac.authorization.k8s.io "missing" not found'
    assert.deepEqual(status, { allowed: false, reason })
  })

  test('E13: system:masters are allowed before anybody is asked, hence without a reason', async (t) => {
    const { admin } = await accessScene(t)
    const spec = { groups: ['system:masters'], resourceAttributes: { verb: 'any', resource: 'thing', group: 'x' } }
    assert.deepEqual((await review(admin, spec)).status, { allowed: true })
  })

  test('E13: a review without a subject or with two questions is invalid', async (t) => {
    const { admin } = await accessScene(t)
    const [resourceAttributes, nonResourceAttributes] = [{ verb: 'get' }, { path: '/x', verb: 'get' }]
    assert.deepEqual(await causes(review(admin, {})), [
      'spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
      'spec.user: Invalid value: "": at least one of user or group must be specified',
    ])
    const both = { user: 'x', resourceAttributes, nonResourceAttributes }
    assert.equal(
      await refusal(review(admin, both)),
      '.authorization.k8s.io "" is invalid: spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: cannot be specified in combination with resourceAttributes',
    )
    const [named] = (await causes(review(admin, { user: 'x', resourceAttributes }, { name: 'x' }))) ?? []
    assert.match(named ?? '', /^metadata: Invalid value: \{"name":"x".*\}: must be empty$/)
  })

  test('E13: selectors of a review are checked', async (t) => {
    const { admin } = await accessScene(t)
    const ask = (attributes: object) =>
      review(admin, { user: 'x', resourceAttributes: { verb: 'list', resource: 'pods', ...attributes } })
    const at = 'spec.resourceAttributes'
    const requirements = [{ key: 'a', operator: 'In', values: ['b'] }]
    assert.deepEqual(await causes(ask({ fieldSelector: {}, labelSelector: {} })), [
      `${at}.fieldSelector.requirements: Required value: when ${at}.fieldSelector is specified, requirements or rawSelector is required`,
      `${at}.labelSelector.requirements: Required value: when ${at}.labelSelector is specified, requirements or rawSelector is required`,
    ])
    assert.deepEqual(await causes(ask({ fieldSelector: { rawSelector: 'a=b', requirements } })), [
      `${at}.fieldSelector.rawSelector: Invalid value: "a=b": may not specified at the same time as requirements`,
    ])
    assert.deepEqual(
      await causes(
        ask({
          labelSelector: {
            requirements: [
              { key: 'a', operator: 'In' },
              { key: 'b', operator: 'Exists', values: ['c'] },
            ],
          },
        }),
      ),
      [
        `${at}.labelSelector.requirements[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
        `${at}.labelSelector.requirements[1].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`,
      ],
    )
    assert.deepEqual((await ask({ labelSelector: { rawSelector: 'a in (b' } })).status, {
      allowed: false,
      evaluationError: 'spec.resourceAttributes.labelSelector ignored due to parse error',
    })
  })

  test('E13: a SelfSubjectAccessReview asks about oneself, and needs no rights', async (t) => {
    const { as, namespace, admin } = await accessScene(t)
    const name = uniqueName('jane')
    await admin.of(roles, namespace).create(aRole('reader', readPods))
    await admin.of(roleBindings, namespace).create(aRoleBinding('reader', aUser(name)))
    const jane = await as(name)
    const spec = { resourceAttributes: { namespace, verb: 'get', resource: 'pods' } }
    const answer = await eventually('she may', () => selfReview(jane, spec), { until: ({ status }) => status.allowed })
    assert.deepEqual([answer.kind, answer.spec], ['SelfSubjectAccessReview', spec])
    const path = { nonResourceAttributes: { path: '/metrics', verb: 'get' } }
    assert.deepEqual((await selfReview(jane, path)).status, { allowed: false })
    assert.deepEqual(await causes(selfReview(jane, {})), [
      'spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ])
  })

  test('E13: a LocalSubjectAccessReview stays in its namespace', async (t) => {
    const { admin, namespace } = await accessScene(t)
    await admin.of(roles, namespace).create(aRole('reader', readPods))
    await admin.of(roleBindings, namespace).create(aRoleBinding('reader', aUser('jane')))
    const attributes = { namespace, verb: 'get', resource: 'pods' }
    const ask = (resourceAttributes: object) => localReview(admin, namespace, { user: 'jane', resourceAttributes })
    const answer = await eventually('it is allowed', () => ask(attributes), { until: ({ status }) => status.allowed })
    assert.deepEqual([answer.kind, answer.metadata.namespace], ['LocalSubjectAccessReview', namespace])
    const elsewhere = 'must match metadata.namespace'
    assert.deepEqual(
      [
        await causes(ask({ ...attributes, namespace: 'default' })),
        await causes(ask({ verb: 'get', resource: 'pods' })),
        await causes(localReview(admin, namespace, { user: 'x', nonResourceAttributes: { path: '/x', verb: 'get' } })),
      ],
      [
        [`spec.resourceAttributes.namespace: Invalid value: "default": ${elsewhere}`],
        [`spec.resourceAttributes.namespace: Invalid value: "": ${elsewhere}`],
        ['spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: disallowed on this kind of request'],
      ],
    )
  })

  test('E13: a SelfSubjectRulesReview lists what one may do in a namespace', async (t) => {
    const { admin, as, namespace } = await accessScene(t)
    const name = uniqueName('jane')
    const rule = { ...readPods, resourceNames: ['one'] }
    await admin.of(roles, namespace).create(aRole('reader', rule))
    await admin.of(roleBindings, namespace).create(aRoleBinding('reader', aUser(name)))
    const jane = await as(name)
    const { kind, spec, status } = await eventually('the rule is known', () => rulesReview(jane, namespace), {
      until: ({ status }) => JSON.stringify(status.resourceRules).includes('"one"'),
    })
    const byText = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
    assert.deepEqual([kind, spec], ['SelfSubjectRulesReview', {}])
    assert.deepEqual(
      status.resourceRules.sort(byText),
      [
        rule,
        { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
        {
          verbs: ['create'],
          apiGroups: ['authorization.k8s.io'],
          resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
        },
      ].sort(byText),
    )
    const open = ['/healthz', '/livez', '/readyz', '/version', '/version/']
    const discovery = ['/api', '/api/*', '/apis', '/apis/*', '/healthz', '/livez', '/openapi', '/openapi/*']
    assert.deepEqual(
      status.nonResourceRules.sort(byText),
      [
        { verbs: ['get'], nonResourceURLs: open },
        { verbs: ['get'], nonResourceURLs: [...discovery, '/readyz', '/version', '/version/'] },
      ].sort(byText),
    )
    assert.equal(status.incomplete, false)
    assert.equal(await refusal(rulesReview(jane)), 'no namespace on request')
  })

  test('E13: a rules review tells of roles that are not there', async (t) => {
    const { admin, as, namespace } = await accessScene(t)
    const name = uniqueName('jane')
    await admin.of(roleBindings, namespace).create(aRoleBinding('missing', aUser(name)))
    const jane = await as(name)
    const { status } = await eventually('it is known', () => rulesReview(jane, namespace), {
      until: ({ status }) => status.evaluationError !== undefined,
    })
    assert.equal(status.evaluationError, 'role.rbac.authorization.k8s.io "missing" not found')
  })

  test('E13: asking about others needs the right to', async (t) => {
    const { as, namespace } = await accessScene(t)
    const jane = await as('jane')
    const spec = { user: 'joe', resourceAttributes: { namespace, verb: 'get', resource: 'pods' } }
    assert.deepEqual(
      [await refusal(review(jane, spec)), await refusal(localReview(jane, namespace, spec))],
      [
        'subjectaccessreviews.authorization.k8s.io is forbidden: User "jane" cannot create resource "subjectaccessreviews" in API group "authorization.k8s.io" at the cluster scope',
        `localsubjectaccessreviews.authorization.k8s.io is forbidden: User "jane" cannot create resource "localsubjectaccessreviews" in API group "authorization.k8s.io" in the namespace "${namespace}"`,
      ],
    )
  })
})
