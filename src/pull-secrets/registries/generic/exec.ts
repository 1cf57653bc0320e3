import { spawn } from 'node:child_process'
import type { Clock } from '../../../core/clock.ts'
import type { Log } from '../../../core/log.ts'
import { failures } from '../../failures.ts'
import type { CallResult } from '../http/call-metrics.ts'
import type { Line, Priority } from '../http/index.ts'
import type { Action, Transport } from './protocol.ts'
import { onlyLooks, requestOf } from './protocol.ts'

/** By these codes a program says what became of a request. Every other one leaves it open. */
export const exitCodes = { done: 0, nameTaken: 10, uncertain: 11, unavailable: 12, unauthorized: 13, refused: 14 }

export interface Program {
  command: string
  args: readonly string[]
  /** All of its environment: nothing is inherited. */
  env: Readonly<Record<string, string>>
  settings: Record<string, unknown>
  instanceId: string
}

const longestOutputBytes = 1024 * 1024
const patienceMs: Record<Priority, number> = { request: 30_000, background: 120_000 }

/**
 * One process a request. The request goes to its standard input and nowhere else: arguments and environments can be read
 * by others. What it writes to standard error is dropped, as nobody knows what is in it.
 */
export function execTransport(program: Program, line: Line, priority: Priority): Transport {
  const { registry, clock, log } = line
  const unavailable = (detail: string, waitMs = line.retryBaseMs, cause?: unknown) =>
    failures.REGISTRY_UNAVAILABLE(
      { registry, detail, retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) },
      cause,
    )
  /** Nobody knows what it did, unless it was only to look. */
  const open = (action: Action, detail: string, cause?: unknown) =>
    onlyLooks(action) ? unavailable(detail, undefined, cause) : failures.REGISTRY_UNCERTAIN({ registry, detail }, cause)

  function judged(action: Action, name: string, { code, output }: Ended): unknown {
    if (code === exitCodes.nameTaken) throw failures.REGISTRY_NAME_TAKEN({ registry, name })
    if (code === exitCodes.unauthorized) throw failures.REGISTRY_UNAUTHORIZED({ registry })
    if (code === exitCodes.refused) throw failures.REGISTRY_REFUSED({ registry, detail: 'its driver says no' })
    if (code === exitCodes.unavailable) throw unavailable('its driver cannot reach it')
    if (code === exitCodes.uncertain) throw open(action, 'its driver does not know')
    if (code !== exitCodes.done) throw open(action, `its driver ended with ${code ?? 'a signal'}`)
    try {
      return JSON.parse(output === '' ? '{}' : output)
    } catch {
      throw open(action, 'its driver did not answer in JSON')
    }
  }

  return async (action, ask, signal) => {
    const blockedMs = line.breaker.admit()
    if (blockedMs > 0) throw unavailable('it has failed too often', blockedMs)
    let outcome: 'succeeded' | 'failed' | 'withdrawn' = 'withdrawn'
    try {
      const waitMs = await line.budget.take(priority, patienceMs[priority], signal)
      if (waitMs > 0) throw unavailable('too many calls wait for it', waitMs)
      const input = JSON.stringify(requestOf(action, ask, { ...program, registry }))
      const startedAt = clock.now().getTime()
      const ended = await run(program, input, { clock, log, timeoutMs: line.timeoutMs, signal })
      const result = resultOf(ended)
      outcome = result === 'failed' ? 'failed' : 'succeeded'
      line.counts.called(result, Math.max(0, clock.now().getTime() - startedAt) / 1_000)
      line.counts.unauthorized(result === 'unauthorized')
      if (ended.failure === 'not-started') throw unavailable('its driver cannot be started', undefined, ended.cause)
      if (ended.failure) throw open(action, failureWords[ended.failure])
      return judged(action, ask.name ?? '', ended)
    } finally {
      line.breaker[outcome]()
    }
  }
}

const failureWords = {
  'timed-out': 'its driver did not end in time',
  'too-long': 'its driver answered more than it may',
}

function resultOf({ code, failure }: Ended): CallResult {
  if (failure !== undefined || code === null || code === exitCodes.unavailable) return 'failed'
  if (code === exitCodes.unauthorized) return 'unauthorized'
  return code === exitCodes.done ? 'ok' : 'refused'
}

interface Ended {
  code: number | null
  output: string
  failure?: 'not-started' | 'timed-out' | 'too-long'
  cause?: unknown
}

interface Running {
  clock: Clock
  log: Log
  timeoutMs: number
  signal: AbortSignal
}

/**
 * Rejects with the signal's reason only. Whatever it started is gone afterwards, its own children included; but for those
 * that left its group, for which nobody waits.
 */
function run({ command, args, env }: Program, input: string, running: Running): Promise<Ended> {
  const { clock, log, timeoutMs, signal } = running
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    let failure: Ended['failure']
    let cause: unknown
    const chunks: Buffer[] = []
    let bytes = 0
    // A group of its own, so that it can be ended as a whole.
    const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'], detached: true, shell: false })
    const kill = () => {
      if (child.pid === undefined) return
      try {
        process.kill(-child.pid, 'SIGKILL')
      } catch (error) {
        log.debug({ err: error }, 'driver had ended already')
      }
    }
    const giveUp = (why?: Ended['failure']) => {
      failure ??= why
      kill()
      // Whoever left the group may hold the other end: `close` would never come.
      child.stdout.destroy()
    }
    const onAbort = () => giveUp()
    const deadline = clock.countdown(timeoutMs, () => giveUp('timed-out'))
    signal.addEventListener('abort', onAbort, { once: true })
    child.on('error', (error) => {
      failure ??= 'not-started'
      cause ??= error
      if (child.pid === undefined) end(null)
    })
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > longestOutputBytes) giveUp('too-long')
      else chunks.push(chunk)
    })
    // A program that does not read its input is judged by how it ends.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    const end = (code: number | null) => {
      deadline[Symbol.dispose]()
      signal.removeEventListener('abort', onAbort)
      if (signal.aborted) return reject(signal.reason)
      const output = Buffer.concat(chunks).toString('utf8').trim()
      resolve({ code, output, ...(failure && { failure }), ...(cause !== undefined && { cause }) })
    }
    child.on('close', end)
    // Children that it left behind would keep the pipe, and us, open.
    child.on('exit', kill)
  })
}
