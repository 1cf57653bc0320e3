import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ApiObject } from '../objects.ts'
import { bootstrapPolicy, reconcilePolicy } from './bootstrap.ts'
import { decideByRbac } from './rbac.ts'
import { RbacIndex } from './rbac-index.ts'
import { clusterRole, clusterRoleBinding, PolicyStore, user } from './testing/policy-store.ts'
import { pathQuestion, resourceQuestion, somebody } from './testing/questions.ts'

const read = { apiGroups: [''], resources: ['pods'], verbs: ['get'] }
const write = { apiGroups: [''], resources: ['pods'], verbs: ['create'] }

describe('the policy that every cluster has', () => {
  const index = new RbacIndex(new PolicyStore(bootstrapPolicy()))
  const isAllowed = (question: Parameters<typeof decideByRbac>[1]) => decideByRbac(index, question).verdict === 'allow'
  const stranger = somebody('system:anonymous', 'system:unauthenticated')

  test('lets anyone see health, and who is known discover', () => {
    assert.equal(isAllowed(pathQuestion(stranger, 'get', '/healthz')), true)
    assert.equal(isAllowed(pathQuestion(stranger, 'get', '/api')), false)
    assert.equal(isAllowed(pathQuestion(somebody('jane', 'system:authenticated'), 'get', '/apis/apps/v1')), true)
  })

  test('lets who wants to join read where to, and nothing else', () => {
    const inPublic = { namespace: 'kube-public' }
    assert.equal(isAllowed(resourceQuestion(stranger, 'get configmaps cluster-info', inPublic)), true)
    assert.equal(isAllowed(resourceQuestion(stranger, 'get configmaps other', inPublic)), false)
    assert.equal(isAllowed(resourceQuestion(stranger, 'list configmaps', inPublic)), false)
  })

  test('is given out as a copy', () => {
    const [first] = bootstrapPolicy()
    assert.ok(first)
    first.metadata.name = 'changed'
    assert.notEqual(bootstrapPolicy()[0]?.metadata.name, 'changed')
  })
})

describe('at the start', () => {
  test('what is missing is made, what is complete is left alone', () => {
    assert.deepEqual(reconcilePolicy(undefined, clusterRole('a', read)), clusterRole('a', read))
    assert.equal(reconcilePolicy(clusterRole('a', read, write), clusterRole('a', read)), undefined)
  })

  test('rules, labels and subjects that are missing are added, others stay', () => {
    const wanted = { ...clusterRole('a', read), metadata: { name: 'a', labels: { x: 'y', z: 'new' } } }
    const existing = { ...clusterRole('a', write), metadata: { name: 'a', uid: 'u', labels: { z: 'old' } } }
    assert.deepEqual(reconcilePolicy(existing, wanted), {
      ...clusterRole('a', write, read),
      metadata: { name: 'a', uid: 'u', labels: { z: 'old', x: 'y' } },
    })
    const binding = (...subjects: Parameters<typeof user>[0][]) =>
      clusterRoleBinding('b', 'ClusterRole/a', ...subjects.map(user))
    assert.deepEqual(reconcilePolicy(binding('mine'), binding('theirs')), binding('mine', 'theirs'))
    assert.equal(reconcilePolicy(binding('mine', 'theirs'), binding('theirs')), undefined)
  })

  test('an object that is marked so is left alone', () => {
    const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' }
    const existing = { ...clusterRole('a'), metadata: { name: 'a', annotations } }
    assert.equal(reconcilePolicy(existing, clusterRole('a', read)), undefined)
  })

  test('the rules that a controller gathered into an aggregated role are no difference', () => {
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] }
    const wanted: ApiObject = { ...clusterRole('a'), aggregationRule }
    assert.equal(reconcilePolicy({ ...clusterRole('a', read), aggregationRule }, wanted), undefined)
    assert.deepEqual(reconcilePolicy(clusterRole('a', read), wanted)?.['aggregationRule'], aggregationRule)
    assert.equal('aggregationRule' in (reconcilePolicy(wanted, clusterRole('a')) ?? {}), false)
  })

  test('a binding of another role is made anew', () => {
    const existing = clusterRoleBinding('b', 'ClusterRole/other', user('mine'))
    existing.metadata.uid = 'u'
    const wanted = clusterRoleBinding('b', 'ClusterRole/a', user('theirs'))
    assert.deepEqual(reconcilePolicy(existing, wanted), wanted)
  })
})
