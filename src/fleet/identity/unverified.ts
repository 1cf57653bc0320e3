import { isObject } from '../../core/schema/schema.ts'

/** What a JWT says of itself before anybody has checked it: good for choosing who checks, for nothing else. */
export function unverifiedClaims(token: string): Readonly<Record<string, unknown>> | undefined {
  const [, payload, signature, ...more] = token.split('.')
  if (!payload || signature === undefined || more.length > 0) return undefined
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return isObject(claims) ? claims : undefined
  } catch {
    return undefined
  }
}
