/**
 * Which fields of which types have which numbers in protobuf, in Kubernetes v1.36.3 (Apache-2.0): facts/messages.json is
 * what tools/kubernetes-facts/protobuf.ts wrote down from the sources of its Go modules, and is never edited by hand.
 */
import file from './facts/messages.json' with { type: 'json' }
import { specialTypes } from './special-types.ts'

/** `json` is JSON in bytes. */
export type Scalar = 'bool' | 'bytes' | 'double' | 'int32' | 'int64' | 'json' | 'string'

export interface Field {
  /** As JSON has it. */
  readonly name: string
  readonly shape: 'inline' | 'list' | 'map' | 'one'
  /** Of it, or of what is in the list or the map. */
  readonly type: Message | Scalar
  /** Whether JSON shows it although it is zero. */
  readonly isKept: boolean
}

export interface Message {
  /** Short, as Go has it. */
  readonly name: string
  /** By their numbers. */
  readonly fields: readonly (Field | undefined)[]
  /** For what JSON shows in another way than as an object of these fields. Undefined is null there. */
  readonly toJson: ((fields: Readonly<Record<string, unknown>>) => unknown) | undefined
}

type FieldFacts = readonly [number: number, name: string, type: string, manner?: string]

const kinds: Readonly<Record<string, string>> = file.kinds
const facts = file.messages as unknown as Readonly<Record<string, readonly FieldFacts[] | string>>
const messages = new Map<string, Message>()

/** Undefined for what is no built-in kind that is served. */
export function messageOf(apiVersion: string, kind: string): Message | undefined {
  const key = `${apiVersion}/${kind}`
  return Object.hasOwn(kinds, key) ? message(`${kinds[key]}`) : undefined
}

/** Made on first use; the same object every time, since some refer to themselves. */
function message(fullName: string): Message {
  const known = messages.get(fullName)
  if (known) return known
  const found = facts[fullName]
  if (!found) throw new Error(`there are no facts about the message ${fullName}`)
  const fields: (Field | undefined)[] = []
  const name = fullName.slice(fullName.lastIndexOf('.') + 1)
  const isList = typeof found === 'string'
  const made: Message = { name, fields, toJson: isList ? itemsOf : specialTypes[name] }
  messages.set(fullName, made)
  for (const [number, ...rest] of isList ? [[1, 'items', found] as const] : found) fields[number] = field(...rest)
  return made
}

const itemsOf = ({ items }: Readonly<Record<string, unknown>>): unknown => items ?? []

function field(name: string, type: string, manner?: string): Field {
  const [, prefix, element = ''] = /^(\[\]|map\[string\])?(.+)$/.exec(type) ?? []
  const shape = manner === 'inline' ? 'inline' : prefix === '[]' ? 'list' : prefix ? 'map' : 'one'
  const isMessage = element.includes('.')
  return {
    name,
    shape,
    type: isMessage ? message(element) : (element as Scalar),
    isKept: isMessage || manner === 'kept',
  }
}
