import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UnsecuredJWT } from 'jose'
import { systemClock } from '../core/clock.ts'
import { wordsOf } from './access-act.ts'
import { AccessRefusal } from './access-client.ts'
import { describeSession } from './access-describe.ts'
import { tokensIn } from './access-oidc.ts'
import { nextSteps, timeOf } from './access-show.ts'
import { queryOf } from './access-why.ts'
import type { SessionItem } from './access-words.ts'
import { sessionsPath } from './access-words.ts'

const now = new Date('2026-08-20T10:00:00Z')
const session = (status: SessionItem['status'], spec: Partial<SessionItem['spec']> = {}): SessionItem => ({
  apiVersion: 'breakglass.t-caas.telekom.com/v1alpha1',
  kind: 'BreakglassSession',
  metadata: { name: 's', namespace: 'n', uid: 'u', resourceVersion: '1' },
  spec: { cluster: 'west', user: 'jane', grantedGroup: 'admins', ...spec },
  ...(status && { status }),
})

test('a session is told with what the clock does to it next', () => {
  const pending = session({ state: 'Pending', timeoutAt: '2026-08-20T10:30:00Z' })
  assert.equal(timeOf(pending, now), 'waits 30m')
  assert.equal(wordsOf(pending, now), 'asked for admins on west for jane; waits 30m')
  const half = session(
    { state: 'Pending', approvals: [{ approver: 'bob', at: '2026-08-20T09:59:00Z' }] },
    { minApprovals: 2 },
  )
  assert.equal(wordsOf(half, now), '1 of 2 approvals for admins on west for jane')
  const running = session({ state: 'Approved', expiresAt: '2026-08-20T11:00:00Z' })
  assert.equal(wordsOf(running, now), 'admins on west for jane counts, 1h left')
  const over = session({ state: 'Expired', reasonEnded: 'idleTimeout' })
  assert.equal(wordsOf(over, now), 'admins on west for jane is over (Expired, idleTimeout)')
})

test('whoever looks is told the command that comes next for them', () => {
  const pending = session({ state: 'Pending' })
  assert.match(nextSteps({ session: pending, approvalMeta: { canApprove: true } }, ''), /approve s\n.*reject s\n/)
  assert.match(
    nextSteps({ session: pending, approvalMeta: { isRequester: true } }, ' --login me'),
    /withdraw s --login me/,
  )
  assert.match(
    nextSteps({ session: session({ state: 'Approved' }), approvalMeta: { isRequester: true } }, ''),
    /drop s/,
  )
  assert.equal(nextSteps({ session: session({ state: 'Expired' }), approvalMeta: { isRequester: true } }, ''), '')
})

test('a refusal advises a command that finds the same hub as the same person', () => {
  const refused = (status: number, path: string, problem = {}) =>
    new AccessRefusal(status, { detail: 'no', ...problem }, { path, headers: {}, flags: ' --login me' }).message
  assert.equal(refused(401, sessionsPath), 'no; log in again with `lanyard access login --login me`')
  assert.match(refused(403, sessionsPath), /`lanyard access escalations --login me`$/)
  assert.match(refused(403, `${sessionsPath}/s`), /`lanyard access list --login me`$/)
  assert.match(refused(409, sessionsPath, { session: session({}) }), /`lanyard access show s --login me`$/)
  assert.equal(refused(403, '/api/explain'), 'no', 'no list of sessions helps who asks about somebody else')
})

test('what was approved is told apart from what is the most that can be', () => {
  const most = session({ state: 'Pending' }, { maxValidFor: '1h' })
  assert.match(describeSession({ session: most }, now), /At most: +1h\n/)
  const given = session({ state: 'Approved', grantedFor: '15m' }, { maxValidFor: '1h' })
  assert.match(describeSession({ session: given }, now), /Approved for: +15m\n/)
})

test('what is asked about is written as kubectl takes it', () => {
  const ask = (resource: string, name?: string) =>
    queryOf({ cluster: 'west', verb: 'get', resource, name }, { output: 'table', namespace: 'shop' })
  const common = { cluster: 'west', verb: 'get' }
  assert.deepEqual(ask('pods/log', 'web'), {
    ...{ ...common, resource: 'pods', subresource: 'log', name: 'web', namespace: 'shop' },
  })
  assert.deepEqual(ask('roles.rbac.authorization.k8s.io'), {
    ...{ ...common, resource: 'roles', group: 'rbac.authorization.k8s.io', namespace: 'shop' },
  })
  assert.deepEqual(ask('/metrics'), { ...common, path: '/metrics' })
})

test('the hub is shown the token that is for it', () => {
  const token = (audience: string) =>
    new UnsecuredJWT({}).setAudience(audience).setExpirationTime(4_000_000_000).encode()
  const provider = { name: 'p', issuer: 'https://p', clientId: 'cli', audience: 'cli' }
  const both = { access_token: token('account'), id_token: token('cli'), token_type: 'bearer' as const }
  assert.equal(tokensIn(both, provider, systemClock).bearer, both.id_token)
  const first = { ...both, access_token: token('cli') }
  assert.equal(tokensIn(first, provider, systemClock).bearer, first.access_token)
  const opaque = { access_token: 'opaque', token_type: 'bearer' as const }
  assert.throws(() => tokensIn(opaque, provider, systemClock), { code: 'ACCESS_WRONG_AUDIENCE' })
})
