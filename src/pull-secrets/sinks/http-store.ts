/** What the stores have in common that are spoken to by plain HTTP. */
import { createHash } from 'node:crypto'
import { failures } from '../failures.ts'
import type { CallHttp, HttpAnswer, HttpCall } from './http-call.ts'
import { NoAnswer } from './http-call.ts'

export interface HttpStore {
  /** The answer, when its status is among `expected`; else SINK_UNAVAILABLE or SINK_REFUSED. */
  ask(request: HttpCall, expected: readonly number[], signal: AbortSignal): Promise<HttpAnswer>
}

const laterMayWork = (status: number): boolean => status === 408 || status === 429 || status >= 500

export const httpStore = (sink: string, call: CallHttp): HttpStore => ({
  async ask(request, expected, signal) {
    try {
      const answer = await call(request, signal)
      if (expected.includes(answer.status)) return answer
      const detail = `status ${answer.status}`
      throw laterMayWork(answer.status)
        ? failures.SINK_UNAVAILABLE({ sink, detail })
        : failures.SINK_REFUSED({ sink, detail })
    } catch (error) {
      throw error instanceof NoAnswer ? failures.SINK_UNAVAILABLE({ sink, detail: error.code }, error) : error
    }
  },
})

export const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex')

/** Steps into an answer whose shape nobody vouches for. */
export function at(value: unknown, ...path: string[]): unknown {
  let here = value
  for (const step of path) here = typeof here === 'object' && here !== null ? Reflect.get(here, step) : undefined
  return here
}

export const textAt = (value: unknown, ...path: string[]): string | undefined => {
  const found = at(value, ...path)
  return typeof found === 'string' ? found : undefined
}

export const listAt = (value: unknown, ...path: string[]): unknown[] => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}
