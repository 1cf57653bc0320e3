/** Acting as somebody else, which is itself a thing that one may or may not do. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import { isForbidden } from '../../../src/kube/failures.ts'
import { clusterRoleBindings, clusterRoles, configMaps } from '../../../src/kube/kinds.ts'
import { aClusterRole, aClusterRoleBinding, aUser, uniqueName } from '../../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { refusal, reviewSelf } from '../../support/self-review.ts'
import { teardown } from '../../support/test-scope.ts'

type Headers = Record<string, string | string[]>

async function start(t: TestContext) {
  const plane = await startControlPlane(t)
  const admin = kubeClient(t, plane.connection())
  const name = uniqueName('jane')
  const certificate = await plane.issueClientCertificate({ commonName: name })
  const jane = (headers: Headers) => kubeClient(t, { ...plane.connection({ certificate }), headers })
  const grant = async (...rules: PolicyRule[]) => {
    const role = uniqueName('impersonator')
    await admin.of(clusterRoles).create(aClusterRole(role, ...rules))
    teardown(t, async () => void (await admin.of(clusterRoles).delete(role)))
    await admin.of(clusterRoleBindings).create(aClusterRoleBinding(role, aUser(name)))
    teardown(t, async () => void (await admin.of(clusterRoleBindings).delete(role)))
  }
  /** Roles take a moment to count. */
  const becomes = (headers: Headers) =>
    eventually('she may', () =>
      reviewSelf(jane(headers)).catch((error) => {
        if (isForbidden(error)) return undefined
        throw error
      }),
    )
  return {
    plane,
    name,
    jane,
    grant,
    becomes,
    asAdmin: (headers: Headers) => kubeClient(t, { ...plane.connection(), headers }),
  }
}

const core = (resource: string, ...resourceNames: string[]): PolicyRule => ({
  apiGroups: [''],
  resources: [resource],
  resourceNames,
  verbs: ['impersonate'],
})

const identity = (resource: string, ...resourceNames: string[]): PolicyRule => ({
  ...core(resource, ...resourceNames),
  apiGroups: ['authentication.k8s.io'],
})

const why = (headers: Headers, client: (headers: Headers) => Parameters<typeof reviewSelf>[0]) =>
  refusal(reviewSelf(client(headers)))

describe('impersonation', needsControlPlane, () => {
  test('E15: who may impersonate a user acts as that user, who is authenticated and nothing else', async (t) => {
    const { grant, becomes } = await start(t)
    await grant(core('users', 'joe'))
    assert.deepEqual(await becomes({ 'impersonate-user': 'joe' }), {
      username: 'joe',
      groups: ['system:authenticated'],
    })
  })

  test('E15: users, groups, uid and extra can all be impersonated', async (t) => {
    const { grant, becomes } = await start(t)
    await grant(
      core('users', 'joe'),
      core('groups', 'dev', 'ops'),
      identity('uids', 'u-1'),
      identity('userextras/scopes', 'a', 'b'),
      identity('userextras/acme.io/team', 'blue'),
    )
    const headers = {
      'impersonate-user': 'joe',
      'impersonate-group': ['ops', 'dev'],
      'impersonate-uid': 'u-1',
      'impersonate-extra-Scopes': ['b', 'a'],
      'impersonate-extra-acme.io%2Fteam': 'blue',
    }
    assert.deepEqual(await becomes(headers), {
      username: 'joe',
      uid: 'u-1',
      groups: ['ops', 'dev', 'system:authenticated'],
      extra: { scopes: ['b', 'a'], 'acme.io/team': ['blue'] },
    })
  })

  test('E15: each part of an identity needs a right of its own', async (t) => {
    const { name, jane, grant, becomes } = await start(t)
    await grant(core('users', 'joe'))
    await becomes({ 'impersonate-user': 'joe' })
    const cannot = (resource: string, group = '') =>
      `User "${name}" cannot impersonate resource "${resource}" in API group "${group}" at the cluster scope`
    const joe = { 'impersonate-user': 'joe' }
    assert.equal(await why({ 'impersonate-user': 'jim' }, jane), `users "jim" is forbidden: ${cannot('users')}`)
    assert.equal(
      await why({ ...joe, 'impersonate-group': 'dev' }, jane),
      `groups "dev" is forbidden: ${cannot('groups')}`,
    )
    assert.equal(
      await why({ ...joe, 'impersonate-uid': 'u-1' }, jane),
      `uids.authentication.k8s.io "u-1" is forbidden: ${cannot('uids', 'authentication.k8s.io')}`,
    )
    assert.equal(
      await why({ ...joe, 'impersonate-extra-acme.io%2Fteam': 'blue' }, jane),
      `userextras.authentication.k8s.io "blue" is forbidden: ${cannot('userextras/acme.io/team', 'authentication.k8s.io')}`,
    )
  })

  test('E15: who may impersonate nobody is told so in terms of the request', async (t) => {
    const { name, jane } = await start(t)
    const joe = { 'impersonate-user': 'joe' }
    assert.equal(
      await refusal(jane(joe).of(configMaps, 'default').list()),
      `configmaps is forbidden: User "${name}" cannot impersonate-on:user-info:list resource "configmaps" in API group "" in the namespace "default"`,
    )
    assert.equal(
      await refusal(jane(joe).request({ path: '/healthz' })),
      `forbidden: User "${name}" cannot impersonate-on:user-info:get path "/healthz"`,
    )
    assert.equal(
      await why({ 'impersonate-user': 'system:serviceaccount:default:robot' }, jane),
      `selfsubjectreviews.authentication.k8s.io is forbidden: User "${name}" cannot impersonate-on:serviceaccount:create resource "selfsubjectreviews" in API group "authentication.k8s.io" at the cluster scope`,
    )
  })

  test('E15: a service account is impersonated in its namespace, and brings its groups', async (t) => {
    const { name, jane, grant, becomes } = await start(t)
    await grant(core('serviceaccounts', 'robot'))
    const robot = { 'impersonate-user': 'system:serviceaccount:work:robot' }
    assert.deepEqual(await becomes(robot), {
      username: 'system:serviceaccount:work:robot',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:work', 'system:authenticated'],
    })
    assert.equal(
      await why({ 'impersonate-user': 'system:serviceaccount:work:other' }, jane),
      `serviceaccounts "other" is forbidden: User "${name}" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "work"`,
    )
  })

  test('E15: rights can be confined to what is done as somebody else', async (t) => {
    const { name, jane, grant, becomes } = await start(t)
    await grant(
      {
        apiGroups: ['authentication.k8s.io'],
        resources: ['users'],
        resourceNames: ['joe'],
        verbs: ['impersonate:user-info'],
      },
      {
        apiGroups: ['authentication.k8s.io'],
        resources: ['selfsubjectreviews'],
        verbs: ['impersonate-on:user-info:create'],
      },
    )
    const joe = { 'impersonate-user': 'joe' }
    assert.equal((await becomes(joe)).username, 'joe')
    assert.equal(
      await refusal(jane(joe).of(configMaps, 'default').list()),
      `configmaps is forbidden: User "${name}" cannot impersonate-on:user-info:list resource "configmaps" in API group "" in the namespace "default"`,
    )
    assert.equal(
      await why({ ...joe, 'impersonate-group': 'system:masters' }, jane),
      `groups.authentication.k8s.io "system:masters" is forbidden: User "${name}" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the system:masters group is not allowed`,
    )
  })

  test('E15: what is impersonated is authorized as that user, not as the one behind it', async (t) => {
    const { asAdmin } = await start(t)
    assert.equal(
      await refusal(asAdmin({ 'impersonate-user': 'joe' }).of(configMaps, 'default').list()),
      'configmaps is forbidden: User "joe" cannot list resource "configmaps" in API group "" in the namespace "default"',
    )
  })

  test('E15: groups that are named are all there are, but for system:authenticated', async (t) => {
    const { asAdmin } = await start(t)
    const groupsOf = async (headers: Headers) => (await reviewSelf(asAdmin(headers))).groups
    const robot = { 'impersonate-user': 'system:serviceaccount:work:robot' }
    assert.deepEqual(await groupsOf({ ...robot, 'impersonate-group': 'dev' }), ['dev', 'system:authenticated'])
    assert.deepEqual(
      await groupsOf({ 'impersonate-user': 'joe', 'impersonate-group': ['system:authenticated', 'dev'] }),
      ['system:authenticated', 'dev'],
    )
  })

  test('E15: the anonymous user stays unauthenticated', async (t) => {
    const { asAdmin } = await start(t)
    assert.match(
      await why({ 'impersonate-user': 'system:anonymous' }, asAdmin),
      /^selfsubjectreviews.authentication.k8s.io is forbidden: User "system:anonymous" cannot create/,
    )
  })

  test('E15: an identity without a user is a bad request', async (t) => {
    const { asAdmin } = await start(t)
    assert.equal(
      await why({ 'impersonate-group': ['dev', 'ops'] }, asAdmin),
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"dev", "ops"}, Extra:map[string][]string(nil)} without impersonating a user name',
    )
    assert.equal(
      await why({ 'impersonate-uid': 'u-1' }, asAdmin),
      'requested &user.DefaultInfo{Name:"", UID:"u-1", Groups:[]string(nil), Extra:map[string][]string(nil)} without impersonating a user name',
    )
    assert.equal(
      await why({ 'impersonate-extra-scopes': ['a', 'b'], 'impersonate-extra-acme.io%2fteam': 'blue' }, asAdmin),
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string(nil), Extra:map[string][]string{"acme.io/team":[]string{"blue"}, "scopes":[]string{"a", "b"}}} without impersonating a user name',
    )
  })
})
