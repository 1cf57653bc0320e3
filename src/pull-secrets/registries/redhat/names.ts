import { createHash } from 'node:crypto'

export const longestName = 49
const suffixLength = '-g000'.length
const hashLength = 12
const prefix = 'hyp-cls-'

/** What may stand in a path. */
export const nameRule = /^(?=.{1,255}$)[A-Za-z0-9][A-Za-z0-9._-]*$/

export interface RedhatNameParts {
  /** The cluster's id, or its external one. Never read back from the name. */
  id: string
  /** From 0. Each has an account of its own: the one before keeps its name while both are valid. */
  generation: number
  /** Default 49. */
  longest?: number
}

/** The name of a cluster's service account, the same at every call; undefined when these parts make no legal one. */
export function serviceAccountName({ id, generation, longest = longestName }: RedhatNameParts): string | undefined {
  const plain = `${prefix}${id}`
  const room = longest - suffixLength
  const base = plain.length <= room ? plain : hashed(id, room)
  const suffix = generation === 0 ? '' : `-g${generation.toString(36).padStart(3, '0')}`
  const name = generation === 0 && plain.length <= longest ? plain : `${base}${suffix}`
  return suffix.length <= suffixLength && name.length <= longest && nameRule.test(name) && id !== '' ? name : undefined
}

function hashed(id: string, room: number): string {
  const hash = createHash('sha256').update(id).digest('hex').slice(0, hashLength)
  return `${prefix}${id.slice(0, Math.max(0, room - prefix.length - 1 - hashLength))}-${hash}`
}

export const pooledName = (uuid: string): string => `hyp-pool-${uuid}`

/** The name in a username: `|name`, or `12345678|name`. Undefined without a pipe. */
export function nameIn(username: string): string | undefined {
  const pipe = username.indexOf('|')
  return pipe === -1 ? undefined : username.slice(pipe + 1)
}
