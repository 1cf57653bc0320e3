import { isFailure } from '../../core/failure.ts'
import type { TokenSource } from '../../fleet/spoke/contract.ts'
import type { TokenDeps } from '../../fleet/spoke/oidc/index.ts'
import { issuerFetches } from '../../fleet/spoke/oidc/index.ts'
import { failures } from './failures.ts'

export interface KeycloakApiOptions {
  /** Of the IdentityProvider, for messages. */
  readonly provider: string
  /** Without a slash at the end. */
  readonly baseUrl: string
  readonly realm: string
  readonly ca: string | undefined
  readonly timeoutMs: number
}

/** Reads from the administrator's API of a realm. `path` begins after the realm. Undefined: not found. */
export type KeycloakRead = (path: string, signal: AbortSignal) => Promise<unknown>

/** Verified TLS, no redirects and bounded answers, by the way out that tokens are asked for. */
export function keycloakApi(
  { provider, baseUrl, realm, ca, timeoutMs }: KeycloakApiOptions,
  tokens: TokenSource,
  { clock, egress }: Pick<TokenDeps, 'clock' | 'egress'>,
): KeycloakRead {
  const fetch = issuerFetches({ clock, egress, deadlineMs: timeoutMs })(ca)
  const ask = async (url: string, refresh: boolean, signal: AbortSignal) => {
    const { value } = await tokens.current({ refresh, signal })
    const headers = { accept: 'application/json', authorization: `Bearer ${value.reveal()}` }
    try {
      return await fetch(url, { method: 'GET', headers })
    } catch (error) {
      if (isFailure(error, 'EGRESS_DENIED')) throw error
      // Its message is made for people, and holds nothing that was sent.
      throw failures.GROUPS_UNREADABLE({ provider, detail: error instanceof Error ? error.message : 'no answer' })
    }
  }
  return async (path, signal) => {
    const url = `${baseUrl}/admin/realms/${encodeURIComponent(realm)}${path}`
    let answer = await ask(url, false, signal)
    if (answer.status === 401) answer = await ask(url, true, signal)
    if (answer.status === 404) return undefined
    if (answer.status !== 200) throw failures.GROUPS_UNREADABLE({ provider, detail: wordsOf(answer.status) })
    try {
      return await answer.json()
    } catch {
      throw failures.GROUPS_UNREADABLE({ provider, detail: 'its answer is not JSON' })
    }
  }
}

const wordsOf = (status: number): string =>
  status === 403
    ? 'it refuses (403): its service account needs the roles query-groups and view-users of realm-management'
    : `it answered with status ${status}`
