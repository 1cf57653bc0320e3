import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAgentUser } from '../../../fleet/names.ts'
import type { Role } from './clients/ports.ts'
import { hubRoleAccess, hubRoleTrust } from './documents.ts'
import type { Plan, Wanted, World } from './hub-plan.ts'
import { mappedFor, planToEnsure, planToRevoke, tagsFor } from './hub-plan.ts'
import type { FoundMapping } from './mapping/mapping.ts'
import { ownTags } from './tags.ts'
import { hub, managed, roleArn, roleName } from './testing/samples.ts'

const wanted: Wanted = { hub, managed, name: 'west', uid: 'u1', mapping: 'access-entry', tags: { team: 'blue' } }
const trust = JSON.stringify(hubRoleTrust(hub, managed))
const role: Role = { name: roleName, arn: roleArn, createdAt: new Date(0), trust, tags: tagsFor(wanted) }
const access = JSON.stringify(hubRoleAccess(hub))
const entry: FoundMapping = {
  kind: 'access-entry',
  username: 'open-cluster-management:west',
  groups: ['open-cluster-management:west'],
  tags: tagsFor(wanted),
}
const inAwsAuth: FoundMapping = {
  kind: 'aws-auth',
  username: 'system:open-cluster-management:west:awsirsa',
  groups: ['system:open-cluster-management:west'],
}
const inPlace: World = { role, access, mappings: [entry] }

const names = (plan: Plan) => ('refused' in plan ? plan.refused.code : plan.steps.map(({ step }) => step))
const ensuring = (world: World, want = wanted) => names(planToEnsure(want, world))
const without = (tags: Readonly<Record<string, string>>, ...keys: string[]) =>
  Object.fromEntries(Object.entries(tags).filter(([key]) => !keys.includes(key)))

test('a new cluster gets its role, then the access policy, then the mapping', () => {
  assert.deepEqual(ensuring({ mappings: [] }), ['create-role', 'write-access', 'map'])
  const plan = planToEnsure(wanted, { mappings: [] })
  assert.ok('steps' in plan)
  assert.deepEqual(plan.steps[0], { step: 'create-role', role: roleName, trust, tags: tagsFor(wanted) })
  assert.deepEqual(plan.steps[2], {
    step: 'map',
    kind: 'access-entry',
    mapped: { username: 'open-cluster-management:west', groups: ['open-cluster-management:west'] },
    tags: tagsFor(wanted),
  })
})

test('where everything is in place there is nothing to do, whatever else is tagged', () => {
  assert.deepEqual(ensuring(inPlace), [])
  const more = { ...role.tags, cost: '1' }
  assert.deepEqual(ensuring({ ...inPlace, role: { ...role, tags: more } }), [])
  assert.deepEqual(ensuring({ role, access, mappings: [inAwsAuth] }, { ...wanted, mapping: 'aws-auth' }), [])
})

test('the group of the ConfigMap is the one of the seed', () => {
  const plan = planToEnsure({ ...wanted, mapping: 'aws-auth' }, { ...inPlace, mappings: [] })
  assert.ok('steps' in plan && plan.steps[0]?.step === 'map')
  assert.deepEqual(plan.steps[0].mapped.groups, ['system:open-cluster-management:west'])
})

test('no user name is the bare name of a cluster; that of the ConfigMap is one of an agent', () => {
  assert.deepEqual(parseAgentUser(mappedFor('aws-auth', 'west').username), { cluster: 'west', agent: 'awsirsa' })
  // EKS refuses names that begin with `system:` here.
  assert.equal(mappedFor('access-entry', 'west').username, 'open-cluster-management:west')
})

test('each part that drifted is put right, and no other', () => {
  const lost = trust.replace(/arn:aws:iam::567890123456:role[^"]+/, 'AROAIOSFODNN7EXAMPLE')
  assert.notEqual(lost, trust)
  assert.deepEqual(ensuring({ ...inPlace, role: { ...role, trust: lost } }), ['write-trust'])
  assert.deepEqual(ensuring({ ...inPlace, role: { ...role, trust: 'not JSON' } }), ['write-trust'])
  assert.deepEqual(ensuring({ ...inPlace, role: { ...role, tags: without(role.tags, 'team') } }), ['tag-role'])
  assert.deepEqual(ensuring({ role, mappings: [entry] }), ['write-access'])
  assert.deepEqual(ensuring({ ...inPlace, access: access.replace('ListClusters', '*') }), ['write-access'])
  assert.deepEqual(ensuring({ ...inPlace, mappings: [] }), ['map'])
  assert.deepEqual(ensuring({ ...inPlace, mappings: [{ ...entry, username: 'east' }] }), ['map'])
  assert.deepEqual(ensuring({ ...inPlace, mappings: [{ ...entry, groups: ['admins'] }] }), ['map'])
  assert.deepEqual(ensuring({ ...inPlace, mappings: [{ ...entry, isUnfit: true }] }), ['unmap', 'map'])
  const tags = without(role.tags, 'team')
  assert.deepEqual(ensuring({ ...inPlace, mappings: [{ ...entry, tags }] }), ['tag-mapping'])
})

test('what was made for an earlier cluster of the same name is ours, and gets the new uid', () => {
  const plan = planToEnsure({ ...wanted, uid: 'u2' }, inPlace)
  assert.ok('steps' in plan)
  assert.deepEqual(plan.steps, [
    { step: 'tag-role', role: roleName, tags: { [ownTags.managedClusterUid]: 'u2' } },
    { step: 'tag-mapping', kind: 'access-entry', tags: { [ownTags.managedClusterUid]: 'u2' } },
  ])
})

test('an access entry that is older than its role is made again: EKS knows roles by their ids', () => {
  const made = { ...role, createdAt: new Date(5_000) }
  const older = { ...entry, madeAt: new Date(4_000) }
  assert.deepEqual(ensuring({ ...inPlace, role: made, mappings: [older] }), ['unmap', 'map'])
  assert.deepEqual(ensuring({ ...inPlace, role: made, mappings: [{ ...entry, madeAt: new Date(5_000) }] }), [])
})

test('an access entry without a role goes only after the role could be made, which proves that it was missing', () => {
  assert.deepEqual(ensuring({ mappings: [entry] }), ['create-role', 'write-access', 'unmap', 'map'])
})

test('a role in another account is refused, and both accounts are named; one under a path is not ours', () => {
  const plan = planToEnsure(wanted, {
    ...inPlace,
    role: { ...role, arn: roleArn.replace(hub.account, '999999999999') },
  })
  assert.ok('refused' in plan)
  assert.equal(plan.refused.code, 'AWS_ROLE_ELSEWHERE')
  assert.match(plan.refused.message, new RegExp(`999999999999.*${hub.account}`))
  assert.equal(
    ensuring({ ...inPlace, role: { ...role, arn: roleArn.replace('role/', 'role/team/') } }),
    'AWS_ROLE_FOREIGN',
  )
})

test('the mapping of the other kind goes only after its successor is there', () => {
  assert.deepEqual(ensuring({ ...inPlace, mappings: [inAwsAuth] }), ['map', 'unmap'])
})

test('a role without our tags, of another hub or of another cluster is refused, and nothing is done', () => {
  const foreign = [
    {},
    { team: 'blue' },
    without(role.tags, ownTags.hubCluster),
    { ...role.tags, [ownTags.hubCluster]: `${hub.arn}2` },
    { ...role.tags, [ownTags.managedCluster]: 'west2' },
  ]
  for (const tags of foreign)
    assert.equal(ensuring({ ...inPlace, role: { ...role, tags } }), 'AWS_ROLE_FOREIGN', JSON.stringify(tags))
})

test('an access entry without our tags is refused even if it is for our role and would do', () => {
  assert.equal(ensuring({ ...inPlace, mappings: [{ ...entry, tags: {} }] }), 'AWS_MAPPING_FOREIGN')
})

test('an entry of the ConfigMap belongs to whom its role does, and without a role to whom it names', () => {
  const byConfigMap: Wanted = { ...wanted, mapping: 'aws-auth' }
  const drifted = { ...inAwsAuth, username: 'someone' }
  assert.deepEqual(ensuring({ role, access, mappings: [drifted] }, byConfigMap), ['map'])
  assert.equal(ensuring({ mappings: [drifted] }, byConfigMap), 'AWS_MAPPING_FOREIGN')
  assert.deepEqual(ensuring({ mappings: [inAwsAuth] }, byConfigMap), ['create-role', 'write-access'])
})

const claimed = { role: roleName, isOnRecord: false }
const onRecord = { role: roleName, isOnRecord: true }
const revoking = (world: World, holder = wanted, held = claimed) => {
  const { steps, left } = planToRevoke(holder, held, world)
  return [...steps.map(({ step }) => step), ...(left ? [left.code] : [])]
}
const policies = { inline: ['ocm-hub-access', 'by-others'], attached: ['arn:aws:iam::aws:policy/ReadOnlyAccess'] }

test('to revoke cuts access first: the mapping, then policies, then the role', () => {
  assert.deepEqual(revoking({ role, policies, mappings: [entry, inAwsAuth] }), [
    'unmap',
    'unmap',
    'remove-policy',
    'remove-policy',
    'detach-policy',
    'remove-role',
  ])
})

test('to revoke takes up what an earlier pass left', () => {
  assert.deepEqual(revoking({ mappings: [] }), [])
  assert.deepEqual(revoking({ mappings: [entry] }), ['unmap'])
  assert.deepEqual(revoking({ role, policies: { inline: [], attached: [] }, mappings: [] }), ['remove-role'])
})

test('to revoke leaves alone what belongs to others, such as the cluster whose ARN this one pretends to have', () => {
  const impostor = { ...wanted, name: 'east', uid: 'u9' }
  assert.deepEqual(revoking({ role, policies, mappings: [entry, inAwsAuth] }, impostor), [])
  assert.deepEqual(revoking({ role: { ...role, tags: {} }, policies, mappings: [{ ...entry, tags: {} }] }), [])
  assert.deepEqual(revoking({ mappings: [{ ...inAwsAuth, username: 'nodes' }] }), [])
})

test('on record, a mapping that lets this cluster in is cut whatever tags say, and a role without tags is told', () => {
  const stripped = { ...role, tags: {} }
  const untagged = { ...entry, tags: {} }
  const recorded = (world: World, holder = wanted) => revoking(world, holder, onRecord)
  assert.deepEqual(recorded({ role: stripped, policies, mappings: [untagged, inAwsAuth] }), [
    'unmap',
    'unmap',
    'AWS_ROLE_LEFT',
  ])
  const half = { ...role, tags: without(role.tags, ownTags.managedCluster) }
  assert.deepEqual(recorded({ role: half, policies, mappings: [] }), ['AWS_ROLE_LEFT'])
  assert.deepEqual(recorded({ role: stripped, mappings: [{ ...untagged, groups: ['others'] }] }), ['AWS_ROLE_LEFT'])
})

test('on record, what tags name as that of another cluster or hub is left alone without a word', () => {
  const impostor = { ...wanted, name: 'east', uid: 'u9' }
  assert.deepEqual(revoking({ role, policies, mappings: [entry, inAwsAuth] }, impostor, onRecord), [])
  const ofOtherHub = { ...role, tags: { [ownTags.hubCluster]: `${hub.arn}2` } }
  assert.deepEqual(revoking({ role: ofOtherHub, policies, mappings: [] }, wanted, onRecord), [])
})
