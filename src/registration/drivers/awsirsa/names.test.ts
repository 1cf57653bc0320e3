import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { EksCluster } from './names.ts'
import {
  creatorRoleName,
  digestOf,
  hubRoleArn,
  hubRoleName,
  managedRoleArn,
  managedRoleName,
  parseEksArn,
  principalTags,
  roleSuffix,
  whyApart,
} from './names.ts'

function cluster(arn: string): EksCluster {
  const found = parseEksArn(arn)
  assert.ok(!('wrong' in found), arn)
  return found
}

const partition = fc.constantFrom('aws', 'aws-cn', 'aws-us-gov', 'aws-iso', 'aws-iso-b', 'aws-eusc')
const region = fc.constantFrom('eu-west-1', 'cn-north-1', 'us-gov-west-1', 'us-isob-east-1', 'eusc-de-east-1')
const account = fc.stringMatching(/^\d{12}$/)
const clusterName = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/)
const anyCluster = fc.record({ partition, region, account, name: clusterName }).map((parts) => ({
  ...parts,
  arn: `arn:${parts.partition}:eks:${parts.region}:${parts.account}:cluster/${parts.name}`,
}))

test('an ARN of any partition is read, and nothing of it is lost', () => {
  fc.assert(fc.property(anyCluster, (expected) => assert.deepEqual(parseEksArn(expected.arn), expected)))
})

const wrongArns: [string, RegExp][] = [
  ['', /begins with arn/],
  ['hub', /begins with arn/],
  [' arn:aws:eks:eu-west-1:123456789012:cluster/hub', /begins with arn/],
  ['XXXarn:aws:eks:eu-west-1:123456789012:cluster/hub', /begins with arn/],
  ['arn:azure:eks:eu-west-1:123456789012:cluster/hub', /partition/],
  ['arn:aws:iam:eu-west-1:123456789012:cluster/hub', /service eks/],
  ['arn:aws:eks::123456789012:cluster/hub', /region/],
  ['arn:aws:eks:Europe:123456789012:cluster/hub', /region/],
  ['arn:aws:eks:eu-west-1:hubaccount1:cluster/hub', /12 digits/],
  ['arn:aws:eks:eu-west-1:1234567890123:cluster/hub', /12 digits/],
  ['arn:aws:eks:eu-west-1:123456789012:nodegroup/hub', /ends in cluster/],
  ['arn:aws:eks:eu-west-1:123456789012:cluster/', /ends in cluster/],
  ['arn:aws:eks:eu-west-1:123456789012:cluster/a/b', /ends in cluster/],
  ['arn:aws:eks:eu-west-1:123456789012:cluster/a#b', /ends in cluster/],
  ['arn:aws:eks:eu-west-1:123456789012:cluster/hub\n', /ends in cluster/],
  [`arn:aws:eks:eu-west-1:123456789012:cluster/${'a'.repeat(101)}`, /100 letters/],
  ['arn:aws:eks:eu-west-1:123456789012:cluster/hub:more', /six parts/],
  ['a'.repeat(100_000), /at most 256 characters/],
]
for (const [arn, why] of wrongArns)
  test(`${JSON.stringify(arn.slice(0, 60))} is no ARN of a cluster, and the reason is told with an example`, () => {
    const found = parseEksArn(arn)
    assert.ok('wrong' in found)
    assert.match(found.wrong, why)
    assert.match(found.wrong, /: arn:aws:eks:eu-west-1:123456789012:cluster\/NAME$/)
    assert.ok(found.wrong.length < 500 && !found.wrong.includes('\n'))
  })

test('whatever text is given, the answer is a cluster with that ARN or a sentence', () => {
  const pieces = fc.array(fc.constantFrom('arn', 'aws', 'eks', ':', 'eu-west-1', '123456789012', 'cluster/', 'x', '\n'))
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        pieces.map((some) => some.join('')),
      ),
      (text) => {
        const found = parseEksArn(text)
        if ('wrong' in found) assert.ok(found.wrong.length > 0)
        else {
          const { partition, region, account, name } = found
          assert.equal(`arn:${partition}:eks:${region}:${account}:cluster/${name}`, text)
        }
      },
    ),
  )
})

const vectors: [Parameters<typeof digestOf>, string][] = [
  [['hubaccount1', 'hubcluster1', 'managedaccount1', 'managedcluster1'], '79e99112993014816615711cbd35a9bc'],
  [['123456789012', 'hub-cluster1', '123456789012', 'managed-cluster1'], '7f8141296c75f2871e3d030f85c35692'],
  [['123456789012', 'hub-cluster', '123456789012', 'spoke-cluster'], '960c4e56c25ba0b571ddcdaa7edc943e'],
  [['123456789012', 'hub', '567890123456', 'spoke'], '138c525cf3b7f74ba3b945e7847792cc'],
]
for (const [given, digest] of vectors)
  test(`the suffix of ${given.join(', ')} is ${digest}`, () => assert.equal(digestOf(...given), digest))

test('the suffix comes from accounts and EKS names, not from regions and partitions', () => {
  const hub = cluster('arn:aws:eks:us-west-2:123456789012:cluster/hub')
  const spoke = cluster('arn:aws:eks:eu-west-1:567890123456:cluster/spoke')
  assert.equal(roleSuffix(hub, spoke), '138c525cf3b7f74ba3b945e7847792cc')
  assert.notEqual(roleSuffix(spoke, hub), roleSuffix(hub, spoke))
  fc.assert(
    fc.property(anyCluster, anyCluster, partition, region, (one, other, otherPartition, otherRegion) => {
      const moved = { ...one, partition: otherPartition, region: otherRegion }
      assert.equal(roleSuffix(moved, other), roleSuffix(one, other))
    }),
  )
})

test('two pairs of clusters have one suffix only when accounts and names are the same', () => {
  const near = fc.record({
    account: fc.constantFrom('123456789012', '123456789011'),
    name: fc.stringMatching(/^[12]{1,2}$/),
  })
  const nearCluster = near.map((parts) => ({ ...parts, arn: '', partition: 'aws', region: 'eu-west-1' }))
  fc.assert(
    fc.property(nearCluster, nearCluster, nearCluster, nearCluster, (hub, managed, otherHub, otherManaged) => {
      const isSame =
        JSON.stringify(principalTags(hub, managed)) === JSON.stringify(principalTags(otherHub, otherManaged))
      assert.equal(roleSuffix(hub, managed) === roleSuffix(otherHub, otherManaged), isSame)
    }),
  )
})

test('roles are in the account and the partition of their own cluster, under names that IAM takes', () => {
  const hub = cluster('arn:aws-us-gov:eks:us-gov-west-1:123456789012:cluster/hub')
  const spoke = cluster('arn:aws-us-gov:eks:us-gov-east-1:567890123456:cluster/spoke')
  const suffix = '138c525cf3b7f74ba3b945e7847792cc'
  assert.equal(hubRoleArn(hub, spoke), `arn:aws-us-gov:iam::123456789012:role/ocm-hub-${suffix}`)
  assert.equal(managedRoleArn(hub, spoke), `arn:aws-us-gov:iam::567890123456:role/ocm-managed-cluster-${suffix}`)
  fc.assert(
    fc.property(anyCluster, anyCluster, (one, other) => {
      for (const name of [hubRoleName(roleSuffix(one, other)), managedRoleName(roleSuffix(one, other))])
        assert.match(name, /^[\w+=,.@-]{1,64}$/)
    }),
  )
})

test('the creator role has the name of the hub in it, and a hub whose name is too long is told what to do', () => {
  const named = (length: number) => ({
    ...cluster('arn:aws:eks:eu-west-1:123456789012:cluster/x'),
    name: 'h'.repeat(length),
  })
  assert.equal(creatorRoleName({ ...named(1), name: 'hub' }), 'hub_managed-cluster-identity-creator')
  assert.equal(creatorRoleName(named(31)).toString().length, 64)
  const long = creatorRoleName(named(32))
  assert.ok(typeof long === 'object')
  assert.match(long.wrong, /IAM allows 64 characters, which leaves 31 .*; .* `lanyard accept` .* shorter name$/)
})

test('a hub and a cluster of two partitions are told that they cannot meet', () => {
  const hub = cluster('arn:aws:eks:us-west-2:123456789012:cluster/hub')
  const spoke = cluster('arn:aws-cn:eks:cn-north-1:567890123456:cluster/spoke')
  assert.match(
    whyApart(hub, spoke) ?? '',
    /partition aws and the cluster in aws-cn.*; join the cluster to a hub in aws-cn$/,
  )
  assert.equal(whyApart(hub, { ...spoke, partition: 'aws' }), undefined)
})

test('the tags of the managed role name both clusters as EKS does', () => {
  const hub = cluster('arn:aws:eks:us-west-2:123456789012:cluster/hub')
  const spoke = cluster('arn:aws:eks:eu-west-1:567890123456:cluster/spoke')
  assert.deepEqual(principalTags(hub, spoke), {
    hub_cluster_account_id: '123456789012',
    hub_cluster_name: 'hub',
    managed_cluster_account_id: '567890123456',
    managed_cluster_name: 'spoke',
  })
})
