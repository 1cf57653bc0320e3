import type { Static, TObject, TSchema, TUnsafe } from 'typebox'
import type { Schema } from '../schema/schema.ts'
import { isObject } from '../schema/schema.ts'
import { structural } from '../schema/structural.ts'
import type { Secret } from '../secret.ts'

/** A configuration: an object of sections, one a role or a concern, each of settings or sections in turn. */
export type ConfigSchema = TObject
export type Config<S extends ConfigSchema> = Static<S>

/** One setting: a leaf of the configuration. */
export interface Setting {
  /** `hub.listenAddress`; that of a secret ends in `File`, for only its file can be named. */
  readonly path: string
  /** `LANYARD_HUB_LISTEN_ADDRESS` */
  readonly env: string
  /** `--hub-listen-address` */
  readonly flag: string
  /** The key that commander gives the flag: `hubListenAddress`. */
  readonly option: string
  readonly schema: Schema
  readonly required: boolean
  readonly secret: boolean
  /** Whether a change takes effect without a restart. */
  readonly reloads: boolean
}

const secretMark = 'x-lanyard-secret'
const reloadMark = 'x-lanyard-reload'

/**
 * A setting that is a secret. Declared as `password`, it is given as `passwordFile`: the path of a file that holds
 * nothing else. There is no other way, because files, environment and arguments of a process are read by others.
 */
export const secretSetting = (options: { description: string }): TUnsafe<Secret> =>
  ({ type: 'string', [secretMark]: true, ...options }) as unknown as TUnsafe<Secret>

/** For the options of a setting whose change takes effect at once. */
export const reloads = { [reloadMark]: true }

/** Every setting of a configuration, in the order declared. Two that would share a variable are a mistake of the schema. */
export function settingsOf(schema: ConfigSchema): Setting[] {
  const settings = walk(schema, [])
  const seen = new Map<string, string>()
  for (const { env, path } of settings) {
    const other = seen.get(env)
    if (other !== undefined) throw new TypeError(`${other} and ${path} would share the variable ${env}`)
    seen.set(env, path)
  }
  return settings
}

function walk(node: TObject, path: string[]): Setting[] {
  const required = new Set<string>(node.required)
  return Object.entries(node.properties).flatMap(([name, child]) =>
    isSection(child) ? walk(child, [...path, name]) : [settingAt([...path, name], child, required.has(name))],
  )
}

/** An object with declared fields is a section; a record is a setting whose value is a map. */
export const isSection = (node: TSchema | undefined): node is TObject =>
  isObject(node) && node['type'] === 'object' && isObject(node['properties'])

export const isSecret = (node: TSchema | undefined): boolean => isObject(node) && node[secretMark] === true

function settingAt(path: string[], node: TSchema, required: boolean): Setting {
  const secret = isSecret(node)
  const named = secret ? [...path.slice(0, -1), `${path.at(-1)}File`] : path
  const words = named.flatMap(wordsOf)
  return {
    path: named.join('.'),
    env: ['LANYARD', ...words].join('_').toUpperCase(),
    flag: `--${words.join('-')}`,
    option: words.map((word, at) => (at === 0 ? word : `${word[0]?.toUpperCase()}${word.slice(1)}`)).join(''),
    schema: structural(node, path),
    required: required && (node as Schema).default === undefined,
    secret,
    reloads: (node as Record<string, unknown>)[reloadMark] === true,
  }
}

/** `clientCAFile` → client, ca, file */
export const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3 $2')
    .toLowerCase()
    .split(/[\s_-]+/)
