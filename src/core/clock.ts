/** Time, passed in and never reached for. Tests pass a fake one and move it by hand. */
export interface Clock {
  now(): Date
  /** Calls `action` once, when `now()` has reached `at`: for what expires. Disposing it cancels. */
  timer(at: Date, action: () => void): Disposable
  /** Calls `action` once, after `ms` of running time, whatever becomes of the wall clock: for deadlines and pauses. */
  countdown(ms: number, action: () => void): Disposable
}

/**
 * How long one timer of the runtime may run before wall time is read again. Passes expire by the wall clock but
 * `setTimeout` counts time awake: a suspended laptop or a corrected clock would otherwise oversleep a renewal.
 * It also keeps far below the 24.8 days after which `setTimeout` overflows.
 */
const longestStretchMs = 30_000

function systemTimer(at: Date, action: () => void): Disposable {
  if (Number.isNaN(at.getTime())) throw new RangeError('a timer needs a valid date')
  let handle: NodeJS.Timeout
  const arm = () => {
    const leftMs = at.getTime() - Date.now()
    handle = setTimeout(onStretchEnd, Math.min(Math.max(0, leftMs), longestStretchMs))
  }
  // Read again at the end as well: `setTimeout` may fire a millisecond before the wall clock gets there.
  const onStretchEnd = () => (Date.now() >= at.getTime() ? action() : arm())
  arm()
  return { [Symbol.dispose]: () => clearTimeout(handle) }
}

/** `setTimeout` overflows after 24.8 days. */
const longestTimeoutMs = 86_400_000

function systemCountdown(ms: number, action: () => void): Disposable {
  let leftMs = Math.max(0, ms)
  let handle: NodeJS.Timeout
  const arm = () => {
    const stretchMs = Math.min(leftMs, longestTimeoutMs)
    leftMs -= stretchMs
    handle = setTimeout(() => (leftMs > 0 ? arm() : action()), stretchMs)
  }
  arm()
  return { [Symbol.dispose]: () => clearTimeout(handle) }
}

export const systemClock: Clock = {
  now: () => new Date(),
  timer: systemTimer,
  countdown: systemCountdown,
}

/** Resolves after `ms` of running time; rejects with the signal's reason when that comes first. */
export function sleep(clock: Pick<Clock, 'countdown'>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const timer = clock.countdown(ms, () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
    const onAbort = () => {
      timer[Symbol.dispose]()
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/** An alarm is this much later by running time than by the wall clock, which so comes first wherever both go evenly. */
const alarmSlackMs = 1_000

/**
 * Calls `action` once: at `at`, or when the running time until then is over because the wall clock was set back. For
 * those who look again and rest again where it was too early; what must not be early takes `timer`.
 */
export function alarm(clock: Clock, at: Date, action: () => void): Disposable {
  const ring = () => {
    cancel()
    action()
  }
  const byWall = clock.timer(at, ring)
  const byRunning = clock.countdown(at.getTime() - clock.now().getTime() + alarmSlackMs, ring)
  const cancel = () => {
    byWall[Symbol.dispose]()
    byRunning[Symbol.dispose]()
  }
  return { [Symbol.dispose]: cancel }
}

/** When something happened by the record, or now where the clock was set back since: it is not still to come. */
export function pastOf(clock: Pick<Clock, 'now'>, at: Date): Date {
  const now = clock.now()
  return at > now ? now : at
}

export const after = (start: Date, ms: number): Date => new Date(start.getTime() + ms)
