import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeSource } from '../../../src/fleet/identity/index.ts'
import { clusterRoleBindings, clusterRoles, serviceAccounts } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { aClusterRole, aClusterRoleBinding, aServiceAccount, aUser, uniqueName } from '../../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import type { ApiScene, Call } from '../../support/pull-secret-api.ts'
import { apiScene, generateBody, ownOrganization } from '../../support/pull-secret-api.ts'
import type { TestScope } from '../../support/test-scope.ts'
import { teardown } from '../../support/test-scope.ts'

const audience = 'hyperfleet-pull-secrets'
const secret = (cluster: string) => `/clusters/${cluster}/pull-secrets`
const rotations = (cluster: string) => `${secret(cluster)}/rotations`
const rules = (verbs: string[], resource: string, resourceNames?: string[]) => ({
  apiGroups: ['hyperfleet.io'],
  resources: [resource],
  verbs,
  ...(resourceNames && { resourceNames }),
})

type Rule = ReturnType<typeof rules>
type Subject = Parameters<typeof aClusterRoleBinding>[1]

interface Reviews {
  tokens: number
  rights: number
}

interface IdentityScene extends ApiScene {
  kube: Kube
  namespace: string
  /** Asked of the API server so far. */
  asked: Reviews
  /** Makes the API server unreachable. */
  cutOff(): void
  account(name: string, ...granted: Rule[]): Promise<string>
  as(token: string): Pick<Call, 'as' | 'headers'>
}

async function identityScene(t: TestScope, options: Parameters<typeof apiScene>[1] = {}): Promise<IdentityScene> {
  const plane = await startControlPlane(t)
  const kube = kubeClient(t, plane.connection())
  const namespace = await freshNamespace(t, kube)
  const asked: Reviews = { tokens: 0, rights: 0 }
  const state = { down: false }
  const source: KubeSource = async () => ({
    request: async (request) => {
      if (request.path.endsWith('tokenreviews')) asked.tokens += 1
      else asked.rights += 1
      if (state.down) throw new Error('unreachable')
      return await kube.request(request)
    },
  })
  const scene = await apiScene(t, {
    ...options,
    kube: source,
    access: { serviceAccounts: { enabled: true, audience }, ...options.access },
  })
  return {
    ...scene,
    kube,
    namespace,
    asked,
    cutOff: () => {
      state.down = true
    },
    async account(name, ...granted) {
      await kube.of(serviceAccounts, namespace).create(aServiceAccount(name))
      if (granted.length > 0) await grant(t, kube, { kind: 'ServiceAccount', name, namespace }, granted)
      return await tokenFor(kube, namespace, name, [audience])
    },
    as: (token) => ({ as: null, headers: { authorization: `Bearer ${token}` } }),
  }
}

/** Ends when the API server acts by it. */
async function grant(t: TestScope, kube: Kube, to: Subject, granted: Rule[]): Promise<void> {
  const role = uniqueName('pull-secrets')
  await kube.of(clusterRoles).create(aClusterRole(role, ...granted))
  await kube.of(clusterRoleBindings).create(aClusterRoleBinding(role, to))
  teardown(t, async () => {
    await kube.of(clusterRoleBindings).delete(role)
    await kube.of(clusterRoles).delete(role)
  })
  const user = to.namespace === undefined ? to.name : `system:serviceaccount:${to.namespace}:${to.name}`
  for (const { verbs, resources, resourceNames } of granted) {
    const [resource, ...sub] = resources[0]?.split('/') ?? []
    const attributes = {
      group: 'hyperfleet.io',
      resource,
      subresource: sub.join('/'),
      verb: verbs[0],
      name: resourceNames?.[0],
    }
    await eventually('the API server acts by the role', async () => {
      const { status } = await kube.request<{ status: { allowed: boolean } }>({
        method: 'POST',
        path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        contentType: 'application/json',
        body: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          spec: { user, resourceAttributes: attributes },
        },
      })
      return status.allowed
    })
  }
}

async function tokenFor(kube: Kube, namespace: string, name: string, audiences: string[]): Promise<string> {
  const review = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 3_600, audiences },
  }
  const { status } = await kube
    .of(serviceAccounts, namespace)
    .createSubresource<object, { status: { token: string } }>(name, 'token', review)
  return status.token
}

test('a service account does what its role allows, for the clusters that it names', needsControlPlane, async (t) => {
  const { call, account, as, database, namespace } = await identityScene(t)
  const adapter = await account(
    'adapter',
    rules(['get', 'create'], 'clusters/pull-secrets', ['one']),
    rules(['create', 'list'], 'clusters/pull-secrets/rotations', ['one']),
  )
  const made = await call('POST', secret('one'), { ...as(adapter), body: generateBody })
  assert.equal(made.status, 201, made.text)
  assert.equal((await call('GET', secret('one'), as(adapter))).status, 200)
  assert.equal((await call('DELETE', secret('one'), as(adapter))).status, 403)
  assert.equal(
    (await call('POST', secret('two'), { ...as(adapter), body: generateBody })).body.code,
    'HYPERFLEET-AUZ-001',
  )
  const rotation = await call('POST', rotations('one'), { ...as(adapter), body: { reason: 'manual' } })
  assert.deepEqual([rotation.status, rotation.body.requested_by], [201, `system:serviceaccount:${namespace}:adapter`])
  assert.equal((await call('GET', rotations('one'), as(adapter))).status, 200)
  assert.equal((await call('POST', `${rotations('one')}/${rotation.body.id}/cancel`, as(adapter))).status, 403)
  assert.equal((await call('GET', '/credentials', as(adapter))).status, 403)
  const { rows } = await database.data.query(
    "SELECT DISTINCT actor FROM credential_audit_log WHERE action IN ('create', 'read')",
  )
  assert.deepEqual(rows, [{ actor: `system:serviceaccount:${namespace}:adapter` }])
})

test('a token for another audience, of an account that is gone, or made up is no key', needsControlPlane, async (t) => {
  const { call, account, as, kube, namespace, clock } = await identityScene(t)
  const token = await account('adapter', rules(['*'], 'clusters/pull-secrets'))
  const elsewhere = await tokenFor(kube, namespace, 'adapter', ['https://kubernetes.default.svc'])
  for (const wrong of [elsewhere, 'made.up.token', `${token.slice(0, -6)}AAAAAA`])
    assert.deepEqual(
      [(await call('GET', secret('one'), as(wrong))).status, (await call('GET', secret('one'), as(wrong))).body.code],
      [401, 'HYPERFLEET-AUT-002'],
    )
  assert.equal((await call('GET', secret('one'), as(token))).body.code, 'HYPERFLEET-NTF-001')
  await kube.of(serviceAccounts, namespace).delete('adapter')
  // The API server keeps what it thinks of a token for some seconds, too.
  await eventually(
    'the token of a deleted account is refused',
    async () => {
      await clock.advance('61s')
      return (await call('GET', secret('one'), as(token))).body.code === 'HYPERFLEET-AUT-002'
    },
    { everyMs: 1_000 },
  )
  await clock.advance('2h')
  assert.equal((await call('GET', secret('one'), as(token))).body.code, 'HYPERFLEET-AUT-003')
})

test('a yes is kept for a minute and a no for ten seconds', needsControlPlane, async (t) => {
  const { call, account, as, asked, clock } = await identityScene(t)
  const good = await account('adapter', rules(['get'], 'clusters/pull-secrets'))
  const without = await account('nobody')
  const forged = `${good.slice(0, -6)}AAAAAA`
  const looks = async (token: string) => {
    const before = { ...asked }
    const { status } = await call('GET', secret('one'), as(token))
    return [status, asked.tokens - before.tokens, asked.rights - before.rights]
  }
  assert.deepEqual(await looks(good), [404, 1, 1])
  assert.deepEqual(await looks(without), [403, 1, 1])
  assert.deepEqual(await looks(forged), [401, 1, 0])
  assert.deepEqual(await looks('made.up.token'), [401, 0, 0])
  await clock.advance('9s')
  assert.deepEqual(await looks(good), [404, 0, 0])
  assert.deepEqual(await looks(without), [403, 0, 0])
  assert.deepEqual(await looks(forged), [401, 0, 0])
  await clock.advance('2s')
  assert.deepEqual(await looks(good), [404, 0, 0])
  assert.deepEqual(await looks(without), [403, 0, 1])
  assert.deepEqual(await looks(forged), [401, 1, 0])
  await clock.advance('50s')
  assert.deepEqual(await looks(good), [404, 1, 1])
})

test(
  'while the API server does not answer nobody is told that a token is wrong, and JWTs go on working',
  needsControlPlane,
  async (t) => {
    const { call, account, as, cutOff } = await identityScene(t)
    const token = await account('adapter', rules(['get'], 'clusters/pull-secrets'))
    cutOff()
    const away = await call('GET', secret('one'), as(token))
    assert.deepEqual([away.status, away.body.code, away.headers['retry-after']], [503, 'HYPERFLEET-SVC-001', '5'])
    assert.equal((await call('GET', '/registries')).status, 200)
  },
)

test(
  'P71a: with ownership by SubjectAccessReview the owner is whoever may rotate that very cluster',
  needsControlPlane,
  async (t) => {
    const { call, kube } = await identityScene(t, {
      access: { ownership: { source: 'subjectAccessReview', claim: '' }, serviceAccounts: { enabled: true, audience } },
    })
    await grant(t, kube, aUser('owner@example.com'), [rules(['create'], 'clusters/pull-secrets/rotations', ['one'])])
    for (const cluster of ['one', 'two'])
      await call('POST', secret(cluster), { body: { ...generateBody, owner: ownOrganization } })
    const rotate = async (as: 'owner' | 'stranger', cluster: string) =>
      (await call('POST', rotations(cluster), { as, body: { reason: 'manual' } })).status
    assert.deepEqual(
      [await rotate('stranger', 'one'), await rotate('owner', 'two'), await rotate('owner', 'one')],
      [403, 403, 201],
    )
  },
)
