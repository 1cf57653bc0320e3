import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { after } from '../../../core/clock.ts'
import type { Kept } from '../../../core/pass.ts'
import { reasons as coreReasons } from '../../../core/reasons.ts'
import { aToken } from '../../../fleet/testing/account-tokens.ts'
import type { Infrastructure } from './accounts.ts'
import { tokenIssuance } from './issuance.ts'
import type { TokenMaterial } from './token-secret.ts'

const account = 'west-logs-agent'
const facts = {
  id: 'x',
  kind: 'addon',
  holder: 'west/logs',
  issuer: 'hub',
  keptIn: 'memory',
  state: coreReasons.PassIssued,
} as const

function scene({ skewMs = 0, lifeMs = 600_000 } = {}) {
  const clock = new FakeClock()
  let asked = 0
  const world = {
    infrastructure: { is: 'ready', namespace: 'west', account, uid: '1' } as Infrastructure,
    uid: '1',
    lifeMs,
    get asked() {
      return asked
    },
  }
  const issuance = tokenIssuance({
    account,
    facts,
    infrastructure: () => world.infrastructure,
    lookAgainMs: 300_000,
    async request() {
      asked += 1
      const issuedAt = after(clock.now(), skewMs)
      const claims = { namespace: 'west', account, uid: world.uid, issuedAt, expiresAt: after(issuedAt, world.lifeMs) }
      return { token: aToken(claims), claims, expiresAt: claims.expiresAt }
    },
  })
  const next = (kept?: Kept<TokenMaterial>) => issuance.next(clock.now(), kept)
  const granted = async (kept?: Kept<TokenMaterial>) => {
    const step = await next(kept)
    assert.ok(step.step === 'granted')
    return { pass: step.pass, material: step.material }
  }
  return { clock, world, issuance, next, granted }
}
const waitsFor = async (step: ReturnType<ReturnType<typeof scene>['next']>) => {
  const { step: what, ...rest } = await step
  return what === 'waiting' && 'for' in rest ? rest.for : what
}

test('nothing is asked for before the account is announced, and nothing for an account that is not its own', async () => {
  const { world, next } = scene()
  world.infrastructure = { is: 'awaited' }
  assert.equal(await waitsFor(next()), 'AwaitingTokenInfrastructure')
  world.infrastructure = { is: 'ready', namespace: 'west', account: 'logs-agent', uid: '1' }
  assert.equal(await waitsFor(next()), 'AwaitingTokenInfrastructure')
  world.infrastructure = { is: 'foreign', message: 'x' }
  assert.equal(await waitsFor(next()), 'AccountRefused')
  assert.equal(world.asked, 0)
})

for (const skewMs of [0, 7_200_000, -7_200_000])
  for (const lifeMs of [600_000, 3_600_000, 31_536_000_000])
    test(`of ${lifeMs} ms that are granted 80 % pass before the refresh, with ${skewMs} ms between the clocks`, async () => {
      const { clock, granted, issuance, world } = scene({ skewMs, lifeMs })
      const first = await granted()
      issuance.stored()
      assert.deepEqual(first.pass.renewAt, after(clock.now(), 0.8 * lifeMs))
      await clock.advance(0.8 * lifeMs - 1)
      assert.equal(await granted(first).then(({ pass }) => pass.fingerprint), first.pass.fingerprint)
      await clock.advance(1)
      assert.notEqual((await granted(first)).pass.fingerprint, first.pass.fingerprint)
      assert.equal(world.asked, 2)
    })

test('a token that is not stored yet is not asked for again; one that was stored and lost is', async () => {
  const { granted, issuance, world } = scene()
  const first = await granted()
  assert.equal((await granted()).pass.fingerprint, first.pass.fingerprint)
  assert.equal(world.asked, 1)
  issuance.stored()
  assert.notEqual((await granted()).pass.fingerprint, first.pass.fingerprint)
  assert.equal(world.asked, 2)
})

test('another UID means another token, at once', async () => {
  const { granted, issuance, world } = scene()
  const first = await granted()
  issuance.stored()
  world.infrastructure = { is: 'ready', namespace: 'west', account, uid: '2' }
  world.uid = '2'
  assert.equal((await granted(first)).material.uid, '2')
})

test('a token of another UID than announced is not used: the hub is about to say more', async () => {
  const { next, world } = scene()
  world.uid = '2'
  assert.equal(await waitsFor(next()), 'AwaitingTokenInfrastructure')
})

test('while the hub says nothing, what is at hand stays good and is refreshed in time', async () => {
  const { clock, granted, issuance, world } = scene()
  const first = await granted()
  issuance.stored()
  world.infrastructure = { is: 'awaited' }
  assert.equal((await granted(first)).pass.fingerprint, first.pass.fingerprint)
  await clock.advance('480s')
  assert.notEqual((await granted(first)).pass.fingerprint, first.pass.fingerprint)
})
