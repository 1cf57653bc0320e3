export interface BasicCredentials {
  username: string
  password: string
}

/** Of an `Authorization` header; undefined when it holds none. */
export function basicOf(authorization: string | undefined): BasicCredentials | undefined {
  const [scheme, encoded = ''] = (authorization ?? '').split(' ')
  if (scheme?.toLowerCase() !== 'basic') return undefined
  const text = Buffer.from(encoded, 'base64').toString()
  const at = text.indexOf(':')
  return at > 0 ? { username: text.slice(0, at), password: text.slice(at + 1) } : undefined
}
