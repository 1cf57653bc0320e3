import { isFailure } from '../core/failure.ts'
import { mostLevels, nestsDeeper } from '../core/json-depth.ts'
import type { Log } from '../core/log.ts'
import type { Answer } from './answer.ts'
import { problem } from './answer.ts'
import { failures } from './failures.ts'

export interface Asked {
  method: string
  path: string
  query: URLSearchParams
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Whether it has shown a certificate of an API server, where one is asked for. */
  isKnownCaller: boolean
  /** The whole body, when it is its turn; throws a Failure where it is too large, late or cut short, or others are in front. */
  readBody(): Promise<Buffer>
  /** Between two parts of long work: everybody else has a turn before it goes on. */
  giveWay(): Promise<void>
  /** Aborts when nobody waits for the answer any more, and when the server stops. */
  signal: AbortSignal
}

export interface Route {
  method: 'GET' | 'POST'
  /** Nothing of a body is looked at for anybody else, where their certificate is asked for. */
  isForApiServers?: boolean
  answer(asked: Asked): Promise<Answer>
}

export type Routes = ReadonlyMap<string, Route>

/** Never throws. What fails without being in a catalogue is logged, without any body. */
export async function answerTo(routes: Routes, asked: Asked, log: Log): Promise<Answer> {
  const route = routes.get(asked.path)
  if (!route) return problem(failures.SERVER_NO_SUCH_PATH())
  const allowed = route.method === 'GET' ? ['GET', 'HEAD'] : ['POST']
  if (!allowed.includes(asked.method))
    return problem(failures.SERVER_WRONG_METHOD({ allowed: allowed.join(' and ') }), { allow: allowed.join(', ') })
  if (route.isForApiServers && !asked.isKnownCaller) return problem(failures.SERVER_UNKNOWN_CALLER())
  try {
    return await route.answer(asked)
  } catch (error) {
    if (!isFailure(error) && !asked.signal.aborted) log.error({ err: error, path: asked.path }, 'a request failed')
    return problem(error)
  }
}

/** The body of a POST, which has to be JSON. */
export async function readJson({ headers, readBody }: Asked): Promise<unknown> {
  const [type] = String(headers['content-type'] ?? '').split(';')
  const coding = String(headers['content-encoding'] ?? 'identity')
  if (type?.trim().toLowerCase() !== 'application/json' || coding !== 'identity')
    throw failures.SERVER_WRONG_CONTENT_TYPE()
  const body = await readBody()
  if (nestsDeeper(body, mostLevels)) throw failures.SERVER_TOO_DEEP({ levels: mostLevels })
  try {
    return JSON.parse(body.toString())
  } catch {
    // Without the parser's error: it quotes the body.
    throw failures.SERVER_BAD_JSON()
  }
}
