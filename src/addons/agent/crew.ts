import { backoffMs } from '../../core/backoff.ts'
import type { Clock } from '../../core/clock.ts'
import { sleep } from '../../core/clock.ts'
import type { Run } from '../../core/lifecycle.ts'
import { isAbort } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import type { Random } from '../../core/random.ts'

/** Runs that come and go while another one lasts. A failure of one harms no other: it starts anew after a pause. */
export interface Crew {
  /** Nothing when there is one under this name. */
  start(name: string, run: Run): void
  /** Returns once it has ended. */
  stop(name: string): Promise<void>
  has(name: string): boolean
  /** Ends everybody; from then on nobody starts. */
  dismiss(): Promise<void>
}

export function crew({ clock, random, log }: { clock: Clock; random: Random; log: Log }): Crew {
  const members = new Map<string, { ending: AbortController; over: Promise<void> }>()
  let isDismissed = false

  async function keepRunning(name: string, run: Run, signal: AbortSignal): Promise<void> {
    for (let tries = 0; !signal.aborted; tries += 1) {
      try {
        await run(signal)
      } catch (err) {
        if (!isAbort(err, signal)) log.error({ err, member: name }, 'work for an add-on failed')
      }
      const pauseMs = backoffMs(tries, { baseMs: 1_000, maxMs: 60_000 }, random)
      await sleep(clock, pauseMs, signal).catch(() => {})
    }
  }

  async function stop(name: string): Promise<void> {
    const member = members.get(name)
    if (!member) return
    member.ending.abort()
    await member.over
    if (members.get(name) === member) members.delete(name)
  }

  return {
    stop,
    has: (name) => members.has(name),
    start(name, run) {
      if (isDismissed || members.has(name)) return
      const ending = new AbortController()
      members.set(name, { ending, over: keepRunning(name, run, ending.signal) })
    },
    async dismiss() {
      isDismissed = true
      await Promise.all([...members.keys()].map(stop))
    },
  }
}
