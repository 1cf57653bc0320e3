/** What an API server is answered when it asks the hub whether somebody may. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { issuerExtra } from '../../../src/access/names.ts'
import { BreakglassSession } from '../../../src/apis/breakglass/breakglass-session.ts'
import { createMetrics } from '../../../src/core/metrics.ts'
import type { BreakglassScene } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

const canonical = '/api/breakglass/webhook/authorize'
const old = '/breakglass/webhook/authorize'

describe('the authorization webhook', needsControlPlane, () => {
  const suite = suiteScope()
  const metrics = createMetrics()
  let timed: TimedPlane
  let scene: BreakglassScene
  before(async () => {
    timed = await timedPlane(suite)
    scene = await breakglassScene(suite, timed.plane, { clock: timed.clock, metrics: await metrics })
  })

  const from = (seconds: number) => new Date(timed.clock.now().getTime() + seconds * 1_000).toISOString()
  const isAllowed = async (...asked: Parameters<BreakglassScene['ask']>): Promise<boolean> => {
    const { status, body } = await scene.ask(...asked)
    assert.equal(status, 200)
    return body.status.allowed
  }

  /** As one looks after it was approved, written by hand; its name. */
  async function session(spec: BreakglassSession['spec'], status: BreakglassSession['status'] = {}): Promise<string> {
    const sessions = scene.admin.of(BreakglassSession.resource, scene.namespace)
    const name = uniqueName('session')
    await sessions.create({ metadata: { name }, spec })
    const approved = {
      state: 'Approved',
      approvedAt: from(0),
      actualStartTime: from(0),
      expiresAt: from(3_600),
      approvals: [{ approver: 'lead@example.com', at: from(0) }],
    } as const
    const body = { status: { ...approved, ...status } }
    await sessions.patch(name, { type: 'merge', body }, { subresource: 'status' })
    return name
  }

  test('A58: an approved session and a group that may are answered with allowed, and with the name of the session', async () => {
    const { cluster, group, dev, lead } = await scene.story()
    const { body: made } = await dev.request(cluster, group)
    const { name } = made.metadata
    assert.equal((await lead.act(name, 'approve')).status, 200)
    for (const path of [canonical, old]) {
      await eventually('it is allowed', () => isAllowed(cluster, dev.email, {}, { path }))
      const { status, body } = await scene.ask(cluster, dev.email, { namespace: 'default' }, { path })
      assert.deepEqual([status, body.apiVersion, body.kind], [200, 'authorization.k8s.io/v1', 'SubjectAccessReview'])
      assert.equal(body.status.allowed, true)
      assert.ok(body.status.reason.includes(name), body.status.reason)
      const other = await scene.ask(cluster, dev.email, { verb: 'delete' }, { path })
      assert.deepEqual([other.body.status.allowed, other.body.status.denied], [false, undefined])
    }
  })

  test('A59: what is not approved, or is over, allows nothing at once', async () => {
    const { cluster, group } = await scene.story()
    const grant = (user: string) => ({ cluster, user, grantedGroup: group })
    const scheduledStartTime = from(1_800)
    const statuses: Record<string, BreakglassSession['status']> = {
      pending: { state: 'Pending', timeoutAt: from(3_600) },
      rejected: { state: 'Rejected', rejectedAt: from(0) },
      withdrawn: { state: 'Withdrawn', withdrawnAt: from(0) },
      'timed-out': { state: 'ApprovalTimeout' },
      expired: { state: 'Expired' },
      idle: { state: 'IdleExpired' },
      past: { state: 'Approved', expiresAt: from(-1) },
    }
    for (const [user, status] of Object.entries(statuses)) await session(grant(user), status)
    await session(
      { ...grant('waiting'), scheduledStartTime },
      { state: 'WaitingForScheduledTime', expiresAt: from(5_400) },
    )
    await session(grant('good'))
    await eventually('the newest is known', () => isAllowed(cluster, 'good'))
    for (const user of [...Object.keys(statuses), 'waiting'])
      assert.equal(await isAllowed(cluster, user), false, `${user} is allowed`)

    const ending = await session(grant('ending'), { expiresAt: from(60) })
    await eventually('it is allowed', () => isAllowed(cluster, 'ending'))
    const sessions = scene.admin.of(BreakglassSession.resource, scene.namespace)
    await timed.clock.advance(61_000)
    assert.equal(await isAllowed(cluster, 'ending'), false, 'at its end')
    await eventually('its state tells', async () => (await sessions.get(ending)).status?.state === 'Expired')
  })

  test('A60: a session is for its cluster and its user only', async () => {
    const { cluster, group } = await scene.story()
    const other = await scene.cluster()
    await session({ cluster, user: 'dev@example.com', grantedGroup: group })
    await eventually('it is allowed', () => isAllowed(cluster, 'dev@example.com'))
    assert.equal(await isAllowed(other, 'dev@example.com'), false)
    for (const user of ['ops@example.com', 'DEV@example.com', 'dev@example.com ', 'dev', ''])
      assert.equal(await isAllowed(cluster, user), false, user)
  })

  test('A61: a cluster that is not registered is told so, and is no label', async () => {
    const name = uniqueName('unregistered')
    await scene.webhookToken(name)
    const answer = await eventually('the token is known', () => scene.ask(name, 'dev@example.com'), {
      until: ({ status }) => status === 200,
    })
    assert.deepEqual([answer.body.status.allowed, answer.body.status.denied], [false, undefined])
    assert.match(answer.body.status.reason, /is not registered.*lanyard reach add/)
    const text = await (await metrics).text()
    assert.match(text, /lanyard_access_cluster_decisions_total\{cluster="_unknown",decision="noOpinion"\} 1/)
    assert.ok(!text.includes(name))
  })

  test('A63: too much, no JSON, the wrong verb; and a path is asked about like a resource', async () => {
    const { cluster } = await scene.story()
    const authorization = `Bearer ${await scene.webhookToken(cluster)}`
    const headers = { authorization, 'content-type': 'application/json' }
    await eventually('the token is known', async () => (await scene.ask(cluster, 'x')).status === 200)
    for (const path of [canonical, old, `${canonical}/`]) {
      const url = path.endsWith('/') ? `${scene.url}${path}${cluster}/policies` : `${scene.url}${path}/${cluster}`
      const post = async (body: string) => (await fetch(url, { method: 'POST', headers, body })).status
      // An error of what policies are asked would be no opinion (F1).
      const [tooLarge, invalid] = path.endsWith('/') ? [200, 200] : [413, 422]
      assert.equal(await post(`"${'x'.repeat(32 * 1024 * 1024)}"`), tooLarge)
      for (const body of [
        `"${'x'.repeat(10_000)}"`,
        '',
        '{',
        'null',
        '[]',
        '{}',
        '{"apiVersion":"authorization.k8s.io/v1"}',
      ])
        assert.equal(await post(body), invalid, body)
      const got = await fetch(url, { headers })
      assert.deepEqual([got.status, got.headers.get('allow')], [405, 'POST'])
    }
    const group = await scene.groupMay([{ nonResourceURLs: ['/metrics'], verbs: ['get'] }])
    await session({ cluster, user: 'scraper', grantedGroup: group })
    await eventually('it is allowed', () => isAllowed(cluster, 'scraper', { path: '/metrics' }))
    assert.equal(await isAllowed(cluster, 'scraper', { path: '/logs' }), false)
  })

  test('A67: a session of another issuer does not count, unless it may', async () => {
    const other = await scene.another({ displayName: 'The Other One' })
    const issuedBy = (issuer: string) => ({ extra: { [issuerExtra]: [issuer] } })
    const approved = async ({ cluster, group, dev, lead }: Awaited<ReturnType<typeof scene.story>>) => {
      const { body: made } = await dev.request(cluster, group)
      assert.equal((await lead.act(made.metadata.name, 'approve')).status, 200)
    }
    // Also where neither the cluster nor the escalation names a provider.
    const open = await scene.story()
    await approved(open)
    const user = open.dev.email
    await eventually('it is allowed', () => isAllowed(open.cluster, user, issuedBy(scene.issuer.issuer)))
    assert.equal(await isAllowed(open.cluster, user), true, 'where the cluster does not tell the issuer')
    for (const issuer of [other.issuer.issuer, 'https://unknown.example.com']) {
      const { status } = (await scene.ask(open.cluster, user, issuedBy(issuer))).body
      assert.deepEqual([status.allowed, status.denied], [false, undefined])
      assert.match(status.reason, /another identity provider/)
    }

    const identityProviderRefs = [scene.provider, other.provider]
    const story = await scene.story({ cluster: { identityProviderRefs } })
    const { cluster, group, dev } = story
    await approved(story)
    await eventually('it is allowed', () => isAllowed(cluster, dev.email, issuedBy(scene.issuer.issuer)))
    const { body } = await scene.ask(cluster, dev.email, issuedBy(other.issuer.issuer))
    assert.deepEqual([body.status.allowed, body.status.denied], [false, undefined])
    assert.match(body.status.reason, /another identity provider/)
    for (const name of ['The Other One', other.provider, other.issuer.issuer, scene.provider, scene.issuer.issuer])
      assert.ok(!body.status.reason.includes(name), `${body.status.reason} names ${name}`)
    scene.settings.hardenedProviderHints = false
    const named = await scene.ask(cluster, dev.email, issuedBy(other.issuer.issuer))
    assert.match(named.body.status.reason, /The Other One/)
    scene.settings.hardenedProviderHints = true

    const identityProviderIssuer = scene.issuer.issuer
    const free = { allowIDPMismatch: true, identityProviderName: scene.provider, identityProviderIssuer }
    await session({ cluster, user: 'free', grantedGroup: group, ...free })
    await eventually('it may', () => isAllowed(cluster, 'free', issuedBy(other.issuer.issuer)))
  })
})
