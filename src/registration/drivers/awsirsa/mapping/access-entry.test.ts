import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failures } from '../failures.ts'
import { MemoryAws } from '../testing/memory-aws.ts'
import { hub, roleArn, roleName } from '../testing/samples.ts'
import { accessEntries } from './access-entry.ts'
import { mappingMode } from './mode.ts'

const mapped = { username: 'west', groups: ['open-cluster-management:west'] }

async function scene() {
  const aws = new MemoryAws()
  await aws.iam.createRole({ name: roleName, trust: '{}', tags: {}, description: '' })
  aws.changes.length = 0
  const mode = mappingMode({ eks: aws.eks, hub, isEks: async () => true, clock: { now: () => new Date(0) } })
  return { aws, entries: accessEntries(aws.eks, mode) }
}

test('an entry is made with its tags, found, tagged and removed', async () => {
  const { aws, entries } = await scene()
  assert.equal(await entries.find(roleArn), undefined)
  await entries.put(roleArn, mapped, { a: '1' }, undefined)
  await entries.tag(roleArn, { b: '2' })
  const { madeAt: _, ...found } = (await entries.find(roleArn)) ?? {}
  assert.deepEqual(found, { kind: 'access-entry', ...mapped, tags: { a: '1', b: '2' }, isUnfit: false })
  await entries.remove(roleArn)
  await entries.tag(roleArn, { c: '3' })
  assert.equal(aws.entries.size, 0)
})

test('one that drifted is changed in place', async () => {
  const { aws, entries } = await scene()
  await entries.put(roleArn, { username: 'x', groups: [] }, {}, undefined)
  await entries.put(roleArn, mapped, {}, await entries.find(roleArn))
  assert.deepEqual(aws.changes, ['eks.createAccessEntry', 'eks.updateAccessEntry'])
  Object.assign(aws.entries.get(roleArn) ?? {}, { type: 'EC2_LINUX' })
  assert.equal((await entries.find(roleArn))?.isUnfit, true)
})

test('where the mode has no access entries there is none, and any other wrong request is told', async () => {
  const { aws, entries } = await scene()
  const wrong = failures.AWS_INVALID({ operation: 'eks:DescribeAccessEntry', code: 'InvalidRequestException' })
  aws.failNext('eks.findAccessEntry', wrong)
  await assert.rejects(entries.find(roleArn), (error) => error === wrong)
  aws.mode = 'CONFIG_MAP'
  assert.equal(await entries.find(roleArn), undefined)
})
