import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Member } from './limits.ts'
import { checked, checkedTags } from './limits.ts'

for (const [member, fine, wrong] of [
  [
    'roleName',
    ['a', 'a'.repeat(64), 'hub_managed-cluster-identity-creator', '+=,.@-_'],
    ['', 'a'.repeat(65), 'a b', 'a/b', 'é', 'a\n'],
  ],
  ['policyName', ['ocm-hub-access', 'a'.repeat(128)], ['', 'a'.repeat(129), 'a:b']],
  ['path', ['/', '/ocm/hub/'], ['', 'ocm/', '/ocm', '/o m/']],
  ['description', ['', 'Of cluster c1, für Lanyard\n'], ['a'.repeat(1001), '漢']],
  [
    'tags.key',
    ['lanyard.io/hub-cluster', 'hub_cluster_name', 'ключ', 'a'.repeat(128)],
    ['', 'a'.repeat(129), 'a*', 'a{b}'],
  ],
  [
    'tags.value',
    ['', 'arn:aws:eks:eu-west-1:111122223333:cluster/hub', 'a'.repeat(256)],
    ['a'.repeat(257), 'a,b', '"'],
  ],
  ['roleSessionName', ['ab', 'a'.repeat(64)], ['a', 'a'.repeat(65), 'a b', 'a:b']],
  [
    'policyArn',
    ['arn:aws:iam::aws:policy/ReadOnlyAccess', 'arn:aws-cn:iam::111122223333:policy/p'],
    ['arn:aws:iam::1:policy/pppppp', 'arn:aws:iam::111122223333:role/r'],
  ],
] as [Member, string[], string[]][])
  test(`${member} takes what AWS takes`, () => {
    for (const value of fine) assert.equal(checked(member, value), value)
    for (const value of wrong) assert.throws(() => checked(member, value), { name: 'Error' }, JSON.stringify(value))
  })

test('fifty tags are taken at once, fifty-one are not', () => {
  const tags = (count: number) => Array.from({ length: count }, (_, index) => ({ Key: `k${index}`, Value: '' }))
  assert.equal(checkedTags(tags(50)).size, 50)
  assert.throws(() => checkedTags(tags(51)), /less than or equal to 50/)
})
