import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { MemoryKube, unreachable } from '../../test/support/memory-kube.ts'
import type { Intercept } from '../../test/support/memory-kube-parts.ts'
import { never } from '../../test/support/never.ts'
import type { Clock } from '../core/clock.ts'
import { after, sleep } from '../core/clock.ts'
import { aborted } from '../core/lifecycle.ts'
import { silentLog } from '../core/log.ts'
import { randomFrom } from '../core/random.ts'
import { leading } from './election.ts'

/** mulberry32: the same numbers for the same seed, so that a failure can be run again. */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A machine: its time runs a little fast or slow, and its wall clock shows anything and is set at will. */
class Machine implements Clock {
  readonly #world: FakeClock
  readonly #rate: number
  offsetMs = 0
  isOff = false

  constructor(world: FakeClock, rate: number) {
    this.#world = world
    this.#rate = rate
  }
  now(): Date {
    return after(this.#world.now(), this.offsetMs)
  }
  countdown(ms: number, action: () => void): Disposable {
    return this.#world.timer(after(this.#world.now(), ms / this.#rate), () => this.isOff || action())
  }
  timer(): never {
    throw new Error('an election counts durations only')
  }
}

interface World {
  clock: FakeClock
  kube: MemoryKube
  fraction: () => number
  isStormy: boolean
  leaders: Set<string>
  terms: number
  overlaps: string[]
}

/** One process that stands for election, until it is stopped in order or killed. */
function aProcess(world: World, name: string) {
  const { clock, fraction, leaders } = world
  const machine = new Machine(clock, 0.93 + 0.14 * fraction())
  machine.offsetMs = (fraction() - 0.5) * 86_400_000
  let isCutOff = false

  const network: Intercept = async (_call, proceed) => {
    const never = new Promise<never>(() => {})
    const delay = () => sleep(clock, fraction() ** 5 * 9_000)
    if (machine.isOff) return never
    if (!world.isStormy) return proceed()
    if (isCutOff) return fraction() < 0.5 ? never : Promise.reject(unreachable())
    const luck = fraction()
    await delay()
    if (luck < 0.1) throw unreachable()
    const answer = await proceed()
    await delay()
    if (luck < 0.2) throw unreachable()
    return luck < 0.25 || machine.isOff ? never : answer
  }

  const stop = new AbortController()
  const election = leading(
    world.kube.through(network),
    { clock: machine, random: randomFrom(fraction), log: silentLog, namespace: 'hub', name: 'lanyard', identity: name },
    async (signal) => {
      leaders.add(name)
      world.terms += 1
      if (leaders.size > 1) world.overlaps.push(`${[...leaders]} at ${clock.now().toISOString()}`)
      await aborted(signal)
      await sleep(clock, 100 + fraction() * 2_400)
      leaders.delete(name)
    },
  )
  const running = election(stop.signal)
  return {
    stop: () => stop.abort(),
    kill: () => {
      machine.isOff = true
      leaders.delete(name)
    },
    toggleLink: () => {
      isCutOff = !isCutOff
    },
    setWallClock: () => {
      machine.offsetMs = (fraction() - 0.5) * 86_400_000
    },
    running,
  }
}

async function simulate(seed: number): Promise<World> {
  const fraction = numbersFrom(seed)
  const clock = new FakeClock()
  const kube = new MemoryKube(clock)
  const world: World = { clock, kube, fraction, isStormy: true, leaders: new Set(), terms: 0, overlaps: [] }
  const pick = <V>(values: V[]): V => values[Math.floor(fraction() * values.length)] as V
  let born = 0
  const birth = () => aProcess(world, `replica-${born++}`)
  const alive = [birth(), birth(), birth()]

  for (let second = 0; second < 300; second += 3) {
    await clock.advance(3_000)
    const index = Math.floor(fraction() * alive.length)
    const chosen = alive[index]
    const fate = fraction()
    if (fate < 0.2) chosen?.toggleLink()
    else if (fate < 0.3) chosen?.setWallClock()
    else if (fate < 0.36) {
      pick([() => chosen?.stop(), () => chosen?.kill()])()
      alive[index] = birth()
    }
  }

  world.isStormy = false
  await clock.advance('60s')
  assert.equal(world.leaders.size, 1, `seed ${seed}: one leads a minute after the storm`)
  for (const replica of alive) replica.stop()
  await clock.advance('60s')
  await Promise.all(alive.map(({ running }) => running))
  assert.equal(world.leaders.size, 0)
  return world
}

test('three candidates, lost and late messages, crashes, drifting and mis-set clocks: never two leaders', async (t) => {
  const seeds = Number(process.env['LANYARD_ELECTION_SEEDS'] ?? 25)
  let terms = 0
  for (let seed = 1; seed <= seeds; seed++) {
    const world = await simulate(seed)
    never('doubled', () => assert.deepEqual(world.overlaps, [], `seed ${seed}`))
    terms += world.terms
  }
  t.diagnostic(`${terms} terms in ${seeds} stormy stretches of five minutes`)
  assert.ok(terms > seeds * 4, `only ${terms} terms: the storm proves nothing`)
})
