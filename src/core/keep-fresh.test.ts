import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { never } from '../../test/support/never.ts'
import { MemoryKeep, ToyIssuer, toyIssuance } from '../../test/support/toy-issuer.ts'
import { after } from './clock.ts'
import type { Report } from './keep-fresh.ts'
import { keepFresh } from './keep-fresh.ts'
import { silentLog } from './log.ts'
import type { Issuance, Keep, Kept, Pending } from './pass.ts'
import { randomFrom } from './random.ts'
import { reasons } from './reasons.ts'
import { Secret } from './secret.ts'

const hour = 3_600_000

interface Bench {
  clock: FakeClock
  issuer: ToyIssuer
  keep: MemoryKeep<Secret>
  names: string[]
}

function aBench(): Bench {
  const clock = new FakeClock()
  return { clock, issuer: new ToyIssuer(clock), keep: new MemoryKeep<Secret>(), names: [] }
}

const nameRequests = (bench: Bench) => () => {
  const name = `request-${bench.names.length + 1}`
  bench.names.push(name)
  return name
}

interface Overrides {
  issuance?: Issuance<Secret>
  keep?: Keep<Secret>
  report?: (report: Report) => void
}

/** Starts the loop; `stop` is a clean shutdown, waited for. */
function start(t: TestContext, bench: Bench, overrides: Overrides = {}) {
  const stopping = new AbortController()
  const reports: Report[] = []
  const loop = keepFresh({
    issuance: toyIssuance(bench.issuer, nameRequests(bench)),
    keep: bench.keep,
    report: (report) => void reports.push(report),
    clock: bench.clock,
    random: randomFrom(() => 0),
    log: silentLog,
    ...overrides,
  })
  const running = loop.run(stopping.signal)
  const stop = async () => {
    stopping.abort()
    await running
  }
  t.after(stop)
  return { loop, reports, stop, states: () => reports.map((report) => String(report.state)) }
}

test('a request waits days for its approval, then the pass is kept and reported', async (t) => {
  const bench = aBench()
  const { loop, reports } = start(t, bench)
  await bench.clock.advance('3d')
  assert.equal(reports.at(-1)?.state, reasons.AwaitingApproval)
  assert.equal(reports.at(-1)?.usable, false)

  bench.issuer.approve()
  loop.poke()
  await bench.clock.settle()
  assert.equal(reports.at(-1)?.state, reasons.PassIssued)
  assert.equal(reports.at(-1)?.usable, true)
  assert.equal(bench.keep.kept?.material.reveal(), 'token-for-request-1')
  assert.equal(bench.keep.pending, undefined)
  assert.deepEqual(bench.names, ['request-1'])
})

test('a pass is renewed in its window, again and again, with a usable one at hand all along', async (t) => {
  const bench = aBench()
  bench.issuer.approveAtOnce = true
  const { reports } = start(t, bench)
  await bench.clock.advance(10 * hour)
  assert.equal(bench.names.length, 14, 'one at the start and one every 45 minutes')
  const firstGrant = reports.findIndex((report) => report.state === reasons.PassIssued)
  assert.ok(reports.slice(firstGrant).every((report) => report.usable))
})

test('a denial is reported, and a new request follows after a pause that grows', async (t) => {
  const bench = aBench()
  const { loop, reports, states } = start(t, bench)
  const pauses: number[] = []
  for (let round = 0; round < 3; round++) {
    await bench.clock.advance('1s')
    bench.issuer.deny()
    loop.poke()
    await bench.clock.settle()
    assert.equal(states().at(-1), 'IssuerDenied')
    pauses.push(Number(reports.at(-1)?.nextAt) - bench.clock.now().getTime())
    await bench.clock.advance(pauses.at(-1) as number)
  }
  assert.deepEqual(pauses, [10_000, 20_000, 40_000])
  await bench.clock.advance('1s')
  bench.issuer.approve()
  loop.poke()
  await bench.clock.settle()
  assert.equal(states().at(-1), 'PassIssued')
  assert.deepEqual(bench.names, ['request-1', 'request-2', 'request-3', 'request-4'])
})

test('a restart or a poke does not shorten the pause after a denial', async (t) => {
  const bench = aBench()
  const first = start(t, bench)
  await bench.clock.advance('1s')
  bench.issuer.deny()
  first.loop.poke()
  await bench.clock.settle()
  await first.stop()

  const second = start(t, bench)
  second.loop.poke()
  await bench.clock.advance('9s')
  assert.deepEqual(bench.names, ['request-1'])
  assert.equal(second.states().at(-1), 'IssuerDenied')
  await bench.clock.advance('2s')
  assert.deepEqual(bench.names, ['request-1', 'request-2'])
})

/** Runs 50 minutes, killed at effect point `killAt` (each has one before and one after it; 0: not killed). Returns the points passed. */
async function runAndKill(bench: Bench, killAt: number): Promise<number> {
  let points = 0
  const dead = new Promise<never>(() => {}) // a killed process never hears an answer
  const mortal =
    <A extends unknown[], R>(effect: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (++points === killAt) return dead
      const result = await effect(...args)
      return ++points === killAt ? dead : result
    }
  const issuance = toyIssuance(bench.issuer, nameRequests(bench))
  const stopping = new AbortController()
  const loop = keepFresh({
    issuance: { next: mortal(issuance.next) },
    keep: {
      load: mortal(() => bench.keep.load()),
      savePending: mortal((pending: Pending) => bench.keep.savePending(pending)),
      save: mortal((kept: Kept<Secret>) => bench.keep.save(kept)),
    },
    report: mortal(async () => {}),
    clock: bench.clock,
    random: randomFrom(() => 0),
    log: silentLog,
  })
  void loop.run(stopping.signal)
  await bench.clock.advance('50m')
  stopping.abort()
  return points
}

test('killed before or after any effect, the next start goes on with the same request and nothing doubles', async (t) => {
  const approvingBench = () => {
    const bench = aBench()
    bench.issuer.approveAtOnce = true
    return bench
  }
  const points = await runAndKill(approvingBench(), 0)
  assert.ok(points > 40, `only ${points} points`)
  for (let killAt = 1; killAt <= points; killAt++) {
    const bench = approvingBench()
    await runAndKill(bench, killAt)
    const second = start(t, bench)
    await bench.clock.advance('10m')
    assert.equal(second.states().at(-1), 'PassIssued', `killed at point ${killAt}`)
    assert.ok(second.reports.at(-1)?.usable, `killed at point ${killAt}`)
    const unasked = bench.names.filter((name) => !bench.issuer.desk.has(name))
    never('doubled', () => assert.ok(unasked.length <= 1, 'only a name that was not yet saved may be drawn anew'))
    assert.ok(
      bench.issuer.desk.size <= 3,
      `killed at point ${killAt}: asked ${bench.issuer.desk.size} times in an hour`,
    )
    await second.stop()
  }
})

test('an issuer that is down is asked with back-off, and the kept pass stays usable meanwhile', async (t) => {
  const bench = aBench()
  bench.issuer.approveAtOnce = true
  const { reports, states } = start(t, bench)
  await bench.clock.advance('1s')
  bench.issuer.down = new Error('connection refused')
  await bench.clock.advance('50m')
  assert.equal(states().at(-1), 'IssuanceFailed')
  assert.equal(reports.at(-1)?.usable, true)
  assert.ok(reports.length < 30, 'back-off, not a storm')
  await bench.clock.advance('1h')
  assert.equal(reports.at(-1)?.usable, false)

  bench.issuer.down = undefined
  await bench.clock.advance('6m')
  assert.equal(states().at(-1), 'PassIssued')
})

test('a keep that is down has a reason of its own, and a granted pass is not lost by it', async (t) => {
  const bench = aBench()
  const { loop, states } = start(t, bench)
  await bench.clock.advance('1s')
  bench.issuer.approve()
  bench.keep.down = new Error('the secret cannot be written')
  loop.poke()
  await bench.clock.settle()
  assert.equal(states().at(-1), 'KeepUnavailable')
  bench.keep.down = undefined
  await bench.clock.advance('5m')
  assert.equal(states().at(-1), 'PassIssued')
  assert.deepEqual(bench.names, ['request-1'])
})

test('a keep that takes no request is asked less and less often', async (t) => {
  const bench = aBench()
  const tries: number[] = []
  const keep: Keep<Secret> = {
    load: async () => ({}),
    savePending: async () => {
      tries.push(bench.clock.now().getTime())
      throw new Error('read only')
    },
    save: async () => {},
  }
  start(t, bench, { keep })
  await bench.clock.advance('1h')
  const pauses = tries.slice(1).map((at, index) => at - (tries[index] ?? 0))
  assert.deepEqual(pauses.slice(0, 4), [1_000, 2_000, 4_000, 8_000])
  assert.ok(tries.length < 25, `${tries.length} tries in an hour`)
})

test('a back-dated life is counted from its receipt', async (t) => {
  const bench = aBench()
  Object.assign(bench.issuer, { approveAtOnce: true, lifeMs: 600_000, backdateMs: 300_000 })
  const { reports } = start(t, bench)
  await bench.clock.advance('1s')
  const { pass } = reports.at(-1) as Report
  const leftMs = Number(pass?.expiresAt) - Number(pass?.issuedAt)
  assert.ok(leftMs <= 300_000)
  assert.equal(Number(pass?.renewAt) - Number(pass?.issuedAt), Math.floor(0.75 * leftMs))
})

test('a renewal is never due before half of what was left, even where the issuer proposes it', async (t) => {
  const bench = aBench()
  bench.issuer.approveAtOnce = true
  const issuance = toyIssuance(bench.issuer, nameRequests(bench))
  start(t, bench, {
    issuance: {
      async next(now, kept, pending) {
        const step = await issuance.next(now, kept, pending)
        return step.step === 'granted' && pending ? { ...step, pass: { ...step.pass, renewAt: now } } : step
      },
    },
  })
  await bench.clock.advance('29m')
  assert.equal(bench.names.length, 1)
  await bench.clock.advance('2m')
  assert.equal(bench.names.length, 2)
})

test('a life of a few seconds does not make the loop spin', async (t) => {
  const bench = aBench()
  Object.assign(bench.issuer, { approveAtOnce: true, lifeMs: 4_000 })
  const { reports } = start(t, bench)
  await bench.clock.advance('60s')
  assert.ok(bench.names.length <= 21, `${bench.names.length} requests in a minute`)
  assert.ok(reports.at(-1)?.usable)
})

test('a pass that arrives expired counts as a refusal and names the clocks', async (t) => {
  const bench = aBench()
  Object.assign(bench.issuer, { approveAtOnce: true, lifeMs: 60_000, backdateMs: 300_000 })
  const { states } = start(t, bench)
  await bench.clock.advance('5m')
  assert.equal(states().at(-1), 'ArrivedExpired')
  assert.ok(bench.names.length < 10, `${bench.names.length} requests in five minutes`)
})

test('a clock that jumps ahead past the expiry brings a new pass at once', async (t) => {
  const bench = aBench()
  bench.issuer.approveAtOnce = true
  const { reports } = start(t, bench)
  await bench.clock.advance('1m')
  await bench.clock.jumpTo(after(bench.clock.now(), 30 * 24 * hour))
  await bench.clock.advance('1s')
  assert.equal(bench.names.length, 2)
  assert.ok(reports.at(-1)?.usable)
})

test('a clock that jumps back keeps the pass and renews at the same moment of its life', async (t) => {
  const bench = aBench()
  bench.issuer.approveAtOnce = true
  const { reports } = start(t, bench)
  await bench.clock.advance('10m')
  await bench.clock.jumpTo(after(bench.clock.now(), -2 * hour))
  await bench.clock.advance('1h')
  assert.equal(bench.names.length, 1)
  assert.ok(reports.at(-1)?.usable)
  await bench.clock.advance('2h')
  assert.ok(bench.names.length > 1)
})

test('a keep that stores no renewal time gets one drawn for it, and it comes due', async (t) => {
  const bench = aBench()
  bench.issuer.approveAtOnce = true
  const forgetful: Keep<Secret> = {
    async load() {
      const { kept, pending } = await bench.keep.load()
      if (!kept) return { ...(pending && { pending }) }
      const { renewAt: _, ...pass } = kept.pass
      return { kept: { ...kept, pass }, ...(pending && { pending }) }
    },
    savePending: (pending) => bench.keep.savePending(pending),
    save: (kept) => bench.keep.save(kept),
  }
  start(t, bench, { keep: forgetful })
  await bench.clock.advance('44m')
  assert.equal(bench.names.length, 1)
  await bench.clock.advance('2m')
  assert.equal(bench.names.length, 2)
})

test('what is reported is on record already', async (t) => {
  const bench = aBench()
  bench.issuer.approveAtOnce = true
  const onRecord: boolean[] = []
  start(t, bench, {
    report: ({ state, pass }) => {
      if (state === reasons.PassIssued) onRecord.push(bench.keep.kept?.pass.fingerprint === pass?.fingerprint)
    },
  })
  await bench.clock.advance('2h')
  assert.ok(onRecord.length >= 2)
  assert.ok(onRecord.every(Boolean))
})

test('a report that throws does not stop the loop', async (t) => {
  const bench = aBench()
  bench.issuer.approveAtOnce = true
  start(t, bench, {
    report: () => {
      throw new Error('the status could not be written')
    },
  })
  await bench.clock.advance('2h')
  assert.ok(bench.names.length >= 2)
})

test('a stop during a wait ends the loop at once', async (t) => {
  const bench = aBench()
  const { stop } = start(t, bench)
  await bench.clock.advance('1s')
  await stop()
})

test('a refusal recorded by a clock that ran ahead does not outlast the correction of that clock', async (t) => {
  const bench = aBench()
  const ahead = start(t, bench)
  await bench.clock.advance('1s')
  bench.issuer.deny()
  ahead.loop.poke()
  await bench.clock.settle()
  await ahead.stop()
  await bench.clock.jumpTo(after(bench.clock.now(), -24 * hour))
  start(t, bench)
  await bench.clock.advance('1s')
  assert.deepEqual(bench.names, ['request-1', 'request-2'])
})

test('a clock that is set back while an issuer is down does not prolong the pause', async (t) => {
  const bench = aBench()
  bench.issuer.approveAtOnce = true
  bench.issuer.down = new Error('connection refused')
  const { states } = start(t, bench)
  await bench.clock.advance('10s')
  await bench.clock.jumpTo(after(bench.clock.now(), -2 * hour))
  bench.issuer.down = undefined
  await bench.clock.advance('20s')
  assert.equal(states().at(-1), 'PassIssued')
})

test('nor does it prolong the pause after a refusal', async (t) => {
  const bench = aBench()
  const { loop, states } = start(t, bench)
  await bench.clock.advance('1s')
  bench.issuer.deny()
  loop.poke()
  await bench.clock.settle()
  assert.equal(states().at(-1), 'IssuerDenied')
  await bench.clock.jumpTo(after(bench.clock.now(), -2 * hour))
  bench.issuer.approveAtOnce = true
  await bench.clock.advance('20s')
  assert.equal(states().at(-1), 'PassIssued')
})

test('a refusal that names a time already past waits all the same, and keeps its message over a restart', async (t) => {
  const bench = aBench()
  let asked = 0
  const issuance: Issuance<Secret> = {
    async next(now) {
      asked++
      return { step: 'refused', reason: reasons.IssuerDenied, message: 'ask your hub', retryAt: after(now, -1) }
    },
  }
  const first = start(t, bench, { issuance })
  await bench.clock.advance('9s')
  assert.equal(asked, 1)
  await first.stop()
  const second = start(t, bench, { issuance })
  await bench.clock.settle()
  assert.equal(second.reports.at(-1)?.message, 'ask your hub')
})

test('a keep that lags behind its own writes does not make the loop spin', async (t) => {
  const bench = aBench()
  start(t, bench, {
    keep: { load: async () => ({}), savePending: async () => {}, save: async () => {} },
  })
  await bench.clock.advance('10m')
  assert.ok(bench.names.length < 20, `${bench.names.length} requests in ten minutes`)
})

test('one failure an hour is retried soon each time, however long the approval takes', async (t) => {
  const bench = aBench()
  const { loop, reports } = start(t, bench)
  await bench.clock.advance('1s')
  for (let round = 0; round < 8; round++) {
    bench.issuer.down = new Error('a blip')
    loop.poke()
    await bench.clock.settle()
    assert.equal(Number(reports.at(-1)?.nextAt) - bench.clock.now().getTime(), 1_000)
    bench.issuer.down = undefined
    await bench.clock.advance('1h')
  }
})

test('a new key under the same name is saved', async (t) => {
  const bench = aBench()
  const keys = ['old', 'new']
  const issuance: Issuance<Secret> = {
    async next(now) {
      const key = keys.shift()
      if (!key) return { step: 'waiting', for: reasons.AwaitingApproval }
      const pending = { name: 'request', createdAt: now, material: Secret.of(key) }
      return { step: 'waiting', for: reasons.AwaitingIssuer, pending }
    },
  }
  start(t, bench, { issuance })
  await bench.clock.advance('5s')
  assert.equal(bench.keep.pending?.material?.reveal(), 'new')
})
