import type { TObject, TSchema } from 'typebox'
import type { Failure } from '../failure.ts'
import { failures } from '../failures.ts'
import type { Problem } from '../schema/check.ts'
import { problemsOf } from '../schema/check.ts'
import { withDefaults } from '../schema/defaults.ts'
import type { Path } from '../schema/schema.ts'
import { isObject, pathText } from '../schema/schema.ts'
import { structural } from '../schema/structural.ts'
import { hidden } from '../secret.ts'
import { fromText } from './from-text.ts'
import type { ConfigSchema, Setting } from './settings.ts'
import { isSecret, isSection, settingsOf, wordsOf } from './settings.ts'
import { closest, problemWords } from './words.ts'

export interface ConfigFile {
  path: string
  root: unknown
  /** The line where the value at this key starts. */
  lineOf(key: readonly string[]): number | undefined
}

export interface ConfigInput {
  /** By the path of the setting or the key of its option; undefined where the flag was not given. */
  flags?: Readonly<Record<string, unknown>>
  /** An empty variable counts as not set. */
  env?: Readonly<Record<string, string | undefined>>
  file?: ConfigFile
  /** Sections of the file that belong to other roles and are theirs to check. */
  otherSections?: readonly string[]
}

/** A secret that is still to be read, from the file that was named for it. */
export interface SecretReference {
  path: string[]
  file: string
  setting: string
  origin: string
}

export interface Resolved {
  /** Complete but for its secrets. */
  config: Record<string, unknown>
  secrets: SecretReference[]
  /** Variables that begin like ours and mean nothing: probably typos. Names only. */
  unknownVariables: string[]
}

interface Found {
  path: string[]
  value: unknown
  origin: string
}

/** Flags over environment over file over defaults. Pure. Throws a failure that names each field and where it came from. */
export function resolveConfig(schema: ConfigSchema, input: ConfigInput): Resolved {
  const settings = settingsOf(schema)
  const mistakes: Failure[] = []
  const found = new Map<string, Found>()
  const take = (one: Found) => found.set(one.path.join('.'), one)
  if (input.file) readFile(schema, input.file, input.otherSections ?? [], mistakes).forEach(take)
  readEnvironment(settings, input.env ?? {}, mistakes).forEach(take)
  readFlags(settings, input.flags ?? {}, mistakes).forEach(take)

  const [secrets, values] = [[] as SecretReference[], [] as Found[]]
  const secretSettings = new Set(settings.filter(({ secret }) => secret).map(({ path }) => path))
  for (const one of found.values()) {
    if (!secretSettings.has(one.path.join('.'))) values.push(one)
    else if (typeof one.value !== 'string' || one.value === '')
      mistakes.push(failures.CONFIG_WRONG_VALUE({ ...told(one), problem: 'must be the path of a file' }))
    else {
      const path = [...one.path.slice(0, -1), one.path.at(-1)?.replace(/File$/, '') ?? '']
      secrets.push({ path, file: one.value, setting: one.path.join('.'), origin: one.origin })
      values.push({ ...one, path, value: hidden })
    }
  }
  const config = assemble(schema, values)
  mistakes.push(...problemsOf(structural(schema), config).map((problem) => asFailure(problem, settings, values)))
  throwAll(mistakes)
  return { config, secrets, unknownVariables: unknownVariables(schema, settings, input.env ?? {}) }
}

const told = ({ path, origin }: Found) => ({ field: path.join('.'), origin })

function readFile(schema: TObject, file: ConfigFile, otherSections: readonly string[], mistakes: Failure[]): Found[] {
  const origin = (key: readonly string[]) =>
    [file.path, file.lineOf(key)].filter((part) => part !== undefined).join(':')

  function section(node: TObject, value: unknown, at: string[]): Found[] {
    if (value === null || value === undefined) return []
    if (!isObject(value)) {
      const field = at.join('.') || 'the top level'
      mistakes.push(failures.CONFIG_WRONG_VALUE({ field, origin: origin(at), problem: 'must be a mapping' }))
      return []
    }
    return Object.entries(value).flatMap(([name, below]) => entry(node, name, below, [...at, name]))
  }

  function entry(node: TObject, name: string, value: unknown, at: string[]): Found[] {
    const field = at.join('.')
    const child = Object.hasOwn(node.properties, name) ? node.properties[name] : undefined
    if (isSecret(child)) {
      mistakes.push(failures.CONFIG_SECRET_INLINE({ field, origin: origin(at), file: `${field}File` }))
      return []
    }
    if (isSection(child)) return section(child, value, at)
    const namesSecret = name.endsWith('File') && isSecret(node.properties[name.slice(0, -'File'.length)])
    if (child)
      for (const { path, known } of strayKeys(child, value, at))
        mistakes.push(
          failures.CONFIG_UNKNOWN_KEY({ field: pathText(path), origin: origin(at), hint: hintOf(path, known) }),
        )
    if (child || namesSecret) return value === null ? [] : [{ path: at, value, origin: origin(at) }]
    if (at.length === 1 && otherSections.includes(name)) return []
    const known = Object.entries(node.properties).map(([key, one]) => (isSecret(one) ? `${key}File` : key))
    mistakes.push(failures.CONFIG_UNKNOWN_KEY({ field, origin: origin(at), hint: hintOf(at, known) }))
    return []
  }

  return section(schema, file.root, [])
}

function hintOf(at: Path, known: readonly string[]): string {
  const meant = closest(String(at.at(-1)), known)
  return meant ? `; did you mean ${pathText([...at.slice(0, -1), meant])}?` : ''
}

interface Stray {
  path: Path
  /** What there could have been in its place. */
  known: string[]
}

/**
 * Fields of the entries of a list, or of a mapping, that mean nothing. Left out, a condition that is misspelt would make
 * what it is on hold for more than was written.
 */
function strayKeys(schema: TSchema, value: unknown, at: Path): Stray[] {
  const node = schema as { items?: TSchema; patternProperties?: Record<string, TSchema> }
  if (Array.isArray(value)) {
    const { items } = node
    return items ? value.flatMap((item, index) => strayKeys(items, item, [...at, index])) : []
  }
  if (!isObject(value)) return []
  const [each] = Object.values(node.patternProperties ?? {})
  if (each) return Object.entries(value).flatMap(([name, below]) => strayKeys(each, below, [...at, name]))
  const fields = fieldsOf(schema)
  if (!fields) return []
  return Object.entries(value).flatMap(([name, below]) => {
    const field = fields.get(name)
    return field ? strayKeys(field, below, [...at, name]) : [{ path: [...at, name], known: [...fields.keys()] }]
  })
}

/** Of one of several forms: those of any. Undefined where a form takes fields of any name. */
function fieldsOf(schema: TSchema): Map<string, TSchema> | undefined {
  const { anyOf, properties, additionalProperties } = schema as Partial<TObject> & {
    anyOf?: TSchema[]
    additionalProperties?: unknown
  }
  const isText = (form: TSchema) => 'type' in form && form.type !== 'object'
  const forms = anyOf?.filter((form) => !isText(form)).map(fieldsOf)
  if (forms) {
    const known = forms.filter((form) => form !== undefined)
    return known.length === forms.length ? new Map(known.flatMap((form) => [...form])) : undefined
  }
  if (!properties || (additionalProperties !== undefined && additionalProperties !== false)) return undefined
  return new Map(Object.entries(properties))
}

const readEnvironment = (settings: Setting[], env: NonNullable<ConfigInput['env']>, mistakes: Failure[]): Found[] =>
  settings.flatMap((setting) => {
    const text = env[setting.env]
    return text === undefined || text === '' ? [] : fromOutside(setting, text, setting.env, mistakes)
  })

const readFlags = (settings: Setting[], flags: NonNullable<ConfigInput['flags']>, mistakes: Failure[]): Found[] =>
  settings.flatMap((setting) => {
    const value = flags[setting.path] ?? flags[setting.option]
    return value === undefined ? [] : fromOutside(setting, value, setting.flag, mistakes)
  })

function fromOutside(setting: Setting, value: unknown, origin: string, mistakes: Failure[]): Found[] {
  const path = setting.path.split('.')
  if (typeof value !== 'string') return [{ path, value, origin }]
  const read = fromText(setting.schema, value)
  if ('value' in read) return [{ path, value: read.value, origin }]
  mistakes.push(failures.CONFIG_WRONG_VALUE({ field: setting.path, origin, problem: read.problem }))
  return []
}

/** Sections that must be there are there, so that their defaults are found; an optional one only when something in it is set. */
function assemble(schema: TObject, values: readonly Found[]): Record<string, unknown> {
  const config = emptySections(schema)
  for (const { path, value } of values) {
    let at = config
    for (const name of path.slice(0, -1)) {
      at[name] ??= {}
      at = at[name] as Record<string, unknown>
    }
    at[path.at(-1) ?? ''] = value
  }
  return withDefaults(structural(schema), config)
}

function emptySections(schema: TObject): Record<string, unknown> {
  const required = new Set<string>(schema.required)
  const sections = Object.entries(schema.properties).filter(([name, node]) => isSection(node) && required.has(name))
  return Object.fromEntries(sections.map(([name, node]) => [name, emptySections(node as TObject)]))
}

function asFailure(problem: Problem, settings: Setting[], values: readonly Found[]): Failure {
  const field = pathText(problem.path)
  const from = values.find(({ path }) => startsWith(problem.path, path))
  if (problem.keyword === 'required' && !from) {
    const setting = settings.find(({ path }) => path === field || path === `${field}File`)
    return failures.CONFIG_MISSING({
      field: setting?.path ?? field,
      flag: setting?.flag ?? 'a flag',
      env: setting?.env ?? 'the environment',
    })
  }
  return failures.CONFIG_WRONG_VALUE({ field, origin: from?.origin ?? 'default', problem: problemWords(problem) })
}

const startsWith = (path: Path, start: readonly string[]): boolean => start.every((step, index) => path[index] === step)

function throwAll(mistakes: readonly Failure[]): void {
  const [first] = mistakes
  if (!first) return
  if (mistakes.length === 1) throw first
  const params = { count: mistakes.length, mistakes: mistakes.map(({ message }) => message).join('; ') }
  throw failures.CONFIG_INVALID(params, new AggregateError(mistakes))
}

/** Kubernetes sets these for every Service of the namespace, also for one called lanyard-hub. */
const serviceLink = /_SERVICE_(HOST|PORT)|_PORT(_\d+_(TCP|UDP|SCTP).*)?$/

function unknownVariables(schema: TObject, settings: Setting[], env: NonNullable<ConfigInput['env']>): string[] {
  const known = new Set(settings.map((setting) => setting.env))
  const sections = Object.keys(schema.properties).map((name) => `LANYARD_${wordsOf(name).join('_').toUpperCase()}_`)
  return Object.keys(env)
    .filter(
      (name) => sections.some((section) => name.startsWith(section)) && !known.has(name) && !serviceLink.test(name),
    )
    .sort()
}
