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
  const problems = check(schema, object, '').filter((problem) => !mayRepeat || !repetition.test(problem))
  return problems.length > 1 ? `errors:\n${problems.map((problem) => `  ${problem}`).join('\n')}` : problems[0]
}

const repetition = /: duplicate entries for key \[[^\n]*\]$/

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

type Problems = readonly string[]
const none: Problems = []

function check(schema: Schema | undefined, value: unknown, path: string): Problems {
  if (value === null || value === undefined || isUntyped(schema)) return none
  switch (schema?.type) {
    case 'array':
      return Array.isArray(value)
        ? checkItems(schema, value, path)
        : [`${path}: expected list, got &{${goText(value)}}`]
    case 'object':
      return isObject(value) ? checkMap(schema, value, path) : [`${path}: expected map, got &{${goText(value)}}`]
    case 'string':
      if (typeof value === 'string') return none
      return [`${path}: expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`]
    case 'boolean':
      return typeof value === 'boolean' ? none : [`${path}: expected boolean, got &{${goText(value)}}`]
    default:
      return typeof value === 'number' ? none : [`${path}: expected numeric (int or float), got ${typeName(value)}`]
  }
}

const isUntyped = (schema: Schema | undefined): boolean =>
  schema?.type === undefined || schema['x-kubernetes-int-or-string'] === true

function checkMap(schema: Schema, value: Record<string, unknown>, path: string): Problems {
  const problems: string[] = []
  for (const [name, child] of Object.entries(value)) {
    const at = path + elementText(fieldElement(name))
    if (!isNamed(schema, name) && !isOpen(schema)) return [...problems, `${at}: field not declared in schema`]
    for (const problem of check(fieldSchema(schema, name), child, at)) problems.push(problem)
    if (countOf(problems) > mostTold) break
  }
  return problems
}

const isOpen = ({ properties, additionalProperties, ...schema }: Schema): boolean =>
  schema['x-kubernetes-preserve-unknown-fields'] === true ||
  (additionalProperties === undefined ? properties === undefined : additionalProperties !== false)

function checkItems(schema: Schema, list: readonly unknown[], path: string): Problems {
  if (!['map', 'set'].includes(schema['x-kubernetes-list-type'] ?? '')) return checkAtomicItems(schema, list, path)
  const problems: string[] = []
  const seen = new Map<string, number>()
  for (const [i, item] of list.entries()) {
    try {
      const element = itemElement(schema, item)
      const times = (seen.get(element) ?? 0) + 1
      seen.set(element, times)
      if (times === 2) problems.push(`${path}: duplicate entries for key ${elementText(element)}`)
      for (const problem of check(schema.items, item, path + elementText(element))) problems.push(problem)
    } catch (error) {
      if (!(error instanceof Unkeyed)) throw error
      problems.push(`${path}: element ${i}: ${error.message}`)
    }
    if (countOf(problems) > mostTold) break
  }
  return problems
}

function checkAtomicItems(schema: Schema, list: readonly unknown[], path: string): Problems {
  const problems: string[] = []
  for (const [i, item] of list.entries()) {
    for (const problem of check(schema.items, item, `${path}[${i}]`)) problems.push(problem)
    if (countOf(problems) > mostTold) break
  }
  return problems
}

/** Of more, the rest is not looked at. Repetitions are told apart, since they may be no problem at all. */
const mostTold = 100

const countOf = (problems: Problems): number =>
  problems.length <= mostTold ? problems.length : problems.filter((problem) => !repetition.test(problem)).length

const typeName = (value: unknown): string => (Array.isArray(value) ? 'list' : isObject(value) ? 'map' : typeof value)
