import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterRole, ClusterRoleBinding } from 'kubernetes-types/rbac/v1.d.ts'
import { group, serviceAccount, user } from '../manifests/rbac.ts'
import { needs } from './needs.ts'
import { spokeBinding, spokeRbacManifests } from './rbac.ts'

test('the role is what is needed, and one identity is bound to it', () => {
  const [role, binding] = spokeRbacManifests(user('oidc:hub')).map(({ object }) => object)
  const rules = (role as ClusterRole).rules ?? []
  assert.deepEqual(
    rules.map(({ apiGroups, resources, verbs }) => [apiGroups, resources, verbs]),
    needs.map(({ group: apiGroup, resource, verbs }) => [[apiGroup], [resource], verbs]),
  )
  assert.deepEqual((binding as ClusterRoleBinding).subjects, [user('oidc:hub')])
  assert.equal((binding as ClusterRoleBinding).roleRef.name, role?.metadata.name)
})

test('each identity has a binding of its own, of a name that Kubernetes takes', () => {
  assert.equal(spokeBinding(serviceAccount('agents', 'lanyard-reach')), 'lanyard-reach:agents:lanyard-reach')
  const subjects = [
    user('oidc:hub'),
    group('oidc:hub'),
    user('https://id.example.com#hub'),
    user('https:--id.example.com-hub'),
    user('100%'),
    user('a'.repeat(300)),
    user(`${'a'.repeat(300)}b`),
    serviceAccount('a', 'b'),
    serviceAccount('b', 'a'),
  ]
  const names = subjects.map(spokeBinding)
  assert.equal(new Set(names).size, names.length)
  for (const name of names) assert.match(name, /^[A-Za-z0-9:._-]{1,253}$/)
})
