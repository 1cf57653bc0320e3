import type { Run } from '../core/lifecycle.ts'
import { isAbort } from '../core/lifecycle.ts'
import type { Address } from './listener.ts'

export interface Bound {
  /** With the address it listens on, or 127.0.0.1 where that is every address. */
  url: string
  port: number
}

export interface Server {
  /** Once only. Ends soon after the abort. */
  readonly run: Run
  /** Rejects when the server cannot be started or is stopped before. */
  readonly listening: Promise<Bound>
}

/** A server from what runs it: `run` says when it listens, and ends when the signal aborts. */
export function serverOf(run: (signal: AbortSignal, onListening: (bound: Bound) => void) => Promise<void>): Server {
  const { promise, resolve, reject } = Promise.withResolvers<Bound>()
  promise.catch(() => {})
  return {
    listening: promise,
    run: async (signal) => {
      try {
        await run(signal, resolve)
      } catch (error) {
        reject(error)
        if (!isAbort(error, signal)) throw error
      }
    },
  }
}

const everywhere = ['0.0.0.0', '::', '']

export function boundAt(scheme: 'http' | 'https', { host, port }: Address): Bound {
  const reachable = everywhere.includes(host) ? '127.0.0.1' : host
  return { port, url: `${scheme}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}` }
}
