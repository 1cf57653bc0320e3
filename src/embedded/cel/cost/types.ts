import type { Declared } from './declared.ts'

/** Types as CEL's checker has them in Go; those of the library in use are coarser. */
export interface CelType {
  readonly kind: string
  readonly parameters?: readonly CelType[]
  /** Of an object that a schema declares. */
  readonly fields?: ReadonlyMap<string, Declared>
}

const simple = (kind: string): CelType => ({ kind })

export const dyn = simple('dyn')
export const bool = simple('bool')
export const int = simple('int')
export const text = simple('string')

export const listOf = (item: CelType): CelType => ({ kind: 'list', parameters: [item] })
export const mapOf = (key: CelType, value: CelType): CelType => ({ kind: 'map', parameters: [key, value] })
export const optionalOf = (held: CelType): CelType => ({ kind: 'optional', parameters: [held] })

export const parameter = (type: CelType, index = 0): CelType => type.parameters?.[index] ?? dyn

export function typeOfDeclared(declared: Declared): CelType {
  const item = declared.item ? typeOfDeclared(declared.item) : dyn
  if (declared.type === 'list') return listOf(item)
  if (declared.type === 'map') return mapOf(text, item)
  return declared.fields ? { kind: 'object', fields: declared.fields } : simple(declared.type)
}

/** A type by the name that the library in use has for it: `list<string>`. */
export function typeNamed(name: string): CelType {
  const [, outer = name, inner = ''] = /^(\w+)<(.*)>$/.exec(name) ?? []
  if (outer === name && !name.includes('<')) return bare(name)
  const parts = split(inner).map(typeNamed)
  if (outer === 'list') return listOf(parts[0] ?? dyn)
  if (outer === 'map') return mapOf(parts[0] ?? dyn, parts[1] ?? dyn)
  return outer === 'optional' ? optionalOf(parts[0] ?? dyn) : dyn
}

function bare(name: string): CelType {
  if (name === 'list') return listOf(dyn)
  if (name === 'map') return mapOf(dyn, dyn)
  if (name === 'optional') return optionalOf(dyn)
  if (name === 'google.protobuf.Timestamp') return simple('timestamp')
  if (name === 'google.protobuf.Duration') return simple('duration')
  return name === '' || /^[A-Z]$/.test(name) ? dyn : simple(name)
}

/** At the commas that are not inside of brackets. */
function split(parts: string): string[] {
  const found: string[] = []
  let [depth, start] = [0, 0]
  for (const [index, character] of [...parts].entries()) {
    if (character === '<') depth++
    else if (character === '>') depth--
    else if (character === ',' && depth === 0) {
      found.push(parts.slice(start, index).trim())
      start = index + 1
    }
  }
  return [...found, parts.slice(start).trim()]
}

const scalars: ReadonlySet<string> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint'])

/** Values of which all have the same size. */
export const isScalar = ({ kind, parameters }: CelType): boolean =>
  scalars.has(kind) || (kind === 'optional' && parameters?.[0] !== undefined && isScalar(parameters[0]))

export const sameType = (a: CelType, b: CelType): boolean =>
  a.kind === b.kind &&
  a.fields === b.fields &&
  (a.parameters?.length ?? 0) === (b.parameters?.length ?? 0) &&
  (a.parameters ?? []).every((part, index) => sameType(part, parameter(b, index)))
