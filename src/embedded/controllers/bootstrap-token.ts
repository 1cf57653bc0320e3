import type { Secret } from 'kubernetes-types/core/v1.d.ts'

export const bootstrapTokenType = 'bootstrap.kubernetes.io/token'
export const tokenNamespace = 'kube-system'

const namePrefix = 'bootstrap-token-'

const fieldOf = ({ data = {} }: Secret, field: string): string => Buffer.from(data[field] ?? '', 'base64').toString()

const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/
const longAgo = 0

/** In milliseconds since 1970; undefined when it never ends. One whose end cannot be read has ended. */
export function expiryOf(token: Secret): number | undefined {
  const text = fieldOf(token, 'expiration')
  if (text === '') return undefined
  const at = rfc3339.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? longAgo : at
}

/** Id and secret of a token that is meant to vouch for what others read; undefined for any other. */
export function signingKeyOf(token: Secret): { id: string; secret: string } | undefined {
  const [id, secret] = [fieldOf(token, 'token-id'), fieldOf(token, 'token-secret')]
  const isWhole = id !== '' && secret !== '' && token.metadata?.name === `${namePrefix}${id}`
  return isWhole && fieldOf(token, 'usage-bootstrap-signing') === 'true' ? { id, secret } : undefined
}
