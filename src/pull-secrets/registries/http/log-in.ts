import type { Secret } from '../../../core/secret.ts'
import { failures } from '../../failures.ts'
import { agents } from './agents.ts'
import { NoAnswer } from './answer.ts'
import { exchange } from './exchange.ts'
import type { Line } from './line.ts'
import { basic } from './own-credentials.ts'

/** Whether a credential is let in, asked as a client that pulls asks it. */
export type LogIn = (account: { username: string; token: Secret }, signal: AbortSignal) => Promise<boolean>

/** At the place where clients log in: not the API, so that its breaker, its budget and our own credentials stay out of it. */
export function logInAt({ registry, clock, log, timeoutMs, auth }: Line, loginUrl: string): LogIn {
  const url = new URL(loginUrl)
  const agent = agents(url.protocol, auth.caFile === undefined ? {} : { caFile: auth.caFile }, log)
  const unavailable = (detail: string, cause?: unknown) =>
    failures.REGISTRY_UNAVAILABLE({ registry, detail, retryAfterSeconds: 5 }, cause)
  return async ({ username, token }, signal) => {
    const { status } = await exchange(
      {
        method: 'GET',
        origin: url,
        path: `${url.pathname}${url.search}`,
        headers: { accept: 'application/json', authorization: basic(username, token).reveal() },
        agent: await agent().catch((error) => {
          throw unavailable('its authorities cannot be read', error)
        }),
        connectMs: 3_000,
        totalMs: timeoutMs,
      },
      clock,
      signal,
    ).catch((error) => {
      throw error instanceof NoAnswer ? unavailable('clients cannot log in at it', error) : error
    })
    if (status === 401 || status === 403) return false
    if (status >= 200 && status < 300) return true
    throw unavailable(`status ${status} to a login`)
  }
}
