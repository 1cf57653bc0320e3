import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reasons as coreReasons } from '../../../core/reasons.ts'
import { reasons } from '../../reasons.ts'
import { tokenConditions } from './conditions.ts'

const expiresAt = new Date('2026-01-01T00:10:00.400Z')
const awaited = { is: 'awaited' } as const

test('both names of the condition say the same, and until when the token is good', () => {
  const told = tokenConditions({ state: coreReasons.PassIssued, usable: true }, awaited, expiresAt)
  const same = {
    status: 'True',
    reason: 'AddonTokenRefreshed',
    message: 'Addon token refreshed, expires at 2026-01-01T00:10:00Z',
  }
  assert.deepEqual(told, [
    { type: 'AddonTokenRefreshed', ...same },
    { type: 'TokenRefreshed', ...same },
  ])
})

test('a failure says what to do, and until when the token at hand is good', () => {
  const report = { state: coreReasons.IssuanceFailed, message: 'do this' }
  const told = (usable: boolean) => tokenConditions({ ...report, usable }, awaited, expiresAt)[0]
  assert.deepEqual(
    [told(true)?.status, told(true)?.reason, told(true)?.message],
    ['False', 'TokenCreationFailed', 'do this; the token at hand is good until 2026-01-01T00:10:00Z'],
  )
  assert.equal(told(false)?.message, 'do this')
})

test('what is waited for and what is refused have reasons of their own', () => {
  const [waiting] = tokenConditions({ state: reasons.AwaitingTokenInfrastructure, usable: false }, awaited, undefined)
  assert.deepEqual([waiting?.status, waiting?.reason], ['False', 'AwaitingTokenInfrastructure'])
  const foreign = { is: 'foreign', message: 'ServiceAccount a/b' } as const
  const [refused] = tokenConditions({ state: reasons.AccountRefused, usable: false }, foreign, undefined)
  assert.deepEqual([refused?.status, refused?.reason], ['False', 'AccountRefused'])
  assert.match(refused?.message ?? '', /"ServiceAccount a\/b"/)
})
