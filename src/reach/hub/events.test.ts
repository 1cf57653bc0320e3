import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spokeReasons } from '../../fleet/spoke/index.ts'
import type { CheckResult } from './check.ts'
import { changesOf, happeningOf } from './events.ts'
import { statusOf } from './status-of.ts'
import { aConfig, aCredential, anOldKey, byOidc, itFails, itWorks } from './testing/builders.ts'

/** The reasons of the events after each of these looks. */
function told(looks: readonly CheckResult[], config = aConfig()): string[][] {
  const now = new Date('2026-03-01T12:00:00Z')
  return looks.map((look) => {
    const before = config
    config = { ...config, status: statusOf(config, look, now) }
    return changesOf({ before, status: config.status ?? {} }).map(({ type = 'Normal', reason }) => `${type} ${reason}`)
  })
}

const works = 'Normal ClusterConfigValidationSucceeded'
const fails = 'Warning ClusterConfigValidationFailed'

test('a change is told once: what goes on is not told again, another reason is', () => {
  const missing = itFails({ reason: spokeReasons.SecretMissing, code: 'SPOKE_SECRET_MISSING' })
  const looks = [itWorks(), itWorks(), itFails(), itFails({ message: 'in other words' }), missing, itWorks()]
  assert.deepEqual(told(looks), [[works], [], [fails], [], [fails], [works]])
})

test('that another grant stood in is told where people want to know', () => {
  const fellBack = itWorks({ by: 'OIDC', credential: aCredential({ refused: 'invalid_grant' }) })
  const warning = 'Warning FallbackSucceeded'
  const warned = aConfig({ spec: byOidc({ fallbackPolicy: 'Warn' }) })
  assert.deepEqual(told([fellBack, fellBack, itWorks({ by: 'OIDC' })], warned), [[works, warning], [], []])
  assert.deepEqual(told([fellBack], aConfig({ spec: byOidc() })), [[works]])
})

test('rights that go missing, and come back, are told', () => {
  const lacking = itWorks({ permissions: (itWorks().permissions ?? []).map((one) => ({ ...one, isAllowed: false })) })
  const rights = [['Warning PermissionsMissing'], [], ['Normal PermissionsGranted']]
  assert.deepEqual(told([itWorks(), lacking, lacking, itWorks()]), [[works], ...rights])
})

test('notes become events that say what to do', () => {
  const first = happeningOf({ kind: 'first-use', fingerprint: 'AA', secret: 'fleet/west-tofu-ca' })
  const replaced = happeningOf({ kind: 'replaced', fingerprint: 'BB', before: 'AA' })
  const old = happeningOf(anOldKey)
  assert.deepEqual(
    [old.reason, first.reason, replaced.reason],
    ['SecretKeyDeprecated', 'CATrustedOnFirstUse', 'CAReplaced'],
  )
  assert.match(old.message, /move it to value/)
  assert.match(first.message, /SHA-256 AA .* Secret fleet\/west-tofu-ca/)
  assert.match(replaced.message, /SHA-256 BB .* AA/)
})
