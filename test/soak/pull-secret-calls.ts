import { setTimeout as delay } from 'node:timers/promises'

export interface Answered {
  status: number
  body: Record<string, unknown>
  etag: string | undefined
}

export type Call = (method: string, path: string, body?: object) => Promise<Answered>

const base = '/api/hyperfleet/v1'
/** A busy machine takes a while to start a pod again. */
const patienceMs = 120_000

/**
 * Asks one pod after the other until one answers. What a killed pod had begun may have happened: every call here may be
 * repeated.
 */
export function callsTo(urls: readonly string[], token: string): Call {
  return async (method, path, body) => {
    const startedAt = performance.now()
    const isPatient = () => performance.now() - startedAt < patienceMs
    for (;;) {
      const url = urls[Math.floor(Math.random() * urls.length)]
      try {
        const response = await fetch(`${url}${base}${path}`, {
          method,
          headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
          ...(body && { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(60_000),
        })
        const text = await response.text()
        // A registry that fails is a matter of the caller's next try, as in life.
        if (response.status >= 500 && isPatient()) {
          await delay(100)
          continue
        }
        return {
          status: response.status,
          body: text === '' ? {} : JSON.parse(text),
          etag: response.headers.get('etag') ?? undefined,
        }
      } catch (error) {
        if (!isPatient()) throw error
        await delay(100)
      }
    }
  }
}
