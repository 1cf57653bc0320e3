import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import { isFailure } from '../../../../core/failure.ts'
import { failures } from '../failures.ts'
import { MemoryAws } from '../testing/memory-aws.ts'
import { hub } from '../testing/samples.ts'
import { mappingMode } from './mode.ts'

function scene() {
  const clock = new FakeClock()
  const aws = new MemoryAws()
  return { clock, aws, mode: mappingMode(aws.eks, hub, clock) }
}

test('only a cluster that knows nothing but the ConfigMap goes by it', async () => {
  for (const [authentication, kind] of [
    ['API', 'access-entry'],
    ['API_AND_CONFIG_MAP', 'access-entry'],
    ['CONFIG_MAP', 'aws-auth'],
    [undefined, 'aws-auth'],
  ] as const) {
    const { aws, mode } = scene()
    aws.mode = authentication
    assert.equal(await mode.kind(), kind)
  }
})

test('EKS is asked once for all who ask, and again after five minutes', async () => {
  const { aws, clock, mode } = scene()
  await Promise.all([mode.kind(), mode.kind()])
  await clock.advance('299s')
  await mode.kind()
  assert.equal(aws.calls, 1)
  aws.mode = 'CONFIG_MAP'
  await clock.advance('1s')
  assert.equal(await mode.kind(), 'aws-auth')
})

test('an answer that did not come is not kept, nor one that is to be forgotten', async () => {
  const { aws, mode } = scene()
  aws.failNext('eks.authenticationMode', failures.AWS_THROTTLED({ operation: 'x', code: 'y' }))
  await assert.rejects(mode.kind(), (error) => isFailure(error, 'AWS_THROTTLED'))
  assert.equal(await mode.kind(), 'access-entry')
  aws.mode = 'CONFIG_MAP'
  mode.forget()
  assert.equal(await mode.kind(), 'aws-auth')
})

test('a hub cluster that EKS does not know is named', async () => {
  const { aws, mode } = scene()
  aws.failNext('eks.authenticationMode', failures.AWS_NOT_FOUND({ operation: 'x', code: 'y' }))
  await assert.rejects(mode.kind(), (error) => isFailure(error, 'AWS_HUB_UNKNOWN') && error.message.includes(hub.arn))
})
