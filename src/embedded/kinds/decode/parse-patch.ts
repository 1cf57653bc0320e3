import { isObject } from '../../../core/schema/schema.ts'
import { badRequest } from '../../status.ts'
import { jsonTypeOf } from './go-types.ts'
import { readJson } from './read-json.ts'
import { readYaml } from './read-yaml.ts'
import { Unreadable } from './unreadable.ts'

export interface ParsedPatch<T> {
  readonly value: T
  readonly flaws: string[]
}

export function parseMergePatch(bytes: Buffer): ParsedPatch<Record<string, unknown>> {
  const { value, flaws } = decoding('error decoding patch: ', () => readJson(bytes))
  if (value === null) throw badRequest('Invalid JSON Patch')
  if (!isObject(value)) throw badRequest(`error decoding patch: ${cannotBe(value, 'map[string]interface {}')}`)
  return { value, flaws }
}

/** Null is an empty one. */
export function parseStrategicMergePatch(bytes: Buffer): ParsedPatch<Record<string, unknown>> {
  const { value, flaws } = decoding('', () => readJson(bytes))
  if (value === null) return { value: {}, flaws }
  if (!isObject(value)) throw badRequest(cannotBe(value, 'map[string]interface {}'))
  return { value, flaws }
}

/** Null is an empty one. */
export function parseJsonPatch(bytes: Buffer): ParsedPatch<unknown[]> {
  const { value, flaws } = decoding('error decoding patch: ', () => readJson(bytes))
  if (value === null) return { value: [], flaws }
  if (!Array.isArray(value)) throw badRequest(`error decoding patch: ${cannotBe(value, '[]handlers.jsonPatchOp')}`)
  return { value, flaws: flaws.map((flaw) => `json patch ${flaw}`) }
}

/** The body of a server-side apply: YAML, which JSON is, too. */
export function parseApplyPatch(bytes: Buffer): ParsedPatch<Record<string, unknown>> {
  const { value, flaws } = decoding('error decoding YAML: error converting YAML to JSON: ', () => readYaml(bytes))
  const why = 'error decoding YAML: error unmarshaling JSON: while decoding JSON: '
  if (!isObject(value)) throw badRequest(`${why}${cannotBe(value, 'map[string]interface {}')}`)
  return { value, flaws }
}

const cannotBe = (value: unknown, goType: string): string =>
  `json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type ${goType}`

function decoding<T>(prefix: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof Unreadable) throw badRequest(`${prefix}${error.message}`)
    throw error
  }
}
