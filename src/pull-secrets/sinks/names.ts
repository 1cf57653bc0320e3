/** What a cluster's copy is called in a store, and how it is marked as ours. */
import { createHash } from 'node:crypto'

export interface NameRules {
  /** What a name must not hold. */
  illegal: RegExp
  maxLength: number
  /** The store takes `A` for `a`. */
  ignoresCase?: boolean
}

export const nameRules = {
  /** A DNS subdomain, without dots: between them more is forbidden. */
  kubernetes: { illegal: /[^a-z0-9-]/g, maxLength: 253, ignoresCase: true },
  aws: { illegal: /[^A-Za-z0-9/_+=.@-]/g, maxLength: 512 },
  google: { illegal: /[^A-Za-z0-9_-]/g, maxLength: 255 },
  azure: { illegal: /[^A-Za-z0-9-]/g, maxLength: 127, ignoresCase: true },
  vault: { illegal: /[^A-Za-z0-9._-]/g, maxLength: 253 },
  label: { illegal: /[^A-Za-z0-9_.-]/g, maxLength: 63 },
  /** Of Google Cloud: lower case, no dots. */
  googleLabel: { illegal: /[^a-z0-9_-]/g, maxLength: 63, ignoresCase: true },
} as const satisfies Record<string, NameRules>

const digestLength = 10

/** `hyperfleet-<cluster>-pull-secret`; where that is not legal, made so, with a digest that keeps two clusters apart. */
export function copyName(clusterId: string, rules: NameRules): string {
  const [before, after] = ['hyperfleet-', '-pull-secret']
  return `${before}${legal(clusterId, { ...rules, maxLength: rules.maxLength - before.length - after.length })}${after}`
}

/** `text` itself where the rules allow it. */
export function legal(text: string, { illegal, maxLength, ignoresCase = false }: NameRules): string {
  const plain = (ignoresCase ? text.toLowerCase() : text).replaceAll(illegal, '-')
  if (plain === text && plain.length <= maxLength) return plain
  const digest = createHash('sha256').update(text).digest('hex').slice(0, digestLength)
  return `${plain.slice(0, maxLength - digestLength - 1)}-${digest}`
}

/** As HyperFleet marks what belongs to a cluster. Its name is not among them: it is not known here. */
export const hyperfleetLabels = (clusterId: string, rules: NameRules): Record<string, string> => ({
  'managed-by': 'hyperfleet',
  adapter: 'pullsecret',
  'cluster-id': legal(clusterId, rules),
  'resource-type': 'pull-secret',
  'hyperfleet-version': 'v1',
})

/** What tells our copies from those of another installation, or of somebody who happens to use the same name. */
export const ownerMark = (instanceId: string, clusterId: string): string =>
  createHash('sha256')
    .update(JSON.stringify([instanceId, clusterId]))
    .digest('hex')
    .slice(0, 32)
