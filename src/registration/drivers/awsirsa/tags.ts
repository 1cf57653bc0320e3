import { ownDomain } from '../../../core/own-domain.ts'
import type { Wrong } from './names.ts'
import { quoted } from './names.ts'

export type Tags = Readonly<Record<string, string>>

const ownPrefix = `${ownDomain}/`

/** By which a role or an access entry is known to be ours. */
export const ownTags = {
  /** The ARN of the hub's EKS cluster. */
  hubCluster: `${ownPrefix}hub-cluster`,
  /** The name of the ManagedCluster. */
  managedCluster: `${ownPrefix}managed-cluster`,
  managedClusterUid: `${ownPrefix}managed-cluster-uid`,
} as const

const longestKey = 128
const longestValue = 256
/** Of one resource. Some of them are ours. */
const mostTags = 50
const mostGiven = mostTags - Object.keys(ownTags).length

const allowed = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u

/** `k=v`, each with exactly one `=`, as IAM and EKS both take them. The first that one of them would refuse is told. */
export function parseTags(given: readonly string[]): { readonly tags: Tags } | Wrong {
  const tags = new Map<string, string>()
  const keys = new Set<string>()
  for (const text of given) {
    const [key = '', value, ...rest] = text.split('=')
    const why = value === undefined || rest.length > 0 ? 'does not have exactly one =' : whyNot(key, value, keys)
    if (why !== undefined) return { wrong: `the tag ${quoted(text)} ${why}; write it as key=value` }
    tags.set(key, value ?? '')
    keys.add(key.toLowerCase())
  }
  if (tags.size > mostGiven)
    return {
      wrong: `${tags.size} tags are given, and AWS leaves room for ${mostGiven} besides our own; leave some out`,
    }
  return { tags: Object.fromEntries(tags) }
}

function whyNot(key: string, value: string, others: ReadonlySet<string>): string | undefined {
  if (key === '') return 'has no key'
  if (key.length > longestKey) return `has a key of ${key.length} characters, and AWS allows ${longestKey}`
  if (value.length > longestValue) return `has a value of ${value.length} characters, and AWS allows ${longestValue}`
  if (!allowed.test(key) || !allowed.test(value))
    return 'has characters other than letters, digits, spaces and _ . : / + - @, which AWS does not allow'
  if (key.toLowerCase().startsWith('aws:')) return 'begins with aws:, which AWS keeps for itself'
  if (key.toLowerCase().startsWith(ownPrefix)) return `begins with ${ownPrefix}, by which Lanyard knows what is its own`
  if (others.has(key.toLowerCase()))
    return 'has a key that is there twice; IAM does not tell capitals from small letters'
  return undefined
}
