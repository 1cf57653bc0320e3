import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFailure } from '../../../../core/failure.ts'
import { failures } from '../failures.ts'
import { MemoryAws } from '../testing/memory-aws.ts'
import { hub } from '../testing/samples.ts'
import { ownAccountOnly } from './own-account.ts'

function scene() {
  const aws = new MemoryAws()
  const caller = { key: 'AKIA1', account: hub.account, asked: 0, trouble: undefined as Error | undefined }
  const own = ownAccountOnly(aws, {
    hub,
    accessKeyId: async () => caller.key,
    async account() {
      caller.asked += 1
      if (caller.trouble) throw caller.trouble
      return caller.account
    },
  })
  return { aws, caller, own }
}

const isWrong = (error: unknown) => isFailure(error, 'AWS_WRONG_ACCOUNT')
const anEntry = { principalArn: 'arn', username: 'u', groups: ['g'] }

test('with credentials of the own account everything is as without the check, which is made once', async () => {
  const { own, caller, aws } = scene()
  await Promise.all([own.check(), own.iam.findRole('r'), own.eks.authenticationMode()])
  const arn = await own.iam.createRole({ name: 'r', trust: '{}', tags: {}, description: '' })
  assert.equal((await own.iam.findRole('r'))?.arn, arn)
  assert.equal(await own.eks.authenticationMode(), aws.mode)
  assert.equal(caller.asked, 1)
})

test('with credentials of another account nothing is changed, and nothing reads as not there', async () => {
  const { own, caller, aws } = scene()
  caller.account = '999999999999'
  const { iam, eks } = own
  const role = { name: 'r', trust: '{}', tags: {}, description: '' }
  const calls = [
    own.check(),
    iam.findRole('r'),
    iam.createRole(role),
    iam.updateTrust('r', '{}'),
    iam.tagRole('r', {}),
    iam.findPolicy('r', 'p'),
    iam.putPolicy('r', 'p', '{}'),
    iam.policiesOf('r'),
    iam.deletePolicy('r', 'p'),
    iam.detachPolicy('r', 'p'),
    iam.deleteRole('r'),
    eks.authenticationMode(),
    eks.findAccessEntry('arn'),
    eks.createAccessEntry({ ...anEntry, tags: {} }),
    eks.updateAccessEntry(anEntry),
    eks.tagAccessEntry('arn', {}),
    eks.deleteAccessEntry('arn'),
  ]
  assert.equal(calls.length, 1 + Object.keys(aws.iam).length + Object.keys(aws.eks).length)
  for (const call of calls) await assert.rejects(call, isWrong)
  assert.equal(aws.calls, 0)
  assert.equal(caller.asked, 1)
})

test('other credentials are asked about again, both ways', async () => {
  const { own, caller } = scene()
  await own.check()
  Object.assign(caller, { key: 'AKIA2', account: '999999999999' })
  await assert.rejects(own.check(), isWrong)
  Object.assign(caller, { key: 'AKIA3', account: hub.account })
  await own.check()
  assert.equal(caller.asked, 3)
})

test('where nobody could say whose they are, the next call asks again', async () => {
  const { own, caller, aws } = scene()
  caller.trouble = failures.AWS_UNAVAILABLE({ operation: 'sts:GetCallerIdentity', code: 'ServiceFailure' })
  await assert.rejects(own.iam.findRole('r'), (error) => isFailure(error, 'AWS_UNAVAILABLE'))
  assert.equal(aws.calls, 0)
  caller.trouble = undefined
  assert.equal(await own.iam.findRole('r'), undefined)
})
