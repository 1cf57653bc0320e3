import assert from 'node:assert/strict'
import { test } from 'node:test'
import { awsJoinAnnotations, isMarked } from './agent-annotations.ts'
import type { EksCluster } from './names.ts'
import { parseEksArn } from './names.ts'

const eks = (arn: string) => parseEksArn(arn) as EksCluster
const hub = eks('arn:aws:eks:us-west-2:123456789012:cluster/hub-cluster1')
const managed = eks('arn:aws:eks:us-west-2:123456789012:cluster/managed-cluster1')
const other = eks('arn:aws:eks:us-west-2:123456789012:cluster/managed-cluster10')

const seed = { 'eks-managed-cluster-arn': managed.arn }
const field = {
  'agent.open-cluster-management.io/managed-cluster-arn': managed.arn,
  'agent.open-cluster-management.io/managed-cluster-iam-role-suffix': '7f8141296c75f2871e3d030f85c35692',
}

test("an agent marks its ManagedCluster in the seed's form and in the field's", () => {
  assert.deepEqual(awsJoinAnnotations(hub, managed), { ...seed, ...field })
})

test('either form marks a cluster, and no form of another cluster does', () => {
  for (const found of [seed, field, { ...seed, ...field, 'example.com/a': 'b' }])
    assert.equal(isMarked(found, hub, managed), true)
  const { 'agent.open-cluster-management.io/managed-cluster-iam-role-suffix': suffix, ...half } = field
  assert.equal(typeof suffix, 'string')
  for (const found of [
    undefined,
    {},
    half,
    awsJoinAnnotations(hub, other),
    { ...field, 'eks-managed-cluster-arn': other.arn },
  ])
    assert.equal(isMarked(found, hub, managed), false)
})
