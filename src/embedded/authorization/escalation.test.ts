import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Admitted, Operation } from '../admission/admission.ts'
import type { ApiObject } from '../objects.ts'
import type { ApiFailure } from '../status.ts'
import { escalationCheck } from './escalation.ts'
import { decideByRbac } from './rbac.ts'
import { RbacIndex } from './rbac-index.ts'
import { clusterRole, clusterRoleBinding, PolicyStore, role, roleBinding, user } from './testing/policy-store.ts'
import { somebody } from './testing/questions.ts'

const rbac = 'rbac.authorization.k8s.io'
const secrets = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] }
const plurals: Readonly<Record<string, string>> = {
  Role: 'roles',
  ClusterRole: 'clusterroles',
  RoleBinding: 'rolebindings',
  ClusterRoleBinding: 'clusterrolebindings',
}

interface WriteInput {
  old?: ApiObject
  groups?: string[]
  operation?: Operation
}

/** Jane writes it; undefined when she may, else why not. */
function writer(...policy: ApiObject[]) {
  const index = new RbacIndex(new PolicyStore(policy))
  const check = escalationCheck({ index, authorizer: { authorize: async (question) => decideByRbac(index, question) } })
  return async (object: ApiObject, { old, groups = [], operation }: WriteInput = {}): Promise<string | undefined> => {
    const { name = '', namespace = '' } = object.metadata
    const kind = { group: rbac, plural: plurals[object.kind], namespaced: namespace !== '' }
    const write = {
      operation: operation ?? (old ? 'UPDATE' : 'CREATE'),
      served: { kind, apiVersion: `${rbac}/v1` },
      subresource: '',
      namespace,
      name,
      object,
      old,
      user: somebody('jane', ...groups),
    } as unknown as Admitted
    try {
      await check(write)
      return undefined
    } catch (error) {
      const { code, message } = error as ApiFailure
      return `${code} ${message}`
    }
  }
}

const holding = (...rules: Parameters<typeof clusterRole>[1][]) => [
  clusterRole('held', ...rules),
  clusterRoleBinding('held', 'ClusterRole/held', user('jane')),
]

const notHeld = (about: string, rights: string, groups = '[]') =>
  `403 ${about} is forbidden: user "jane" (groups=${groups}) is attempting to grant RBAC permissions not currently held:\n${rights}`
const secretsNotHeld = '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}'

describe('who writes a role', () => {
  test('must hold its rights', async () => {
    const about = `roles.${rbac} "r"`
    assert.equal(await writer()(role('blue', 'r', secrets)), notHeld(about, secretsNotHeld))
    assert.equal(
      await writer()(role('blue', 'r', secrets), { groups: ['a', 'b'] }),
      notHeld(about, secretsNotHeld, '["a" "b"]'),
    )
    assert.equal(await writer(...holding(secrets))(role('blue', 'r', secrets)), undefined)
    assert.equal(await writer()({ ...role('blue', 'r'), rules: null }), undefined)
  })

  test('must hold them where the role is', async () => {
    const write = writer(role('blue', 'held', secrets), roleBinding('blue', 'held', 'Role/held', user('jane')))
    assert.equal(await write(role('blue', 'r', secrets)), undefined)
    assert.match((await write(role('red', 'r', secrets))) ?? '', /not currently held/)
    assert.match((await write(clusterRole('r', secrets))) ?? '', /not currently held/)
  })

  test('or be allowed to escalate it, by name only once it is there', async () => {
    const escalate = { apiGroups: [rbac], resources: ['roles'], verbs: ['escalate'], resourceNames: ['r'] }
    const write = writer(...holding(escalate))
    assert.match((await write(role('blue', 'r', secrets))) ?? '', /not currently held/)
    assert.equal(await write(role('blue', 'r', secrets), { old: role('blue', 'r') }), undefined)
  })

  test('or be one of system:masters', async () => {
    assert.equal(await writer()(role('blue', 'r', secrets), { groups: ['system:masters'] }), undefined)
  })

  test('may change what lets it be deleted, and nothing else', async () => {
    const old = role('blue', 'r', secrets)
    const changed = (metadata: object): ApiObject => ({ ...old, metadata: { ...old.metadata, ...metadata } })
    const write = (object: ApiObject) => writer()(object, { old })
    assert.equal(await write(changed({ finalizers: ['a/b'], ownerReferences: [], resourceVersion: '7' })), undefined)
    assert.match((await write(changed({ labels: { a: 'b' } }))) ?? '', /not currently held/)
  })

  test('needs all rights there are for an aggregation', async () => {
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] }
    const words = `403 clusterroles.${rbac} "r" is forbidden: must have cluster-admin privileges to use the aggregationRule`
    const aggregated = { ...clusterRole('r'), aggregationRule }
    assert.equal(await writer()(aggregated), words)
    assert.equal(await writer()(clusterRole('r'), { old: aggregated }), words)
    const all = holding({ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }, { nonResourceURLs: ['*'], verbs: ['*'] })
    assert.equal(await writer(...all)(aggregated), undefined)
  })

  test('is not told a name that was made up', async () => {
    const unnamed = role('blue', 'r-abcde', secrets)
    unnamed.metadata.generateName = 'r-'
    assert.equal(await writer()(unnamed), notHeld(`roles.${rbac}`, secretsNotHeld))
  })

  test('is told of roles that could not be looked at', async () => {
    const write = writer(clusterRoleBinding('lost', 'ClusterRole/lost', user('jane')))
    const told = await write(role('blue', 'r', secrets))
    assert.match(told ?? '', /; resolution errors: clusterrole.rbac.authorization.k8s.io "lost" not found$/)
  })
})

describe('who binds a role', () => {
  const big = [role('blue', 'big', secrets), clusterRole('big', secrets)]

  test('must hold its rights', async () => {
    assert.equal(
      await writer(...big)(roleBinding('blue', 'b', 'Role/big')),
      notHeld(`rolebindings.${rbac} "b"`, secretsNotHeld),
    )
    assert.equal(
      await writer(...big)(clusterRoleBinding('b', 'ClusterRole/big')),
      notHeld(`clusterrolebindings.${rbac} "b"`, secretsNotHeld),
    )
    assert.equal(await writer(...big, ...holding(secrets))(clusterRoleBinding('b', 'ClusterRole/big')), undefined)
  })

  test('or be allowed to bind it, there or not', async () => {
    const bind = { apiGroups: [rbac], resources: ['clusterroles'], verbs: ['bind'], resourceNames: ['big', 'later'] }
    const write = writer(...big, ...holding(bind))
    assert.equal(await write(roleBinding('blue', 'b', 'ClusterRole/big')), undefined)
    assert.equal(await write(clusterRoleBinding('b', 'ClusterRole/later')), undefined)
    assert.match((await write(roleBinding('blue', 'b', 'Role/big'))) ?? '', /not currently held/)
  })

  test('is told when there is no such role', async () => {
    assert.equal(
      await writer()(roleBinding('blue', 'b', 'Role/missing')),
      `404 rolebindings.${rbac} "missing" not found`,
    )
    assert.equal(await writer()(roleBinding('blue', 'b', 'Foo/x')), '500 unsupported role reference kind: "Foo"')
  })
})

test('deletions are not looked at', async () => {
  assert.equal(await writer()(role('blue', 'r', secrets), { operation: 'DELETE' }), undefined)
})
