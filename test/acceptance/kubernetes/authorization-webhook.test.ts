/** Webhook authorizers from an AuthorizationConfiguration. All hooks serve one control plane; users tell them apart. */
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { after, describe, test } from 'node:test'
import { configMaps, roleBindings, roles, secrets } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { clientAs, isAllowed, refusal } from '../../support/access-scene.ts'
import type { AccessReview, AuthorizationHook } from '../../support/authorization-hook.ts'
import {
  authorizationConfig,
  hookKubeconfig,
  rbacAuthorizer,
  startAuthorizationHook,
  webhookAuthorizer,
} from '../../support/authorization-hook.ts'
import { aRole, aRoleBinding, aUser, uniqueName } from '../../support/builders.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import type { TestScope } from '../../support/test-scope.ts'
import { teardown } from '../../support/test-scope.ts'

interface Scene {
  plane: OwnControlPlane
  admin: Kube
  first: AuthorizationHook
  second: AuthorizationHook
}

type Attributes = { verb?: string; resource?: string; namespace?: string; name?: string }

const resourceOf = ({ resourceAttributes = {} }: AccessReview['spec']) => resourceAttributes as Attributes

const forUsers = (prefix: string) => ({ matchConditions: [{ expression: `request.user.startsWith("${prefix}")` }] })

/** Takes connections and says nothing. */
async function startSilentServer(t: TestScope): Promise<string> {
  const server = createServer((socket) => socket.on('error', () => undefined).resume())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  teardown(t, () => void server.close())
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function start(t: TestScope): Promise<Scene> {
  const first = await startAuthorizationHook(t, (spec) => {
    const { resource, verb } = resourceOf(spec)
    if (spec.user.startsWith('broken')) return undefined
    if (spec.user.startsWith('torn')) return { allowed: true, denied: true, reason: 'of two minds' }
    if (resource === 'secrets') return { allowed: false, denied: true, reason: 'no secrets' }
    return { allowed: verb === 'list', reason: verb === 'list' ? 'lists are fine' : 'first knows nothing' }
  })
  const second = await startAuthorizationHook(t, () => ({ allowed: false, reason: 'second knows nothing' }))
  const silent = hookKubeconfig(t, await startSilentServer(t), '')
  const hook = (name: string, users: string, settings: object = {}) =>
    webhookAuthorizer(name, first.kubeConfigFile, { ...forUsers(users), ...settings })
  const matchConditions = [
    { expression: 'request.user.startsWith("picky-")' },
    { expression: 'has(request.resourceAttributes)' },
    { expression: 'request.resourceAttributes.namespace == "default"' },
    { expression: '!("trusted" in request.groups)' },
  ]
  const plane = await startControlPlane(t, {
    controllers: false,
    authorizationConfig: authorizationConfig(
      hook('first', 'jane-'),
      webhookAuthorizer('second', second.kubeConfigFile, forUsers('jane-')),
      webhookAuthorizer('picky', first.kubeConfigFile, { matchConditions }),
      hook('cached', 'cached-'),
      hook('brief', 'brief-', { authorizedTTL: '1s', unauthorizedTTL: '1s' }),
      hook('uncached', 'uncached-', { cacheAuthorizedRequests: false, cacheUnauthorizedRequests: false }),
      hook('broken-open', 'broken-open-'),
      hook('broken-shut', 'broken-shut-', { failurePolicy: 'Deny' }),
      hook('torn', 'torn-'),
      webhookAuthorizer('silent', silent, { ...forUsers('patient-'), timeout: '1s' }),
      webhookAuthorizer('unclear-open', first.kubeConfigFile, unclear('unclear-open-', 'NoOpinion')),
      webhookAuthorizer('unclear-shut', first.kubeConfigFile, unclear('unclear-shut-', 'Deny')),
      rbacAuthorizer,
    ),
  })
  return { plane, admin: kubeClient(t, plane.connection()), first, second }
}

/** A condition that cannot be evaluated on requests that are not about resources. */
const unclear = (users: string, failurePolicy: string) => ({
  failurePolicy,
  matchConditions: [
    { expression: `request.user.startsWith("${users}")` },
    { expression: 'request.resourceAttributes.verb == "list"' },
  ],
})

/** One for all tests of this file: to start it takes longer than all of them. */
function suiteScope(): TestScope {
  const actions: (() => void | Promise<void>)[] = []
  after(async () => {
    for (const action of actions.reverse()) await action()
  })
  return { after: (action) => void actions.push(action) }
}

const asked = (hook: AuthorizationHook, user: string) => hook.asked.filter(({ spec }) => spec.user === user)

const open = (kube: Kube, path: string) => kube.request({ path })

/** Everything there is in a namespace, by RBAC. */
async function mayAll(admin: Kube, namespace: string, user: string) {
  await admin.of(roles, namespace).create(aRole('all', { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }))
  await admin.of(roleBindings, namespace).create(aRoleBinding('all', aUser(user)))
  const ask = { spec: { user, resourceAttributes: { namespace, verb: 'any', resource: 'any' } } }
  await eventually(
    'RBAC knows',
    async () => {
      const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
      const { status } = await admin.request<{ status: { allowed: boolean } }>({
        method: 'POST',
        path,
        body: ask,
        contentType: 'application/json',
      })
      return status.allowed
    },
    { everyMs: 100 },
  )
}

describe('webhook authorizers', needsControlPlane, () => {
  const suite = suiteScope()
  let started: Promise<Scene> | undefined
  const scene = async (t: TestScope, prefix: string, ...groups: string[]) => {
    started ??= start(suite)
    const { plane, admin, first, second } = await started
    const user = uniqueName(prefix)
    return { plane, admin, first, second, user, kube: await clientAs(t, plane, user, groups) }
  }

  test('E16: a hook is asked with the user and the attributes of the request, as a SubjectAccessReview', async (t) => {
    const { first, kube, user } = await scene(t, 'jane', 'dev')
    await kube
      .of(configMaps, 'default')
      .list({ labelSelector: 'a=b,c in (e,d),!f,g,h!=i', fieldSelector: 'metadata.name=x' })
    await refusal(open(kube, '/apis/apps/v1/namespaces/default/deployments/web/scale'))
    await refusal(open(kube, '/logs/'))
    const [list, get, path] = asked(first, user).map(({ spec, ...review }) => {
      const { extra, ...rest } = spec
      assert.deepEqual(Object.keys(extra ?? {}), ['authentication.kubernetes.io/credential-id'])
      return { ...review, spec: rest }
    })
    const envelope = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {} }
    const who = { user, groups: ['dev', 'system:authenticated'] }
    const resourceAttributes = { namespace: 'default', verb: 'list', version: 'v1', resource: 'configmaps', name: 'x' }
    const fieldSelector = { requirements: [{ key: 'metadata.name', operator: 'In', values: ['x'] }] }
    const labelSelector = {
      requirements: [
        { key: 'a', operator: 'In', values: ['b'] },
        { key: 'c', operator: 'In', values: ['d', 'e'] },
        { key: 'f', operator: 'DoesNotExist' },
        { key: 'g', operator: 'Exists' },
        { key: 'h', operator: 'NotIn', values: ['i'] },
      ],
    }
    const status = { allowed: false }
    assert.deepEqual(list, {
      ...envelope,
      spec: { ...who, resourceAttributes: { ...resourceAttributes, fieldSelector, labelSelector } },
      status,
    })
    const scale = { resource: 'deployments', subresource: 'scale', name: 'web', group: 'apps', version: 'v1' }
    assert.deepEqual(get, {
      ...envelope,
      spec: { ...who, resourceAttributes: { ...scale, namespace: 'default', verb: 'get' } },
      status,
    })
    assert.deepEqual(path, {
      ...envelope,
      spec: { ...who, nonResourceAttributes: { path: '/logs/', verb: 'get' } },
      status,
    })
  })

  test('E16: what a hook allows is allowed, and nobody behind it is asked', async (t) => {
    const { first, second, kube, user } = await scene(t, 'jane')
    assert.equal(await isAllowed(kube.of(configMaps, 'default').list()), true)
    assert.deepEqual([asked(first, user).length, asked(second, user).length], [1, 0])
  })

  test('E16: denied: true is final, whatever RBAC grants', async (t) => {
    const { admin, second, kube, user } = await scene(t, 'jane')
    const namespace = await freshNamespace(t, admin)
    await mayAll(admin, namespace, user)
    const before = asked(second, user).length
    assert.equal(
      await refusal(kube.of(secrets, namespace).list()),
      `secrets is forbidden: User "${user}" cannot list resource "secrets" in API group "" in the namespace "${namespace}": no secrets`,
    )
    assert.equal(asked(second, user).length, before)
  })

  test('E16: without an opinion the next is asked, in the order of the file, RBAC included', async (t) => {
    const { admin, first, second, kube, user } = await scene(t, 'jane')
    const get = (namespace: string) => kube.of(configMaps, namespace).find('x')
    assert.equal(
      await refusal(get('default')),
      `configmaps "x" is forbidden: User "${user}" cannot get resource "configmaps" in API group "" in the namespace "default": first knows nothing\nsecond knows nothing`,
    )
    assert.deepEqual([asked(first, user).length, asked(second, user).length], [1, 1])
    const namespace = await freshNamespace(t, admin)
    await mayAll(admin, namespace, user)
    assert.equal(await isAllowed(get(namespace)), true)
  })

  test('E16: a hook is only asked when all of its matchConditions hold', async (t) => {
    const { first, kube, user } = await scene(t, 'picky')
    assert.equal(await isAllowed(kube.of(configMaps, 'default').list()), true)
    assert.equal(await isAllowed(kube.of(configMaps, 'kube-system').list()), false)
    assert.equal(await isAllowed(open(kube, '/metrics')), false)
    assert.equal(asked(first, user).length, 1)
    const trusted = await scene(t, 'picky', 'trusted')
    assert.equal(await isAllowed(trusted.kube.of(configMaps, 'default').list()), false)
    assert.equal(asked(first, trusted.user).length, 0)
  })

  test('E16: members of system:masters are never put to a hook', async (t) => {
    const { first, kube, user } = await scene(t, 'jane', 'system:masters')
    assert.equal(await isAllowed(kube.of(secrets, 'default').list()), true)
    assert.equal(asked(first, user).length, 0)
  })

  test('E16: an answer counts again until its TTL is over, for the same question only', async (t) => {
    const { first, kube, user } = await scene(t, 'cached')
    const list = (namespace: string) => isAllowed(kube.of(configMaps, namespace).list())
    const get = () => isAllowed(kube.of(configMaps, 'default').find('x'))
    assert.deepEqual(
      [await list('default'), await list('default'), await get(), await get()],
      [true, true, false, false],
    )
    assert.equal(asked(first, user).length, 2)
    assert.equal(await list('kube-system'), true)
    assert.equal(asked(first, user).length, 3)
  })

  test('E16: after authorizedTTL and unauthorizedTTL a hook is asked again', async (t) => {
    const { first, kube, user } = await scene(t, 'brief')
    const times = (verb: string) => asked(first, user).filter(({ spec }) => resourceOf(spec).verb === verb).length
    await eventually('a yes is asked for again', async () => {
      await kube.of(configMaps, 'default').list()
      return times('list') >= 2
    })
    await eventually('a no is asked for again', async () => {
      await isAllowed(kube.of(configMaps, 'default').find('x'))
      return times('get') >= 2
    })
  })

  test('E16: where the caches are off, a hook is asked each time', async (t) => {
    const { first, kube, user } = await scene(t, 'uncached')
    for (let times = 0; times < 3; times++) await kube.of(configMaps, 'default').list()
    for (let times = 0; times < 3; times++) await isAllowed(kube.of(configMaps, 'default').find('x'))
    assert.equal(asked(first, user).length, 6)
  })

  test('E16: a hook that fails has no opinion under failurePolicy NoOpinion', async (t) => {
    const { admin, kube, user } = await scene(t, 'broken-open')
    const namespace = await freshNamespace(t, admin)
    await mayAll(admin, namespace, user)
    assert.equal(await isAllowed(kube.of(secrets, namespace).list()), true)
    assert.equal(
      await refusal(open(kube, '/api/v1/namespaces/default/secrets')),
      'Internal Server Error: "/api/v1/namespaces/default/secrets": the server could not find the requested resource',
    )
  })

  test('E16: a hook that fails denies under failurePolicy Deny', async (t) => {
    const { kube } = await scene(t, 'broken-shut')
    // Allowed to everybody by RBAC, which is not asked any more.
    assert.equal(
      await refusal(open(kube, '/version')),
      'Internal Server Error: "/version": the server could not find the requested resource',
    )
  })

  test('E16: a hook that does not answer within its timeout has failed', async (t) => {
    const { kube } = await scene(t, 'patient')
    const startedAt = performance.now()
    await open(kube, '/version')
    const tookMs = performance.now() - startedAt
    assert.ok(tookMs >= 900 && tookMs < 10_000, `it took ${tookMs} ms`)
    assert.match(
      await refusal(open(kube, '/metrics')),
      /^Internal Server Error: "\/metrics": Post .*(deadline exceeded|Client\.Timeout exceeded)/,
    )
  })

  test('E16: a condition that cannot be evaluated is a failure of the hook, and its failurePolicy decides', async (t) => {
    const [open_, shut] = [await scene(t, 'unclear-open'), await scene(t, 'unclear-shut')]
    assert.equal(await isAllowed(open(open_.kube, '/version')), true)
    assert.equal(
      await refusal(open(shut.kube, '/version')),
      `Internal Server Error: "/version": cel evaluation error: expression 'request.resourceAttributes.verb == "list"' resulted in error: no such key: resourceAttributes`,
    )
    assert.equal(await isAllowed(shut.kube.of(configMaps, 'default').list()), true)
  })

  test('E16: an answer that both allows and denies is a failure that denies', async (t) => {
    const { kube, admin, user } = await scene(t, 'torn')
    const words = 'webhook subject access review returned both allow and deny response'
    assert.equal(await refusal(open(kube, '/version')), `Internal Server Error: "/version": ${words}`)
    const { status } = await admin.request<{ status: object }>({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      body: { spec: { user, nonResourceAttributes: { path: '/version', verb: 'get' } } },
      contentType: 'application/json',
    })
    assert.deepEqual(status, { allowed: false, denied: true, reason: 'of two minds', evaluationError: words })
  })

  test('E16: a rules review tells that a hook cannot list its rules', async (t) => {
    const { kube } = await scene(t, 'jane')
    const { status } = await kube.request<{ status: { incomplete: boolean; evaluationError: string } }>({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
      body: { spec: { namespace: 'default' } },
      contentType: 'application/json',
    })
    assert.equal(status.incomplete, true)
    assert.match(status.evaluationError, /webhook authorizer does not support user rule resolution/)
  })
})
