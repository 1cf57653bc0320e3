import assert from 'node:assert/strict'
import { test } from 'node:test'
import { awsAnnotations, claimOf } from './hub-annotations.ts'
import { fieldAnnotations, hub, managed, managedArn, suffix } from './testing/samples.ts'

const { arn, fieldArn, fieldSuffix } = awsAnnotations
const refusal = (annotations: Record<string, string>): string => {
  const claim = claimOf(annotations, hub)
  return claim.claim === 'refused' ? claim.failure.code : claim.claim
}

test('a cluster without any annotation of AWS is none of this driver', () => {
  assert.deepEqual(claimOf(undefined, hub), { claim: 'none' })
  assert.deepEqual(claimOf({ 'agent.open-cluster-management.io/other': 'x' }, hub), { claim: 'none' })
})

test("the seed's annotation, the field's two, and all three say the same", () => {
  for (const annotations of [{ [arn]: managedArn }, fieldAnnotations(), { [arn]: managedArn, ...fieldAnnotations() }])
    assert.deepEqual(claimOf(annotations, hub), { claim: 'aws', managed })
})

test('annotations that disagree are refused', () => {
  assert.equal(refusal({ [arn]: `${managedArn}2`, ...fieldAnnotations() }), 'AWS_ARNS_DISAGREE')
})

test('a suffix that this hub does not come to is refused, and the sentence says which it should be', () => {
  const claim = claimOf({ ...fieldAnnotations(), [fieldSuffix]: '0'.repeat(32) }, hub)
  assert.ok(claim.claim === 'refused')
  assert.equal(claim.failure.code, 'AWS_SUFFIX_WRONG')
  assert.match(claim.failure.message, new RegExp(suffix))
  assert.equal(refusal({ ...fieldAnnotations(), [fieldSuffix]: suffix.toUpperCase() }), 'AWS_SUFFIX_WRONG')
  assert.equal(refusal({ [arn]: managedArn, [fieldSuffix]: '' }), 'AWS_SUFFIX_WRONG')
})

test("half of the field's form is refused, because neither half means anything alone", () => {
  assert.equal(refusal({ [fieldArn]: managedArn }), 'AWS_ANNOTATION_MISSING')
  assert.equal(refusal({ [fieldSuffix]: suffix }), 'AWS_ANNOTATION_MISSING')
})

test('what is no ARN of an EKS cluster is refused', () => {
  for (const text of ['', 'spoke', `X${managedArn}`, `${managedArn}\n`, managedArn.replace('eks', 'ecs')])
    assert.equal(refusal({ [arn]: text }), 'AWS_ARN_MALFORMED', JSON.stringify(text))
})

test('a cluster of another partition is refused, because no role reaches there', () => {
  assert.equal(refusal({ [arn]: 'arn:aws-cn:eks:cn-north-1:567890123456:cluster/spoke' }), 'AWS_PARTITIONS_DIFFER')
})
