import { isObject } from '../../core/schema/schema.ts'
import { syntaxError } from '../kinds/decode/json-syntax.ts'
import { badRequest } from '../status.ts'

/** Where a list goes on. */
export interface Continuation {
  /** The key of the last object that was told. */
  readonly after: string
  /** Of the first page; `inconsistent` for the state of now. */
  readonly revision: number
}

export const inconsistent = -1

const version = 'meta.k8s.io/v1'

/** The form of Kubernetes: clients take it for opaque, people look into it. */
export const writeToken = ({ after, revision }: Continuation): string =>
  Buffer.from(JSON.stringify({ v: version, rv: revision, start: `${after}\0` })).toString('base64url')

export function readToken(token: string): Continuation {
  const { v = '', rv = 0, start = '' } = fieldsOf(token)
  if (v !== version) throw notValid(`server does not recognize this encoded version ${v}`)
  if (typeof rv !== 'number' || !Number.isInteger(rv) || rv === 0)
    throw notValid(`incorrect encoded start resourceVersion (version ${version})`)
  if (typeof start !== 'string' || start === '') throw notValid(`encoded start key empty (version ${version})`)
  if (!start.endsWith('\0')) throw notValid('it is not what a list has answered')
  return { after: start.slice(0, -1), revision: Math.max(rv, inconsistent) }
}

function fieldsOf(token: string): Record<string, unknown> {
  const illegalAt = firstIllegal(token)
  if (illegalAt !== undefined) throw notValid(`illegal base64 data at input byte ${illegalAt}`)
  const bytes = Buffer.from(token, 'base64url')
  const flaw = syntaxError(bytes)
  if (flaw) throw notValid(flaw)
  const read: unknown = JSON.parse(bytes.toString())
  if (read !== null && !isObject(read)) throw notValid('it is not what a list has answered')
  return read ?? {}
}

/** In base64 for addresses, without padding: a lonely character at the end says nothing. */
function firstIllegal(token: string): number | undefined {
  const at = token.search(/[^-_A-Za-z0-9]/)
  if (at >= 0) return Buffer.byteLength(token.slice(0, at))
  return token.length % 4 === 1 ? token.length - 1 : undefined
}

const notValid = (why: string) => badRequest(`invalid continue token: continue key is not valid: ${why}`)
