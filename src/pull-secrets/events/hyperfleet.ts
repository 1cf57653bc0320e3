/** The two calls we make of the HyperFleet API: what a cluster is, and what became of its pull secret. */
import { failures } from '../failures.ts'
import type { CallHttp, HttpAnswer, HttpCall } from '../sinks/http-call.ts'
import { NoAnswer } from '../sinks/http-call.ts'
import { isRecord } from './cloud-event.ts'

export interface HyperfleetOptions {
  /** With its path: `https://hyperfleet.example/api/hyperfleet/v1`. */
  baseUrl: string
  call: CallHttp
  /** A bearer token, read for each call: those of pods change. */
  token?: () => Promise<string>
  /** PEM. */
  ca?: string
}

export interface SeenCluster {
  generation: number
  isDeleted: boolean
}

export interface Hyperfleet {
  /** Undefined: it knows none of that id. */
  cluster(id: string, signal: AbortSignal): Promise<SeenCluster | undefined>
  /** Throws STATUS_REFUSED for what it never will take, STATUS_UNSENT for what it may take later. */
  report(id: string, status: object, signal: AbortSignal): Promise<void>
}

/** Our own credentials may be renewed, and limits end: these are worth another try. */
const worthAnother = new Set([401, 403, 408, 425, 429])

export function hyperfleet({ baseUrl, call, token, ca }: HyperfleetOptions): Hyperfleet {
  const pathOf = (id: string) => `${baseUrl.replace(/\/$/, '')}/clusters/${encodeURIComponent(id)}`

  async function ask(request: HttpCall, signal: AbortSignal): Promise<HttpAnswer> {
    try {
      const authorization = token && { authorization: `Bearer ${await token()}` }
      return await call({ ...request, headers: { ...authorization }, ...(ca && { ca }) }, signal)
    } catch (error) {
      throw error instanceof NoAnswer ? failures.STATUS_UNSENT({ detail: error.code }, error) : error
    }
  }

  return {
    async cluster(id, signal) {
      const { status, json } = await ask({ method: 'GET', url: pathOf(id) }, signal)
      if (status === 404) return undefined
      if (status !== 200 || !isRecord(json)) throw failures.STATUS_UNSENT({ detail: `status ${status}` })
      const generation = json['generation']
      return {
        generation: typeof generation === 'number' && Number.isInteger(generation) ? generation : 1,
        isDeleted: typeof json['deleted_time'] === 'string',
      }
    },
    async report(id, body, signal) {
      const { status } = await ask({ method: 'PUT', url: `${pathOf(id)}/statuses`, body }, signal)
      if (status >= 200 && status <= 299) return
      const detail = `status ${status}`
      if (status >= 400 && status <= 499 && !worthAnother.has(status)) throw failures.STATUS_REFUSED({ detail })
      throw failures.STATUS_UNSENT({ detail })
    },
  }
}
