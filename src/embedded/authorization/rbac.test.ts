import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { processorMs } from '../../../test/support/processor-time.ts'
import { decideByRbac, rulesFor } from './rbac.ts'
import { RbacIndex } from './rbac-index.ts'
import {
  account,
  clusterRole,
  clusterRoleBinding,
  group,
  PolicyStore,
  role,
  roleBinding,
  user,
} from './testing/policy-store.ts'
import { pathQuestion, resourceQuestion, somebody } from './testing/questions.ts'

const readPods = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }

function scene(...objects: ConstructorParameters<typeof PolicyStore>[0] & object) {
  const store = new PolicyStore(objects)
  const index = new RbacIndex(store)
  const may = (question: Parameters<typeof decideByRbac>[1]) => decideByRbac(index, question)
  return { store, index, may }
}

const isAllowed = ({ verdict }: { verdict: string }) => verdict === 'allow'

describe('RBAC', () => {
  test('allows what a bound role says, and tells by which binding', () => {
    const { may } = scene(
      role('blue', 'reader', readPods),
      roleBinding('blue', 'readers', 'Role/reader', user('jane'), group('dev'), account('robot')),
    )
    const inBlue = { namespace: 'blue' }
    assert.deepEqual(may(resourceQuestion('jane', 'get pods x', inBlue)), {
      verdict: 'allow',
      reason: 'RBAC: allowed by RoleBinding "readers/blue" of Role "reader" to User "jane"',
    })
    assert.equal(
      may(resourceQuestion(somebody('joe', 'dev'), 'get pods', inBlue)).reason,
      'RBAC: allowed by RoleBinding "readers/blue" of Role "reader" to Group "dev"',
    )
    assert.equal(
      may(resourceQuestion('system:serviceaccount:blue:robot', 'get pods', inBlue)).reason,
      'RBAC: allowed by RoleBinding "readers/blue" of Role "reader" to ServiceAccount "robot/blue"',
    )
    for (const question of ['delete pods', 'get pods/log', 'get secrets', 'get pods.apps'])
      assert.deepEqual(may(resourceQuestion('jane', question, inBlue)), { verdict: 'no opinion', reason: '' }, question)
    assert.equal(isAllowed(may(resourceQuestion('jane', 'get pods'))), false)
  })

  test('grants a ClusterRole in one namespace or in all, as it is bound', () => {
    const { may } = scene(
      clusterRole('reader', readPods),
      roleBinding('blue', 'one', 'ClusterRole/reader', user('jane')),
      clusterRoleBinding('all', 'ClusterRole/reader', group('ops'), account('nowhere')),
    )
    assert.equal(isAllowed(may(resourceQuestion('jane', 'get pods', { namespace: 'blue' }))), true)
    assert.equal(isAllowed(may(resourceQuestion('jane', 'get pods', { namespace: 'red' }))), false)
    assert.equal(
      may(resourceQuestion(somebody('joe', 'ops'), 'get pods', { namespace: 'red' })).reason,
      'RBAC: allowed by ClusterRoleBinding "all" of ClusterRole "reader" to Group "ops"',
    )
    assert.equal(isAllowed(may(resourceQuestion('system:serviceaccount::nowhere', 'get pods'))), false)
  })

  test('matches stars, subresources and names', () => {
    const { may } = scene(
      clusterRole(
        'mixed',
        { apiGroups: ['apps'], resources: ['*/scale', 'deployments/status'], verbs: ['*'] },
        { apiGroups: [''], resources: ['secrets'], resourceNames: ['mine'], verbs: ['get', 'list'] },
        { apiGroups: ['*'], resources: ['*'], verbs: ['watch'] },
      ),
      clusterRoleBinding('mixed', 'ClusterRole/mixed', user('jane')),
    )
    const ask = (text: string) => isAllowed(may(resourceQuestion('jane', text)))
    const allowed = ['patch replicasets/scale.apps x', 'get secrets mine', 'watch anything.at.all', 'watch pods/log x']
    const refused = ['get secrets', 'get secrets other', 'get deployments.apps x', 'get deployments/status x']
    assert.deepEqual(allowed.map(ask), [true, true, true, true])
    assert.deepEqual(refused.map(ask), [false, false, false, false])
  })

  test('opens paths by ClusterRoleBindings only', () => {
    const { may } = scene(
      clusterRole('paths', { nonResourceURLs: ['/metrics', '/logs/*'], verbs: ['get'] }),
      clusterRoleBinding('paths', 'ClusterRole/paths', user('jane')),
      roleBinding('blue', 'paths', 'ClusterRole/paths', user('joe')),
    )
    const ask = (who: string, path: string) => isAllowed(may(pathQuestion(who, 'get', path)))
    assert.deepEqual(
      [ask('jane', '/metrics'), ask('jane', '/logs/a/b'), ask('jane', '/logs'), ask('joe', '/metrics')],
      [true, true, false, false],
    )
    assert.equal(isAllowed(may(pathQuestion('jane', 'post', '/metrics'))), false)
  })

  test('tells of bound roles that are not there, each once', () => {
    const { may, index } = scene(
      roleBinding('blue', 'a', 'Role/gone', user('jane')),
      roleBinding('blue', 'b', 'Role/gone', user('jane')),
      roleBinding('blue', 'c', 'ClusterRole/lost', user('jane')),
    )
    const role = 'role.rbac.authorization.k8s.io "gone" not found'
    const lost = 'clusterrole.rbac.authorization.k8s.io "lost" not found'
    assert.deepEqual(may(resourceQuestion('jane', 'get pods', { namespace: 'blue' })), {
      verdict: 'no opinion',
      reason: `RBAC: [${role}, ${lost}]`,
    })
    assert.deepEqual(rulesFor(index, somebody('jane'), 'blue').errors, [role, lost])
  })

  test('follows changes of roles and bindings', () => {
    const { store, may } = scene()
    const ask = (who: string) => isAllowed(may(resourceQuestion(who, 'get pods', { namespace: 'blue' })))
    store.put(roleBinding('blue', 'reader', 'Role/reader', user('jane'), user('jane')))
    assert.equal(ask('jane'), false)
    store.put(role('blue', 'reader', readPods))
    assert.equal(ask('jane'), true)
    store.put(roleBinding('blue', 'reader', 'Role/reader', user('joe')))
    assert.deepEqual([ask('jane'), ask('joe')], [false, true])
    store.put({ ...role('blue', 'reader'), rules: null })
    assert.equal(ask('joe'), false)
    store.put(role('blue', 'reader', readPods))
    store.remove('RoleBinding', 'reader', 'blue')
    assert.equal(ask('joe'), false)
  })

  test('gathers the rules of a user, those of a binding once', () => {
    const paths = { nonResourceURLs: ['/x'], verbs: ['get'] }
    const { index } = scene(
      role('blue', 'reader', readPods),
      clusterRole('paths', paths),
      roleBinding('blue', 'both', 'Role/reader', user('jane'), group('dev')),
      clusterRoleBinding('paths', 'ClusterRole/paths', group('dev')),
    )
    const rules = (namespace: string) => rulesFor(index, somebody('jane', 'dev'), namespace).rules
    assert.deepEqual(rules('blue'), [paths, readPods])
    assert.deepEqual(rules(''), [paths])
  })

  test('costs microseconds among thousands of bindings', () => {
    const bindings = Array.from({ length: 5_000 }, (_, n) =>
      roleBinding(`ns-${n}`, 'b', 'Role/reader', user(`user-${n}`)),
    )
    const roles = Array.from({ length: 5_000 }, (_, n) => role(`ns-${n}`, 'reader', readPods))
    const { may } = scene(...roles, ...bindings)
    const question = resourceQuestion(somebody('user-4000', 'system:authenticated'), 'get pods', {
      namespace: 'ns-4000',
    })
    const tookMs = processorMs(() => {
      for (let times = 0; times < 20_000; times++) assert.equal(may(question).verdict, 'allow')
    })
    const each = (tookMs / 20_000) * 1_000
    assert.ok(each < 50, `one took ${each} µs`)
  })
})
