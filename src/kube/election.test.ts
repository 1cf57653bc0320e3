import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { kubeFailure, MemoryKube, unreachable } from '../../test/support/memory-kube.ts'
import type { Intercept } from '../../test/support/memory-kube-parts.ts'
import { sleep } from '../core/clock.ts'
import { isFailure } from '../core/failure.ts'
import type { Run } from '../core/lifecycle.ts'
import { aborted } from '../core/lifecycle.ts'
import type { Log } from '../core/log.ts'
import { silentLog } from '../core/log.ts'
import { randomFrom } from '../core/random.ts'
import type { ElectionOptions } from './election.ts'
import { leading } from './election.ts'
import { leases } from './kinds.ts'

function aHub() {
  const clock = new FakeClock()
  const kube = new MemoryKube(clock)
  const lease = () => kube.of(leases, 'hub').find('lanyard')
  return { clock, kube, lease }
}

/** A replica that notes when it leads, and takes a moment to stop. */
function aReplica(
  t: TestContext,
  { clock, kube }: ReturnType<typeof aHub>,
  identity: string,
  { stopMs = 0, run, ...more }: Partial<ElectionOptions> & { stopMs?: number; run?: Run } = {},
) {
  const seen = { leads: false, terms: 0, reason: undefined as unknown, link: 'up' as 'up' | 'down' | 'deaf' }
  const intercept: Intercept = async (_call, proceed) => {
    if (seen.link === 'down') throw unreachable()
    const answer = await proceed()
    if (seen.link === 'deaf') throw unreachable()
    return answer
  }
  const lead: Run = async (signal) => {
    seen.leads = true
    seen.terms += 1
    await aborted(signal)
    seen.reason = signal.reason
    if (stopMs > 0) await sleep(clock, stopMs)
    seen.leads = false
  }
  const options = { clock, random: randomFrom(() => 0), log: silentLog, namespace: 'hub', name: 'lanyard', identity }
  const elected = leading(kube.through(intercept), { ...options, ...more }, run ?? lead)
  const stop = new AbortController()
  const running = elected(stop.signal)
  running.catch(() => {})
  t.after(() => stop.abort())
  return { seen, stop, running }
}

test('the first one leads and renews; the lease says so in the form of client-go', async (t) => {
  const hub = aHub()
  const { seen } = aReplica(t, hub, 'a')
  await hub.clock.advance('1m')
  assert.deepEqual([seen.leads, seen.terms], [true, 1])
  assert.deepEqual((await hub.lease())?.spec, {
    holderIdentity: 'a_bbbbbbbb',
    leaseDurationSeconds: 15,
    acquireTime: '2026-01-01T00:00:00.000000Z',
    renewTime: '2026-01-01T00:01:00.000000Z',
    leaseTransitions: 0,
  })
  assert.equal(hub.kube.count('get'), 2, 'renewals need no read: one is of the campaign, one of this test')
})

test('a second one waits as long as the first renews', async (t) => {
  const hub = aHub()
  aReplica(t, hub, 'a')
  await hub.clock.settle()
  const b = aReplica(t, hub, 'b')
  await hub.clock.advance('10m')
  assert.equal(b.seen.terms, 0)
})

test('on a stop the lease is kept until the work has ended, then released, and the next one leads soon', async (t) => {
  const hub = aHub()
  const a = aReplica(t, hub, 'a', { stopMs: 60_500 })
  await hub.clock.settle()
  const b = aReplica(t, hub, 'b')
  a.stop.abort()
  await hub.clock.advance('60s')
  assert.deepEqual([a.seen.leads, b.seen.leads], [true, false])
  await hub.clock.advance('500ms')
  await a.running
  assert.deepEqual([a.seen.leads, b.seen.leads], [false, false])
  const { holderIdentity, leaseDurationSeconds, leaseTransitions } = (await hub.lease())?.spec ?? {}
  assert.deepEqual([holderIdentity, leaseDurationSeconds, leaseTransitions], ['', 1, 0])
  await hub.clock.advance('2s')
  assert.equal(b.seen.leads, true)
  assert.equal((await hub.lease())?.spec?.leaseTransitions, 1)
})

test('a leader that cannot renew stops before another may lead, and campaigns again', async (t) => {
  const hub = aHub()
  const a = aReplica(t, hub, 'a', { stopMs: 4_000 })
  await hub.clock.settle()
  const b = aReplica(t, hub, 'b')
  await hub.clock.advance('1s')
  a.seen.link = 'down'
  await hub.clock.advance('9s')
  assert.ok(isFailure(a.seen.reason, 'LEASE_LOST'))
  assert.equal(a.seen.leads, true)
  await hub.clock.advance('4s')
  assert.deepEqual([a.seen.leads, b.seen.leads], [false, false])
  await hub.clock.advance('5s')
  assert.equal(b.seen.leads, true)
  a.seen.link = 'up'
  b.stop.abort()
  await hub.clock.advance('5s')
  assert.deepEqual([a.seen.leads, a.seen.terms], [true, 2])
})

test('a short outage is outlived', async (t) => {
  const hub = aHub()
  const a = aReplica(t, hub, 'a')
  await hub.clock.advance('1s')
  for (const link of ['down', 'deaf'] as const) {
    a.seen.link = link
    await hub.clock.advance('5s')
    a.seen.link = 'up'
    await hub.clock.advance('1m')
  }
  assert.deepEqual([a.seen.leads, a.seen.terms], [true, 1])
})

test('renewals whose answers are lost are recognised as our own', async (t) => {
  const hub = aHub()
  const a = aReplica(t, hub, 'a')
  await hub.clock.settle()
  a.seen.link = 'deaf'
  await hub.clock.advance('3s')
  a.seen.link = 'up'
  await hub.clock.advance('10s')
  assert.deepEqual([a.seen.leads, a.seen.terms], [true, 1])
})

test('a leader that sees another holder stops at once', async (t) => {
  const hub = aHub()
  const a = aReplica(t, hub, 'a')
  await hub.clock.settle()
  const spec = { holderIdentity: 'usurper', leaseDurationSeconds: 15 }
  await hub.kube.of(leases, 'hub').patch('lanyard', { type: 'merge', body: { spec } })
  await hub.clock.advance('2s')
  assert.equal(a.seen.leads, false)
  await hub.clock.advance('19s')
  assert.deepEqual([a.seen.leads, a.seen.terms], [true, 2], 'the usurper never renewed')
})

test('someone who only labels the lease costs nobody the lead', async (t) => {
  const hub = aHub()
  const a = aReplica(t, hub, 'a')
  await hub.clock.settle()
  await hub.kube.of(leases, 'hub').patch('lanyard', { type: 'merge', body: { metadata: { labels: { seen: 'yes' } } } })
  await hub.clock.advance('1m')
  assert.deepEqual([a.seen.leads, a.seen.terms], [true, 1])
  assert.equal((await hub.lease())?.metadata.labels?.['seen'], 'yes')
})

test('a holder is judged by its silence here, not by the times it writes', async (t) => {
  const hub = aHub()
  const longAgo = '1999-01-01T00:00:00.000000Z'
  const ahead = '2099-01-01T00:00:00.000000Z'
  for (const renewTime of [longAgo, ahead]) {
    await hub.kube.of(leases, 'hub').delete('lanyard')
    await hub.kube.of(leases, 'hub').create({
      metadata: { name: 'lanyard' },
      spec: { holderIdentity: 'other', leaseDurationSeconds: 15, renewTime },
    })
    const b = aReplica(t, hub, 'b')
    await hub.clock.advance('14s')
    assert.equal(b.seen.leads, false)
    await hub.clock.advance('3s')
    assert.equal(b.seen.leads, true)
    b.stop.abort()
    await b.running
  }
})

test('a wall clock that is set, back or forward, moves nobody', async (t) => {
  const hub = aHub()
  const a = aReplica(t, hub, 'a')
  await hub.clock.settle()
  const b = aReplica(t, hub, 'b')
  for (const byMs of [-3_600_000, 86_400_000, -60_000]) {
    await hub.clock.advance('3s')
    await hub.clock.jumpTo(new Date(hub.clock.now().getTime() + byMs))
    await hub.clock.advance('30s')
  }
  assert.deepEqual([a.seen.leads, a.seen.terms, b.seen.terms], [true, 1, 0])
  a.seen.link = 'down'
  await hub.clock.jumpTo(new Date(hub.clock.now().getTime() - 3_600_000))
  await hub.clock.advance('10s')
  assert.equal(a.seen.leads, false)
})

test('a lease that is deleted under its leader is made again by it, not taken by another', async (t) => {
  const hub = aHub()
  const a = aReplica(t, hub, 'a')
  await hub.clock.settle()
  const b = aReplica(t, hub, 'b')
  await hub.clock.advance('2100ms')
  await hub.kube.of(leases, 'hub').delete('lanyard')
  await hub.clock.advance('1m')
  assert.deepEqual([a.seen.leads, a.seen.terms, b.seen.terms], [true, 1, 0])
})

test('what keeps the lease from being made is logged, not taken for another leader', async (t) => {
  const hub = aHub()
  const logged: unknown[] = []
  const log = { ...silentLog, warn: (fields: { err: unknown }) => logged.push(fields.err) } as unknown as Log
  hub.kube.failNext(1, kubeFailure(404, 'NotFound', 'namespace hub'), 'create')
  const a = aReplica(t, hub, 'a', { log })
  await hub.clock.settle()
  assert.equal(logged.length, 1)
  await hub.clock.advance('2s')
  assert.equal(a.seen.leads, true)
})

test('two of one identity are two candidates', async (t) => {
  const hub = aHub()
  const [a, twin] = [aReplica(t, hub, 'a'), aReplica(t, hub, 'a', { random: randomFrom(() => 0.9) })]
  await hub.clock.advance('1m')
  assert.equal(Number(a.seen.leads) + Number(twin.seen.leads), 1)
})

test('when the work fails the lease is released and the failure goes on', async (t) => {
  const hub = aHub()
  const run = async () => {
    throw new Error('the work failed')
  }
  const { running } = aReplica(t, hub, 'a', { run })
  await assert.rejects(running, /the work failed/)
  assert.equal((await hub.lease())?.spec?.holderIdentity, '')
})

test('when the work ends by itself so does the election', async (t) => {
  const hub = aHub()
  await aReplica(t, hub, 'a', { run: async () => {} }).running
  assert.equal((await hub.lease())?.spec?.holderIdentity, '')
  assert.equal(hub.clock.nextDue, undefined)
})

test('a stop while it waits for the lease ends it', async (t) => {
  const hub = aHub()
  aReplica(t, hub, 'a')
  await hub.clock.settle()
  const b = aReplica(t, hub, 'b')
  await hub.clock.advance('10s')
  b.stop.abort()
  await b.running
  assert.equal(b.seen.terms, 0)
})

test('durations that cannot keep two leaders apart are refused', (t) => {
  const refused = [{ leaseDurationMs: 10_000 }, { renewDeadlineMs: 4_000 }, { retryPeriodMs: 0 }]
  for (const durations of refused) assert.throws(() => aReplica(t, aHub(), 'a', durations), RangeError)
})
