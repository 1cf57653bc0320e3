import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Condition } from '../../core/conditions.ts'
import { findCondition } from '../../core/conditions.ts'
import type { CheckResult } from './check.ts'
import { conditionsOf, statusOf } from './status-of.ts'
import { aConfig, aCredential, byOidc, itFails, itWorks } from './testing/builders.ts'

const now = new Date('2026-03-01T12:00:00Z')
const later = new Date('2026-03-01T12:05:00Z')

/** The status after each of these looks in turn. */
function after(looks: readonly CheckResult[], config = aConfig(), at = now) {
  let seen = config
  for (const look of looks) seen = { ...seen, status: statusOf(seen, look, at) }
  return seen
}

/** `status reason` of a condition, or undefined. */
const told = (config: ReturnType<typeof aConfig>, type: string): string | undefined => {
  const found = findCondition(conditionsOf(config), type)
  return found && `${found.status} ${found.reason}`
}

const expired = itFails({ reason: 'OIDCRefreshFailed' as never, code: 'SPOKE_REFRESH_REFUSED', message: 'refused' })
const fellBack = itWorks({ by: 'OIDC', credential: aCredential({ refused: 'invalid_grant' }) })
const renewed = itWorks({ by: 'OIDC' })
const warned = aConfig({ spec: byOidc({ fallbackPolicy: 'Warn' }) })
const throttledNow = itWorks({ throttledAt: now })
const insecure = itWorks({ trust: { source: 'Insecure' } })
const away = itFails()
const paused = itFails({ code: 'SPOKE_PAUSED', message: 'it is tried again in 7 seconds', pausedMs: 7_000 })
const postponed = itFails({ code: '429', message: 'later', isThrottled: true, over: { throttledAt: now } })
const withoutRights = itWorks({
  permissions: [
    { group: 'authorization.k8s.io', resource: 'subjectaccessreviews', verb: 'create', isAllowed: false },
    { group: '', resource: 'namespaces', verb: 'list', isAllowed: true },
  ],
})
const unasked = itWorks({ permissions: [{ group: '', resource: 'namespaces', verb: 'list', isAllowed: undefined }] })
const { permissions: _, ...unreviewed } = itWorks()

const table: [
  what: string,
  looks: CheckResult[],
  type: string,
  expected: string | undefined,
  config?: typeof warned,
][] = [
  ['a kubeconfig that works', [itWorks()], 'Ready', 'True KubeconfigValidated'],
  ['a token that works', [renewed], 'Ready', 'True OIDCValidated'],
  ['whatever fails, by its reason', [expired], 'Ready', 'False OIDCRefreshFailed'],
  ['what heals', [away, itWorks()], 'Ready', 'True KubeconfigValidated'],
  ['a pause without anything before it', [paused], 'Ready', 'False ClusterUnreachable'],
  ['a cluster that works and asks for patience', [itWorks(), postponed], 'Ready', 'True KubeconfigValidated'],
  ['one that asked for patience from the start', [postponed], 'Ready', 'False ClusterUnreachable'],

  ['all rights', [itWorks()], 'PermissionsVerified', 'True PermissionsGranted'],
  ['a right that is missing', [withoutRights], 'PermissionsVerified', 'False PermissionsMissing'],
  ['and the way in stays', [withoutRights], 'Ready', 'True KubeconfigValidated'],
  ['a review that failed', [unasked], 'PermissionsVerified', 'Unknown PermissionsUnknown'],
  ['reviews that came too late', [unreviewed], 'PermissionsVerified', 'Unknown PermissionsUnknown'],
  ['a cluster that was never reached', [away], 'PermissionsVerified', undefined],
  ['one that is away now', [itWorks(), away], 'PermissionsVerified', 'Unknown PermissionsUnknown'],
  ['one that asks for patience', [itWorks(), postponed], 'PermissionsVerified', 'True PermissionsGranted'],

  ['a refresh token that nothing stands in for', [expired], 'RefreshTokenExpired', 'True RefreshTokenRefused'],
  ['one that never was refused', [renewed], 'RefreshTokenExpired', undefined],
  ['one that is accepted again', [expired, renewed], 'RefreshTokenExpired', 'False AuthRecovered'],
  [
    'and that is known also where the cluster is away then',
    [expired, { ...away, credential: aCredential() }],
    'RefreshTokenExpired',
    'False AuthRecovered',
  ],
  [
    'nothing is known of it where no token was asked for',
    [expired, away],
    'RefreshTokenExpired',
    'True RefreshTokenRefused',
  ],
  [
    'one that another grant stands in for by now',
    [expired, fellBack],
    'RefreshTokenExpired',
    'False FallbackSucceeded',
  ],

  ['another grant, and people want to know', [fellBack], 'DegradedAuth', 'True FallbackSucceeded', warned],
  ['another grant, and nobody asked', [fellBack], 'DegradedAuth', undefined, aConfig({ spec: byOidc() })],
  ['the wanted grant again', [fellBack, renewed], 'DegradedAuth', 'False AuthRecovered', warned],

  ['429', [throttledNow], 'Throttled', 'True TooManyRequests'],
  ['429 to the look itself', [itWorks(), postponed], 'Throttled', 'True TooManyRequests'],
  ['never 429', [itWorks()], 'Throttled', undefined],
  [
    'no 429 for a minute',
    [throttledNow, itWorks({ throttledAt: new Date(now.getTime() - 60_000) })],
    'Throttled',
    'False NotThrottled',
  ],
  ['429 before it went away', [throttledNow, away], 'Throttled', 'True TooManyRequests'],

  ['nothing is verified', [insecure], 'InsecureTLS', 'True VerificationSkipped'],
  ['always verified', [itWorks()], 'InsecureTLS', undefined],
  ['verified by now', [insecure, itWorks()], 'InsecureTLS', 'False VerificationOn'],
  ['not verified when last seen', [insecure, away], 'InsecureTLS', 'True VerificationSkipped'],
]

describe('what a look at a cluster says', () => {
  for (const [what, looks, type, expected, config] of table)
    test(`${type}: ${what}`, () => assert.equal(told(after(looks, config), type), expected))
})

test('it names the generation it speaks of, in the status and in each condition', () => {
  const seen = after([itWorks()], aConfig({ generation: 7 }))
  assert.equal(seen.status?.observedGeneration, 7)
  assert.deepEqual(
    conditionsOf(seen).map(({ observedGeneration }) => observedGeneration),
    [7, 7],
  )
})

test('the same look again changes nothing, however late', () => {
  for (const look of [itWorks(), away, expired, withoutRights, insecure]) {
    const once = after([look])
    assert.deepEqual(statusOf(once, look, later), once.status)
  }
})

test('a pause keeps the words that told what is wrong, unless the spec is another one', () => {
  const wordsIn = (config: ReturnType<typeof aConfig>) => findCondition(conditionsOf(config), 'Ready')?.message
  const seen = after([away, paused])
  assert.equal(wordsIn(seen), 'it is away')
  const changed = { ...seen, metadata: { ...seen.metadata, generation: 3 } }
  assert.equal(wordsIn({ ...changed, status: statusOf(changed, paused, now) }), 'it is tried again in 7 seconds')
})

test('a right that is missing is named with the command that prints it, and the ones that are there are not', () => {
  const { message } = findCondition(conditionsOf(after([withoutRights])), 'PermissionsVerified') as Condition
  assert.equal(
    message,
    'the hub may not create subjectaccessreviews.authorization.k8s.io; `lanyard reach rbac west` prints what it needs',
  )
})

test('where calls go and who vouches is told, and stays while the cluster is away', () => {
  const seen = after([itWorks(), away])
  assert.deepEqual(
    [seen.status?.server, seen.status?.tls],
    ['https://west.example:6443', { source: 'Kubeconfig', fingerprint: 'CC:DD' }],
  )
  const changed = { ...seen, metadata: { ...seen.metadata, generation: 3 } }
  const { server, tls } = statusOf(changed, away, now)
  assert.deepEqual([server, tls], [undefined, undefined], 'of another spec they say nothing')
})

test('a CA that was trusted on first use stays on record for its address, whatever else the spec says', () => {
  const trust = { source: 'FirstUse', fingerprint: 'CC:DD' } as const
  const seen = after([itWorks({ by: 'OIDC', trust })], aConfig({ spec: byOidc() }))
  const tlsWith = (over: Parameters<typeof byOidc>[0]) =>
    statusOf({ ...seen, spec: byOidc(over), metadata: { ...seen.metadata, generation: 3 } }, away, now).tls
  assert.deepEqual(tlsWith({ audience: 'other' }), trust)
  assert.equal(tlsWith({ server: 'https://east.example:6443' }), undefined)
})

test('of another CA both fingerprints are told, until it is confirmed', () => {
  const other = itFails({
    reason: 'TOFUFailed' as never,
    code: 'SPOKE_TRUST_CHANGED',
    offered: { fingerprint: 'EE:FF', onRecord: 'CC:DD' },
  })
  const pinned = itWorks({ by: 'OIDC', trust: { source: 'FirstUse', fingerprint: 'CC:DD' } })
  const seen = after([pinned, other])
  assert.deepEqual(seen.status?.tls, { source: 'FirstUse', fingerprint: 'CC:DD', offeredFingerprint: 'EE:FF' })
  const confirmed = itWorks({ by: 'OIDC', trust: { source: 'FirstUse', fingerprint: 'EE:FF' } })
  assert.deepEqual(after([confirmed], seen).status?.tls, { source: 'FirstUse', fingerprint: 'EE:FF' })
})

test('a CA trusted on first use is shown where the cluster is', () => {
  const seen = after([itWorks({ by: 'OIDC', trust: { source: 'FirstUse', fingerprint: 'CC:DD' } })])
  assert.match(findCondition(conditionsOf(seen), 'Ready')?.message ?? '', /SHA-256 CC:DD/)
})

test('a request for a look is answered by the look that began after it, and the answer stays', () => {
  const asked = after([itWorks({ answers: '2026-03-01T11:59:00Z' }), itWorks()])
  assert.equal(asked.status?.answeredCheck, '2026-03-01T11:59:00Z')
})

test('conditions of others stay as they are', () => {
  const theirs = {
    type: 'Audited',
    status: 'True',
    reason: 'R',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }
  const seen = after([itWorks()], aConfig({ status: { conditions: [theirs as never] } }))
  assert.deepEqual(findCondition(conditionsOf(seen), 'Audited'), theirs)
})
