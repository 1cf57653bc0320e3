import type { Clock } from '../core/clock.ts'
import { sleep } from '../core/clock.ts'
import { singleFlight } from '../core/single-flight.ts'
import type { Answer } from './answer.ts'
import { text } from './answer.ts'
import type { Asked, Route } from './route.ts'

/** Says why it fails, in words that anybody may read; undefined while all is well. */
export type Check = () => string | undefined | Promise<string | undefined>

export interface Checks {
  /** A process that fails one of these has to be started anew. */
  live?: Readonly<Record<string, Check>>
  /** One that fails one of these is alive but cannot do its work yet, or at present. */
  ready?: Readonly<Record<string, Check>>
}

const patienceMs = 5_000

type Finding = { name: string; why: string | undefined }

/** `/healthz` and `/livez` tell whether to start the process anew, `/readyz` whether it does its work. */
export const healthRoutes = ({ live = {}, ready = {} }: Checks, clock: Clock): [string, Route][] => [
  ['/healthz', healthRoute(live, clock)],
  ['/livez', healthRoute(live, clock)],
  ['/readyz', healthRoute({ ...live, ...ready }, clock)],
]

function healthRoute(checks: Readonly<Record<string, Check>>, clock: Clock): Route {
  // Probes need no credentials: many of them at once cost a database, or whatever a check asks, no more than one does.
  const findAll = singleFlight(() =>
    Promise.all(Object.entries(checks).map(([name, check]) => find(name, check, clock))),
  )
  return { method: 'GET', answer: async ({ query }: Asked) => report(await findAll(), query.has('verbose')) }
}

export function report(findings: readonly Finding[], verbose: boolean): Answer {
  const failed = findings.filter(({ why }) => why !== undefined)
  if (failed.length === 0 && !verbose) return text(200, 'ok')
  const shown = verbose ? findings : failed
  const lines = shown.map(({ name, why }) => (why === undefined ? `[+] ${name} ok` : `[-] ${name} failed: ${why}`))
  return text(failed.length === 0 ? 200 : 500, `${lines.join('\n')}\n`)
}

/** What a check throws is not for everybody's eyes. */
async function find(name: string, check: Check, clock: Clock): Promise<Finding> {
  const over = new AbortController()
  const silent = sleep(clock, patienceMs, over.signal).then(() => `no answer within ${patienceMs} ms`)
  silent.catch(() => {})
  try {
    return { name, why: await Promise.race([Promise.resolve().then(check), silent]) }
  } catch {
    return { name, why: 'it could not be checked; look into the log' }
  } finally {
    over.abort()
  }
}
