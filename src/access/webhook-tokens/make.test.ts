import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../test/support/memory-kube.ts'
import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { isFailure } from '../../core/failure.ts'
import { secrets } from '../../kube/kinds.ts'
import { hasWebhookToken, makeWebhookToken } from './make.ts'
import { recordOf, tokenSecretName } from './record.ts'

function aHub() {
  const clock = new FakeClock()
  const kube = new MemoryKube(clock)
  const deps = { kube, clock, namespace: 'hub' }
  const stored = async (cluster: string) => recordOf(await kube.of(secrets, 'hub').get(tokenSecretName(cluster)))
  return { ...deps, deps, stored }
}

test('the first token is made once; another is made only where it may follow', async () => {
  const { deps, stored } = aHub()
  assert.equal(await hasWebhookToken('west', deps), false)
  const first = await makeWebhookToken('west', deps)
  assert.equal(await hasWebhookToken('west', deps), true)
  await assert.rejects(makeWebhookToken('west', deps), (error) => isFailure(error, 'WEBHOOK_TOKEN_EXISTS'))
  const second = await makeWebhookToken('west', deps, { rotate: true })
  assert.notEqual(first.reveal(), second.reveal())
  assert.equal((await stored('west'))?.tokens.length, 2)
})

test('the token is in nothing that is stored', async () => {
  const { deps, kube } = aHub()
  const token = await makeWebhookToken('west', deps)
  const [secret] = (await kube.of(secrets).list()).items
  const texts = Object.values(secret?.data ?? {}).map((value) => Buffer.from(value, 'base64').toString())
  assert.ok(!JSON.stringify([secret, texts]).includes(token.reveal()))
})

test('two who rotate at once both get a good token', async () => {
  const { deps, stored } = aHub()
  await makeWebhookToken('west', deps)
  await Promise.all([1, 2, 3].map(() => makeWebhookToken('west', deps, { rotate: true })))
  assert.equal((await stored('west'))?.tokens.length, 4)
})

test('a death after storing leaves the token in use good', async () => {
  const { deps, stored, clock } = aHub()
  await makeWebhookToken('west', deps)
  const die = () => {
    throw new Error('killed')
  }
  await assert.rejects(makeWebhookToken('west', { ...deps, checkpoint: die }, { rotate: true }), /killed/)
  await clock.advance('10m')
  await makeWebhookToken('west', deps, { rotate: true })
  const record = await stored('west')
  assert.equal(record?.tokens.length, 3)
  assert.equal(record?.tokens[2]?.until, new Date(clock.now().getTime() + 50 * 60_000).toISOString())
})

test('a Secret of that name which holds something else is not written over', async () => {
  const { deps, kube } = aHub()
  await kube.of(secrets, 'hub').create({ metadata: { name: tokenSecretName('west') }, data: {} })
  await assert.rejects(makeWebhookToken('west', deps), (error) => isFailure(error, 'WEBHOOK_TOKEN_FOREIGN'))
})

test('a token of a ClusterConfig that is gone is no token of the next', async () => {
  const { deps, kube, stored } = aHub()
  const configs = kube.of(ClusterConfig.resource, 'people')
  const { metadata } = await configs.create({ metadata: { name: 'west' }, spec: {} })
  await makeWebhookToken('west', deps)
  assert.equal((await stored('west'))?.uid, metadata.uid)
  await configs.delete('west')
  assert.equal(await hasWebhookToken('west', deps), false)
  await configs.create({ metadata: { name: 'west' }, spec: {} })
  assert.equal(await hasWebhookToken('west', deps), false)
  await makeWebhookToken('west', deps)
  assert.equal((await stored('west'))?.tokens.length, 1)
  assert.notEqual((await stored('west'))?.uid, metadata.uid)
  await kube.of(ClusterConfig.resource, 'elsewhere').create({ metadata: { name: 'west' }, spec: {} })
  await assert.rejects(makeWebhookToken('west', deps, { rotate: true }), (error) =>
    isFailure(error, 'WEBHOOK_CLUSTER_AMBIGUOUS'),
  )
})
