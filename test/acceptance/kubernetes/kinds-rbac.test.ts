/** rbac.authorization.k8s.io/v1: what roles and bindings may say. What they grant is tested elsewhere. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isConflict } from '../../../src/kube/failures.ts'
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '../../../src/kube/kinds.ts'
import { aRoleBinding, aUser } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { kindScene, pathOf, whyInvalid } from '../../support/kind-scene.ts'

const group = 'rbac.authorization.k8s.io'
const metadata = { name: 'Sample:role' }
const dryRun = { dryRun: true }

describe('roles', needsControlPlane, () => {
  test('E13: a Role without rules has none', async (t) => {
    const { kube, namespace } = await kindScene(t)
    assert.equal((await kube.of(roles, namespace).create({ metadata })).rules, null)
  })

  test('E13: a rule of a Role names verbs, groups and resources, and no paths', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const why = (rule: object) =>
      whyInvalid(kube.of(roles, namespace).create({ metadata, rules: [rule as { verbs: string[] }] }, dryRun))
    assert.equal(
      await why({}),
      '[rules[0].verbs: Required value: verbs must contain at least one value, rules[0].apiGroups: Required value: resource rules must supply at least one api group, rules[0].resources: Required value: resource rules must supply at least one resource]',
    )
    assert.equal(
      await why({ verbs: ['get'], nonResourceURLs: ['/healthz'] }),
      'rules[0].nonResourceURLs: Invalid value: ["/healthz"]: namespaced rules cannot apply to non-resource URLs',
    )
  })

  test('E13: a rule of a ClusterRole is about resources or about paths', async (t) => {
    const { kube } = await kindScene(t)
    const create = (rule: object) =>
      kube.of(clusterRoles).create({ metadata, rules: [rule as { verbs: string[] }] }, dryRun)
    assert.equal(
      await whyInvalid(create({ verbs: ['get'], nonResourceURLs: ['/x'], apiGroups: [''], resources: ['pods'] })),
      'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
    )
    assert.ok(await create({ verbs: ['get'], nonResourceURLs: ['/x'] }))
  })

  test('E13: an aggregated ClusterRole has selectors, and good ones', async (t) => {
    const { kube } = await kindScene(t)
    const why = (aggregationRule: object) =>
      whyInvalid(kube.of(clusterRoles).create({ metadata, aggregationRule }, dryRun))
    const path = 'aggregationRule.clusterRoleSelectors'
    assert.equal(
      await why({}),
      `${path}: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil`,
    )
    assert.equal(
      await why({ clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'In' }] }] }),
      `[${path}[0].matchExpressions[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn', ${path}[0]: Invalid value: null: invalid label selector.]`,
    )
  })

  test('E13: a PUT makes a Role that is not there, and a stale one is refused', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const put = (body: object) =>
      kube.request<{ metadata: { uid: string } }>({
        method: 'PUT',
        path: pathOf(roles, { namespace, name: 'made' }),
        body: { apiVersion: `${group}/v1`, kind: 'Role', ...body },
      })
    assert.ok((await put({ metadata: { name: 'made' }, rules: [] })).metadata.uid)
    await assert.rejects(put({ metadata: { name: 'made', resourceVersion: '1' } }), isConflict)
  })
})

describe('bindings', needsControlPlane, () => {
  test('E13: a binding fills in the group of its role and of users and groups', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const { roleRef, subjects } = await kube.of(roleBindings, namespace).create({
      metadata,
      roleRef: { kind: 'Role', name: 'x' } as { apiGroup: string; kind: string; name: string },
      subjects: [
        { kind: 'User', name: 'jane' },
        { kind: 'Group', name: 'dev' },
        { kind: 'ServiceAccount', name: 'robot' },
      ],
    })
    assert.deepEqual(roleRef, { apiGroup: group, kind: 'Role', name: 'x' })
    assert.deepEqual(subjects, [
      { kind: 'User', apiGroup: group, name: 'jane' },
      { kind: 'Group', apiGroup: group, name: 'dev' },
      { kind: 'ServiceAccount', name: 'robot' },
    ])
  })

  test('E13: a binding refers to a role of this group, under a name that can be one', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const roleRef = { apiGroup: 'other', kind: 'Odd', name: 'a/b' }
    const kindsOf = (supported: string) =>
      `[roleRef.apiGroup: Unsupported value: "other": supported values: "${group}", roleRef.kind: Unsupported value: "Odd": supported values: ${supported}, roleRef.name: Invalid value: "a/b": may not contain '/']`
    assert.equal(
      await whyInvalid(kube.of(roleBindings, namespace).create({ metadata, roleRef }, dryRun)),
      kindsOf('"Role", "ClusterRole"'),
    )
    assert.equal(
      await whyInvalid(kube.of(clusterRoleBindings).create({ metadata, roleRef }, dryRun)),
      kindsOf('"ClusterRole"'),
    )
    const nameless = { apiGroup: group, kind: 'ClusterRole', name: '' }
    assert.equal(
      await whyInvalid(kube.of(clusterRoleBindings).create({ metadata, roleRef: nameless }, dryRun)),
      'roleRef.name: Required value',
    )
  })

  test('E13: subjects of a binding are users, groups and service accounts that can be', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const roleRef = { apiGroup: group, kind: 'ClusterRole', name: 'view' }
    const why = (subject: object, isClusterWide = false) => {
      const binding = { metadata, roleRef, subjects: [subject as { kind: string; name: string }] }
      return whyInvalid(
        isClusterWide
          ? kube.of(clusterRoleBindings).create(binding, dryRun)
          : kube.of(roleBindings, namespace).create(binding, dryRun),
      )
    }
    assert.equal(await why({ kind: 'User' }), 'subjects[0].name: Required value')
    assert.equal(
      await why({ kind: 'Robot', name: 'x' }),
      'subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"',
    )
    assert.equal(
      await why({ kind: 'Group', name: 'x', apiGroup: 'odd' }),
      `subjects[0].apiGroup: Unsupported value: "odd": supported values: "${group}"`,
    )
    assert.equal(
      await why({ kind: 'ServiceAccount', name: 'x', apiGroup: 'odd' }),
      'subjects[0].apiGroup: Unsupported value: "odd": supported values: ""',
    )
    assert.equal(await why({ kind: 'ServiceAccount', name: 'x' }, true), 'subjects[0].namespace: Required value')
    assert.match(
      await why({ kind: 'ServiceAccount', name: 'A' }),
      /^subjects\[0\]\.name: Invalid value: "A": a lowercase RFC 1123 subdomain/,
    )
  })

  test('E13: the role of a binding stays, its subjects may change', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const collection = kube.of(roleBindings, namespace)
    await collection.create(aRoleBinding('reader', aUser('jane')))
    const patch = (body: object) => collection.patch('reader', { type: 'merge', body })
    assert.equal(
      await whyInvalid(patch({ roleRef: { name: 'writer' } })),
      `roleRef: Invalid value: {"APIGroup":"${group}","Kind":"Role","Name":"writer"}: cannot change roleRef`,
    )
    assert.equal((await patch({ subjects: [aUser('jill')] })).subjects?.[0]?.name, 'jill')
  })
})
