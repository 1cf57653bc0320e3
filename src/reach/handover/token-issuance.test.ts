import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reasons as coreReasons } from '../../core/reasons.ts'
import type { TokenClaims } from '../../fleet/account-token.ts'
import { fingerprintOf } from '../../fleet/account-token.ts'
import { reasons } from '../../fleet/spoke/reasons.ts'
import { aToken } from '../../fleet/testing/account-tokens.ts'
import { handoverIssuance } from './token-issuance.ts'

const now = new Date('2026-01-01T12:00:00Z')
const facts = {
  id: 'reach/west',
  kind: 'reach',
  holder: 'hub',
  issuer: 'west',
  keptIn: 'secret/west/lanyard-reach',
  state: coreReasons.PassIssued,
} as const
/** By the clock of a cluster that is an hour ahead. */
const claims: TokenClaims = {
  namespace: 'agents',
  account: 'lanyard-reach',
  uid: 'u1',
  issuedAt: new Date('2026-01-01T13:00:00Z'),
  expiresAt: new Date('2026-01-01T13:10:00Z'),
}

function scene(isAwaited = true) {
  const counts = { accounts: 0, requests: 0 }
  const seen = { uid: 'u1' }
  const issuance = handoverIssuance({
    facts,
    isAwaited: () => isAwaited,
    account: async () => {
      counts.accounts += 1
      return seen.uid
    },
    request: async () => {
      counts.requests += 1
      const own = { ...claims, uid: seen.uid }
      return { token: aToken(own), claims: own }
    },
  })
  return { issuance, counts, seen }
}

test('without a place on the hub nothing is asked for, and no account is made', async () => {
  const { issuance, counts } = scene(false)
  assert.deepEqual(await issuance.next(now), { step: 'waiting', for: reasons.AwaitingInvitation })
  assert.deepEqual(counts, { accounts: 0, requests: 0 })
})

test('a token lives as long as was granted, by the clock here', async () => {
  const { issuance } = scene()
  const step = await issuance.next(now)
  assert.ok(step.step === 'granted')
  assert.deepEqual([step.pass.issuedAt, step.pass.expiresAt], [now, new Date('2026-01-01T12:10:00Z')])
  assert.equal(step.pass.fingerprint, fingerprintOf(step.material.token))
})

test('one that could not be stored is offered again, in place of another request', async () => {
  const { issuance, counts } = scene()
  const [first, second] = [await issuance.next(now), await issuance.next(now)]
  assert.deepEqual(second, first)
  assert.equal(counts.requests, 1)
  issuance.stored()
  await issuance.next(now)
  assert.equal(counts.requests, 2)
})

test('one that is good stays; one that is due, or of an account that is gone, is replaced', async () => {
  const { issuance, counts, seen } = scene()
  const first = await issuance.next(now)
  assert.ok(first.step === 'granted')
  issuance.stored()
  const kept = { pass: { ...first.pass, renewAt: new Date('2026-01-01T12:08:00Z') }, material: first.material }
  assert.deepEqual(await issuance.next(now, kept), { step: 'granted', ...kept })
  assert.equal(counts.requests, 1)
  await issuance.next(new Date('2026-01-01T12:08:00Z'), kept)
  assert.equal(counts.requests, 2)
  issuance.stored()
  seen.uid = 'u2'
  const replaced = await issuance.next(now, kept)
  assert.equal(replaced.step === 'granted' && replaced.material.uid, 'u2')
})
