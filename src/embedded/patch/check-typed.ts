import type { Schema } from '../../core/schema/schema.ts'
import { isObject } from '../../core/schema/schema.ts'
import type { ApiObject } from '../objects.ts'
import { splitApiVersion } from '../objects.ts'
import { ApiFailure } from '../status.ts'
import { elementText, fieldElement } from './elements.ts'
import { goSyntax, goText } from './go-text.ts'
import { fieldSchema, isNamed, itemElement, Unkeyed } from './typed.ts'

/** Throws when what is applied does not fit the schema: then nobody can tell which fields it sets. */
export function checkTyped(schema: Schema, applied: ApiObject): void {
  const told = misfitOf(schema, applied)
  if (told === undefined) return
  const { namespace = '', name = '' } = applied.metadata ?? {}
  const { group, version } = splitApiVersion(applied.apiVersion)
  const object = `${textOf(namespace)}/${textOf(name)}; ${group}/${version}, Kind=${applied.kind}`
  throw new ApiFailure(500, '', `failed to create typed patch object (${object}): ${told}`)
}

/** Why an object does not fit a schema, in the real server's words. Undefined: it does. */
export function misfitOf(schema: Schema, object: ApiObject, mayRepeat = false): string | undefined {
  const found = new Found(mayRepeat)
  check(schema, object, '', found)
  const { problems } = found
  return problems.length > 1 ? `errors:\n${problems.map((problem) => `  ${problem}`).join('\n')}` : problems[0]
}

/** Once there are so many, the rest is not looked at: a megabyte of wrong items has everybody else wait. */
const mostTold = 100

class Found {
  readonly problems: string[] = []
  readonly #mayRepeat: boolean
  #repetitions = 0

  constructor(mayRepeat: boolean) {
    this.#mayRepeat = mayRepeat
  }

  /** Repetitions are not counted, so that something worse behind many of them is found all the same. */
  get isFull(): boolean {
    return this.problems.length - this.#repetitions >= mostTold
  }

  tell(problem: string): void {
    this.problems.push(problem)
  }

  tellRepetition(problem: () => string): void {
    if (this.#mayRepeat || this.#repetitions >= mostTold) return
    this.#repetitions += 1
    this.problems.push(problem())
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function check(schema: Schema | undefined, value: unknown, path: string, found: Found): void {
  if (value === null || value === undefined || isUntyped(schema)) return
  switch (schema?.type) {
    case 'array':
      if (Array.isArray(value)) checkItems(schema, value, path, found)
      else found.tell(`${path}: expected list, got &{${goText(value)}}`)
      return
    case 'object':
      if (isObject(value)) checkMap(schema, value, path, found)
      else found.tell(`${path}: expected map, got &{${goText(value)}}`)
      return
    case 'string':
      if (typeof value !== 'string')
        found.tell(`${path}: expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`)
      return
    case 'boolean':
      if (typeof value !== 'boolean') found.tell(`${path}: expected boolean, got &{${goText(value)}}`)
      return
    default:
      if (typeof value !== 'number') found.tell(`${path}: expected numeric (int or float), got ${typeName(value)}`)
  }
}

const isUntyped = (schema: Schema | undefined): boolean =>
  schema?.type === undefined || schema['x-kubernetes-int-or-string'] === true

function checkMap(schema: Schema, value: Record<string, unknown>, path: string, found: Found): void {
  for (const [name, child] of Object.entries(value)) {
    if (found.isFull) return
    const at = path + elementText(fieldElement(name))
    if (!isNamed(schema, name) && !isOpen(schema)) {
      found.tell(`${at}: field not declared in schema`)
      return
    }
    check(fieldSchema(schema, name), child, at, found)
  }
}

const isOpen = ({ properties, additionalProperties, ...schema }: Schema): boolean =>
  schema['x-kubernetes-preserve-unknown-fields'] === true ||
  (additionalProperties === undefined ? properties === undefined : additionalProperties !== false)

function checkItems(schema: Schema, list: readonly unknown[], path: string, found: Found): void {
  const isKeyed = ['map', 'set'].includes(schema['x-kubernetes-list-type'] ?? '')
  const seen = new Map<string, number>()
  for (const [i, item] of list.entries()) {
    if (found.isFull) return
    if (!isKeyed) {
      check(schema.items, item, `${path}[${i}]`, found)
      continue
    }
    try {
      const element = itemElement(schema, item)
      const times = (seen.get(element) ?? 0) + 1
      seen.set(element, times)
      if (times === 2) found.tellRepetition(() => `${path}: duplicate entries for key ${elementText(element)}`)
      check(schema.items, item, path + elementText(element), found)
    } catch (error) {
      if (!(error instanceof Unkeyed)) throw error
      found.tell(`${path}: element ${i}: ${error.message}`)
    }
  }
}

const typeName = (value: unknown): string => (Array.isArray(value) ? 'list' : isObject(value) ? 'map' : typeof value)
