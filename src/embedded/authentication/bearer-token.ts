import { createHash } from 'node:crypto'
import { inspect } from 'node:util'
import { hidden } from '../../core/secret.ts'

/** A signed token taken apart. Nothing of it is to be believed before the signature is checked. */
export interface Jwt {
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
  /** What is signed. */
  readonly signed: string
  readonly signature: Buffer
}

/** A token as it came with a request. Prints as ***; caches know it by its digest. */
export class BearerToken {
  readonly #text: string
  #digest: string | undefined
  #jwt: Jwt | null | undefined

  constructor(text: string) {
    this.#text = text
  }

  reveal(): string {
    return this.#text
  }

  get digest(): string {
    this.#digest ??= createHash('sha256').update(this.#text).digest('base64')
    return this.#digest
  }

  /** Undefined when it does not have the form of one. */
  get jwt(): Jwt | undefined {
    if (this.#jwt === undefined) this.#jwt = parseJwt(this.#text) ?? null
    return this.#jwt ?? undefined
  }

  toString(): string {
    return hidden
  }

  toJSON(): string {
    return hidden
  }

  [inspect.custom](): string {
    return hidden
  }
}

/**
 * The token of an Authorization header; undefined where there is none to be judged: no header, another scheme, or a
 * space too many before it.
 */
export function bearerTokenOf(authorization: string | undefined): BearerToken | undefined {
  if (!authorization) return undefined
  const [scheme = '', text = ''] = authorization.trim().split(' ', 2)
  return text !== '' && scheme.toLowerCase() === 'bearer' ? new BearerToken(text) : undefined
}

const base64url = /^[A-Za-z0-9_-]+$/

function parseJwt(text: string): Jwt | undefined {
  const [head = '', body = '', signature = '', ...more] = text.split('.')
  if (more.length > 0 || ![head, body, signature].every((part) => base64url.test(part))) return undefined
  const [header, claims] = [parseObject(head), parseObject(body)]
  if (!header || !claims) return undefined
  return { header, claims, signed: `${head}.${body}`, signature: Buffer.from(signature, 'base64url') }
}

function parseObject(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
