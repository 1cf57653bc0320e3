import type { Package, ProtoField } from './protobuf-sources.ts'

/** Of schemas.json, where the names of fields are checked against. */
export interface SchemaFile {
  readonly kinds: Readonly<Record<string, string>>
  readonly definitions: Readonly<Record<string, { properties?: Readonly<Record<string, unknown>> }>>
}

/**
 * `kept`: JSON has it although it is zero. `inline`: what is in it stands in the object around it.
 */
export type FieldFacts = [number: number, name: string, type: string, manner?: 'inline' | 'kept']

/** Types whose JSON is written by hand in Go, so that the names in their messages are nobody's. */
const special = [
  'IntOrString',
  'JSONSchemaPropsOrArray',
  'JSONSchemaPropsOrBool',
  'JSONSchemaPropsOrStringArray',
  'MicroTime',
  'Quantity',
  'Time',
]
/** The same, with JSON in their bytes. */
const jsonHolders = ['FieldsV1', 'JSON']
const identity = ['apiVersion', 'kind']

/** The messages that the kinds of `file` need. A message that is a string is only a wrapper around that type. */
export function messages(packageOf: (name: string) => Package, file: SchemaFile) {
  const found = new Map<string, FieldFacts[] | string>()
  const waiting = Object.values(file.kinds)
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue
    const facts = message(packageOf, name)
    found.set(name, facts)
    const types = typeof facts === 'string' ? [facts] : facts.map(([, , type]) => type)
    waiting.push(...types.map(elementOf).filter((type) => type.includes('.')))
  }
  for (const [name, { properties }] of Object.entries(file.definitions)) {
    const facts = found.get(name)
    if (facts && typeof facts !== 'string' && properties) compare(name, namesOf(found, facts), properties)
  }
  return { kinds: file.kinds, messages: Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1))) }
}

const elementOf = (type: string): string => type.replace(/^\[\]|^map\[string\]/, '')

function message(packageOf: (name: string) => Package, full: string): FieldFacts[] | string {
  const at = full.lastIndexOf('.')
  const name = full.slice(at + 1)
  const { messages, fields, lists } = packageOf(full.slice(0, at))
  const written = messages.get(name)
  if (!written) throw new Error(`there is no message ${full}`)
  if (lists.has(name)) return `${written[0]?.type}`
  return [...written].sort((a, b) => a.number - b.number).map((field) => factsOf(name, field, fields))
}

function factsOf(message: string, { number, name, type }: ProtoField, fields: Package['fields']): FieldFacts {
  if (jsonHolders.includes(message)) return [number, name, 'json', 'kept']
  if (special.includes(message)) return isScalar(type) ? [number, name, type, 'kept'] : [number, name, type]
  const go = fields.get(`${message}.${number}`)
  if (!go) throw new Error(`the struct ${message} has no field with the number ${number}`)
  if (go.jsonName === '') return [number, name, type, 'inline']
  return go.isOmittedWhenZero || !isScalar(type) ? [number, go.jsonName, type] : [number, go.jsonName, type, 'kept']
}

const isScalar = (type: string): boolean => !type.includes('.') && elementOf(type) === type

function namesOf(found: ReadonlyMap<string, FieldFacts[] | string>, facts: readonly FieldFacts[]): string[] {
  return facts.flatMap(([, name, type, manner]) => {
    const inner = found.get(type)
    return manner === 'inline' && typeof inner === 'object' ? namesOf(found, inner) : [name]
  })
}

function compare(message: string, names: readonly string[], properties: Readonly<Record<string, unknown>>): void {
  const unknown = names.filter((name) => !Object.hasOwn(properties, name))
  const missing = Object.keys(properties).filter((name) => !names.includes(name) && !identity.includes(name))
  if (unknown.length > 0 || missing.length > 0)
    throw new Error(`${message} and its schema differ in ${[...unknown, ...missing].join(', ')}`)
}
