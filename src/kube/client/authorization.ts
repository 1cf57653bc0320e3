import type { Credentials } from '../connection.ts'
import { failures } from '../failures.ts'

/** Undefined: anonymous, or known by its certificate. */
export function authorizationHeader(
  { authorization, scheme = 'Bearer' }: Credentials,
  server: string,
): string | undefined {
  if (!authorization) return undefined
  const value = authorization.reveal()
  if (scheme === 'Basic') return `Basic ${Buffer.from(value).toString('base64')}`
  if (!/^[\x21-\x7e]+$/.test(value))
    throw failures.KUBE_NO_CREDENTIALS({
      server,
      detail: 'the token is empty or holds spaces, line ends or characters outside ASCII',
    })
  return `Bearer ${value}`
}
