import { Secret } from '../../core/secret.ts'
import type { TokenClaims } from '../account-token.ts'

const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')
const seconds = (date: Date) => Math.floor(date.getTime() / 1_000)
let count = 0

/** A token as an API server writes it, with a signature that nobody checks. Each is another one. */
export function aToken({ namespace, account, uid, issuedAt, expiresAt }: TokenClaims): Secret {
  count += 1
  const payload = {
    iat: seconds(issuedAt),
    exp: seconds(expiresAt),
    jti: `${count}`,
    'kubernetes.io': { namespace, serviceaccount: { name: account, uid } },
  }
  return Secret.of(`${encode({ alg: 'RS256' })}.${encode(payload)}.signature${count}`)
}
