import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import { isFailure } from '../../../../core/failure.ts'
import { failures } from '../failures.ts'
import { MemoryAws } from '../testing/memory-aws.ts'
import { hub } from '../testing/samples.ts'
import { mappingMode } from './mode.ts'

function scene({ isEks = true } = {}) {
  const clock = new FakeClock()
  const aws = new MemoryAws()
  return { clock, aws, mode: mappingMode({ eks: aws.eks, hub, isEks: async () => isEks, clock }) }
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

test('a hub that is none of EKS, and that EKS does not know, goes by the ConfigMap', async () => {
  const { aws, mode } = scene({ isEks: false })
  aws.knowsHub = false
  assert.equal(await mode.kind(), 'aws-auth')
})

test('what EKS says of the hub counts, whatever the version of its API server says', async () => {
  const { mode } = scene({ isEks: false })
  assert.equal(await mode.kind(), 'access-entry')
})

test('EKS that could not be asked is no answer, also on a hub that is none of EKS', async () => {
  const { aws, mode } = scene({ isEks: false })
  aws.failNext('eks.authenticationMode', failures.AWS_REFUSED({ operation: 'x', code: 'y' }))
  await assert.rejects(mode.kind(), (error) => isFailure(error, 'AWS_REFUSED'))
})

test('a version that could not be asked for is not kept as an answer', async () => {
  const aws = new MemoryAws()
  aws.knowsHub = false
  let asked = 0
  const isEks = async () => {
    asked += 1
    if (asked === 1) throw new Error('no version')
    return false
  }
  const mode = mappingMode({ eks: aws.eks, hub, isEks, clock: new FakeClock() })
  await assert.rejects(mode.kind(), /no version/)
  assert.equal(await mode.kind(), 'aws-auth')
})

test('a hub cluster of EKS that EKS does not know is named', async () => {
  const { aws, mode } = scene()
  aws.knowsHub = false
  await assert.rejects(mode.kind(), (error) => isFailure(error, 'AWS_HUB_UNKNOWN') && error.message.includes(hub.arn))
})
