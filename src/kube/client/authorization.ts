import type { Secret } from '../../core/secret.ts'
import { failures } from '../failures.ts'

/** A bearer token has no colon in its alphabet (RFC 6750), so what has one is `user:password`. */
export function authorizationHeader(secret: Secret, server: string): string {
  const value = secret.reveal()
  if (value.includes(':')) return `Basic ${Buffer.from(value).toString('base64')}`
  if (!/^[\x21-\x7e]+$/.test(value))
    throw failures.KUBE_NO_CREDENTIALS({ server, detail: 'the token is empty or holds spaces, line ends or characters outside ASCII' })
  return `Bearer ${value}`
}
