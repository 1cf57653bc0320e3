import type { Notes } from './verdict.ts'

/** Who asks. Groups already hold `system:authenticated` or `system:unauthenticated`. */
export interface User {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** What a request brings to show who it comes from. */
export interface Presented {
  /** The client's certificate as DER, when the handshake brought one. Not verified yet. */
  readonly certificate?: Buffer | undefined
  /** The value of the Authorization header. */
  readonly authorization?: string | undefined
  /** Of its client, as far as that is known. */
  readonly address?: string | undefined
  /** A token offered in place of the header when a browser opens a WebSocket is not served. */
}

export interface Authenticator {
  /**
   * Who it is, the anonymous user included; throws 401 when credentials were presented and none of them is good, or
   * when anonymous is off. `note` is told what else there is to say of good ones.
   */
  authenticate(presented: Presented, path: string, note?: (notes: Notes) => void): Promise<User>
}

export const system = {
  masters: 'system:masters',
  authenticated: 'system:authenticated',
  unauthenticated: 'system:unauthenticated',
  anonymous: 'system:anonymous',
} as const

export const serviceAccountName = (namespace: string, name: string): string =>
  `system:serviceaccount:${namespace}:${name}`

export const serviceAccountGroups = (namespace: string): string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
]

/** As whom the control plane's own controllers act. */
export const loopbackUser: User = {
  name: 'system:apiserver',
  groups: [system.authenticated, system.masters],
}
