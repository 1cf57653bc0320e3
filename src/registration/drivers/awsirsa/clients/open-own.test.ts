import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../../../core/clock.ts'
import { isFailure } from '../../../../core/failure.ts'
import type { AwsCredentials } from '../../../../demo/aws/index.ts'
import { startAws } from '../../../../demo/aws/index.ts'
import { creatorRoleAccess } from '../documents.ts'
import { hub, managed } from '../testing/samples.ts'
import { openOwnAws } from './open-own.ts'

test('the real SDK finds out whose credentials it has, and asks IAM and EKS with no others', async (t) => {
  await using aws = await startAws()
  aws.cluster({ account: hub.account, name: hub.name, region: hub.region, authenticationMode: 'API' })
  const open = (credentials: AwsCredentials) => {
    const clients = openOwnAws({ hub, clock: systemClock, endpoint: aws.url, credentials, maxAttempts: 1 })
    t.after(() => clients[Symbol.dispose]())
    return clients
  }
  const own = open(aws.account(hub.account).user('creator', creatorRoleAccess(hub)))
  await own.check()
  assert.equal(await own.eks.authenticationMode(), 'API')
  assert.equal(await own.iam.findRole('ocm-hub-none'), undefined)

  const foreign = open(aws.account(managed.account).admin)
  const isWrong = (error: unknown) => isFailure(error, 'AWS_WRONG_ACCOUNT')
  await assert.rejects(foreign.check(), isWrong)
  await assert.rejects(foreign.iam.findRole('ocm-hub-none'), isWrong)
  await assert.rejects(foreign.eks.authenticationMode(), isWrong)

  const unknown = open({ accessKeyId: 'AKIAUNKNOWN', secretAccessKey: 'none' })
  await assert.rejects(unknown.iam.findRole('r'), (error) => isFailure(error, 'AWS_CREDENTIALS_WRONG'))
})
