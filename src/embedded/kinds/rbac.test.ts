import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cellsOf, created, whyNotCreated, whyNotUpdated } from '../../../test/support/kind-rules.ts'
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from './rbac.ts'

const group = 'rbac.authorization.k8s.io'

test('a role without rules shows that it has none', () => {
  assert.equal(created(roles)['rules'], null)
})

test('paths are for cluster roles', () => {
  const rules = [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }]
  assert.equal(whyNotCreated(roles, { rules }).length, 1)
  assert.deepEqual(whyNotCreated(clusterRoles, { rules }), [])
})

test('groups are filled in', () => {
  const subjects = [
    { kind: 'User', name: 'jane' },
    { kind: 'ServiceAccount', name: 'robot' },
  ]
  const binding = created(roleBindings, { roleRef: { kind: 'Role', name: 'x' }, subjects })
  assert.deepEqual(binding['roleRef'], { apiGroup: group, kind: 'Role', name: 'x' })
  assert.deepEqual(binding['subjects'], [{ kind: 'User', name: 'jane', apiGroup: group }, subjects[1]])
})

test('a cluster-wide binding knows no roles, and its accounts have namespaces', () => {
  assert.deepEqual(
    whyNotCreated(clusterRoleBindings, {
      roleRef: { kind: 'Role', name: 'x' },
      subjects: [{ kind: 'ServiceAccount', name: 'robot' }],
    }),
    [
      'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
      'subjects[0].namespace: Required value',
    ],
  )
})

test('the role of a binding stays', () => {
  const old = created(roleBindings, { roleRef: { kind: 'Role', name: 'x' } })
  assert.deepEqual(whyNotUpdated(roleBindings, old, { subjects: [{ kind: 'User', name: 'jane' }] }), [])
  assert.deepEqual(whyNotUpdated(roleBindings, old, { roleRef: { kind: 'ClusterRole', name: 'x' } }), [
    `roleRef: Invalid value: {"APIGroup":"${group}","Kind":"ClusterRole","Name":"x"}: cannot change roleRef`,
  ])
})

test('a table names the subjects of a binding by their kinds', () => {
  const subjects = ['User', 'User', 'Group'].map((kind, index) => ({ kind, name: `n${index}` }))
  const binding = created(roleBindings, { roleRef: { kind: 'Role', name: 'x' }, subjects })
  assert.deepEqual(cellsOf(roleBindings, binding), {
    Role: 'Role/x',
    Users: 'n0, n1',
    Groups: 'n2',
    ServiceAccounts: '',
  })
})
