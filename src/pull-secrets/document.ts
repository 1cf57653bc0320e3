import { hash } from 'node:crypto'
import { Secret } from '../core/secret.ts'

/** The Docker configuration of a cluster: one entry a host, the hosts sorted, so that equal content is equal bytes. */
export interface Document {
  /** `{"auths":{"quay.io":{"auth":"…"}}}` */
  json: Secret
  /** SHA-256 of those bytes, in hex: tells whether anything changed without telling what. */
  hash: string
  hosts: readonly string[]
}

export interface Login {
  username: string
  token: Secret
}

/** What a client sends as basic authentication: it splits at the first colon, so a username must not have one. */
const authOf = ({ username, token }: Login): string => Buffer.from(`${username}:${token.reveal()}`).toString('base64')

/** @param logins by credential, each with the hosts that show it */
export function documentOf(logins: readonly (Login & { hosts: readonly string[] })[]): Document {
  const entries = logins.flatMap((login) => {
    const auth = authOf(login)
    return login.hosts.map((host) => [host, { auth }] as const)
  })
  entries.sort(([a], [b]) => (a < b ? -1 : 1))
  const json = JSON.stringify({ auths: Object.fromEntries(entries) })
  let hashed: string | undefined
  return {
    json: Secret.of(json),
    // Few ask for it, and it costs about as much as the rest.
    get hash() {
      hashed ??= hash('sha256', json)
      return hashed
    },
    hosts: entries.map(([host]) => host),
  }
}
