import { KubeFailure } from '../../src/kube/failures.ts'
import type { Kube } from '../../src/kube/kube.ts'
import { groupPath } from './served.ts'

interface Written {
  $ref?: string
  type?: string
  format?: string
  properties?: Record<string, Written>
  items?: Written
  additionalProperties?: Written
}

interface Kind {
  group: string
  version: string
  name: string
  kind: string
  namespaced: boolean
}

/** How to come to a definition: from which kind, by which fields. */
interface Way {
  kind: Kind
  /** Puts a value into an object of that kind, where the definition stands. */
  around(value: unknown): unknown
  /** As messages write it. */
  fields(): string[]
}

const complaint = /json: cannot unmarshal number into Go struct field \w+\.(\S+) of type (\S+)$/

/**
 * Names of Go types that messages about wrong values tell and OpenAPI does not, by `definition.field`: a number is sent
 * for each field that is text, a list or a map, and the refusal is read. `embedded` are the structs that Go has between
 * a field and the definition that OpenAPI shows it in.
 */
export async function goTypes(
  kube: Kube,
  kinds: readonly Kind[],
  file: { kinds: Record<string, string>; definitions: Record<string, unknown> },
) {
  const definitions = file.definitions as Record<string, Written>
  const types: Record<string, string> = {}
  const embedded: Record<string, string> = {}
  for (const [name, way] of waysTo(kinds, file.kinds, definitions, embedded)) {
    for (const [field, schema] of Object.entries(definitions[name]?.properties ?? {})) {
      if (field === 'apiVersion' || field === 'kind') continue
      const told = await refusalOf(kube, way, field)
      const [, path = '', type = ''] = complaint.exec(told) ?? []
      const between = path.split('.').slice(way.fields().length, -1)
      if (between.length > 0) embedded[`${name}.${field}`] = between.join('.')
      if (type !== '' && isUntold(schema) && type !== plainType(schema)) types[`${name}.${field}`] = type
    }
  }
  return { types: sorted(types), embedded: sorted(embedded) }
}

/** Only what refers to no definition has a name that cannot be known otherwise. */
const isUntold = ({ $ref }: Written): boolean => $ref === undefined

function plainType({ type, format, items, additionalProperties, $ref }: Written): string {
  if ($ref) return $ref.split('.').slice(-2).join('.')
  if (type === 'array') return `[]${plainType(items ?? {})}`
  if (type === 'object') return `map[string]${plainType(additionalProperties ?? {})}`
  if (type === 'string') return format === 'byte' ? '[]uint8' : 'string'
  return type === 'boolean' ? 'bool' : (format ?? 'float64')
}

async function refusalOf(kube: Kube, { kind, around }: Way, field: string): Promise<string> {
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`
  const path = `${groupPath(apiVersion)}/${kind.namespaced ? 'namespaces/default/' : ''}${kind.name}`
  try {
    const body = around({ [field]: 1 })
    await kube.request({ method: 'POST', path, query: { dryRun: 'All' }, body })
    return ''
  } catch (error) {
    if (error instanceof KubeFailure) return error.message
    throw error
  }
}

/** One way to each definition that a created object can hold, the shortest first. */
function waysTo(
  kinds: readonly Kind[],
  names: Record<string, string>,
  definitions: Record<string, Written>,
  embedded: Readonly<Record<string, string>>,
): Map<string, Way> {
  const ways = new Map<string, Way>()
  const waiting: [name: string, way: Way][] = kinds.map((kind) => {
    const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`
    return [names[`${apiVersion}/${kind.kind}`] as string, { kind, around: (value) => value, fields: () => [] }]
  })
  for (const [name, way] of waiting) {
    if (ways.has(name)) continue
    ways.set(name, way)
    for (const [field, schema] of Object.entries(definitions[name]?.properties ?? {})) {
      const below = reference(schema)
      if (below)
        waiting.push([
          below.name,
          {
            kind: way.kind,
            around: (value) => way.around({ [field]: below.around(value) }),
            // What lies between is known by then: the definition above is asked about first.
            fields: () => [...way.fields(), ...(embedded[`${name}.${field}`]?.split('.') ?? []), field],
          },
        ])
    }
  }
  return ways
}

function reference({ $ref, items, additionalProperties }: Written) {
  if ($ref) return { name: $ref, around: (value: unknown) => value }
  if (items?.$ref) return { name: items.$ref, around: (value: unknown) => [value] }
  if (additionalProperties?.$ref)
    return { name: additionalProperties.$ref, around: (value: unknown) => ({ key: value }) }
  return undefined
}

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
