import { createHash, randomUUID } from 'node:crypto'
import { failures } from '../failures.ts'
import type { NameRequest } from './registry.ts'

/** Legal as the name of a robot at Harbor and of a user at Nexus; nobody else's account is called like that. */
const rule = /^hyp-(?:cls|pool)-[a-z0-9]+(?:[._-][a-z0-9]+)*$/
const plainId = /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/
const generationEnd = /-g[0-9a-z]{3,}$/
const longestStored = 255
const hashLength = 12
const generationLength = '-g000'.length

export const isDerivedName = (name: string): boolean => name.length <= longestStored && rule.test(name)

export interface DerivedNames {
  registry: string
  /** Of the longest name, generation included. */
  longest: number
}

/**
 * `hyp-cls-<cluster>` and from the second generation on `-g001`, `-g002`…; `hyp-pool-<uuid>` for the pool. An id that is
 * too long or not legal is shortened and made distinct by a hash of the whole. Stable: the same request, the same name.
 */
export function derivedName({ cluster, generation }: NameRequest, { registry, longest }: DerivedNames): string {
  const base = cluster ? baseOf(cluster.id, longest - generationLength) : `hyp-pool-${randomUUID()}`
  const name = `${base}${suffixOf(generation)}`
  // What fits only without a generation could never be rotated.
  if (Math.max(base.length + generationLength, name.length) > longest || !isDerivedName(name))
    throw failures.PULL_NAME_IMPOSSIBLE({ registry, field: 'cluster_id', detail: `${longest} characters are too few` })
  return name
}

const suffixOf = (generation: number): string =>
  generation === 0 ? '' : `-g${generation.toString(36).padStart(3, '0')}`

function baseOf(id: string, longest: number): string {
  const plain = `hyp-cls-${id}`
  // An id that ends like a generation would share its name with a later generation of another cluster.
  if (plain.length <= longest && plainId.test(id) && !generationEnd.test(id)) return plain
  const hash = createHash('sha256').update(id).digest('hex').slice(0, hashLength)
  const room = Math.max(0, longest - 'hyp-cls-'.length - hashLength - 1)
  const readable = id
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, room)
    .replaceAll(/^-+|-+$/g, '')
  return ['hyp-cls', readable, hash].filter((part) => part !== '').join('-')
}
