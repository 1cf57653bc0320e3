import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Kube } from '../../src/kube/kube.ts'
import { probeDocument } from './openapi-probe.ts'
import { groupPath, served } from './served.ts'

export interface Document {
  openapi: string
  info: unknown
  paths: Record<string, unknown>
  components: { schemas?: Schemas; securitySchemes?: unknown }
}

type Schemas = Record<string, Record<string, unknown>>

/** Documents that belong to no group. */
const further = ['.well-known/openid-configuration', 'api', 'apis', 'openid/v1/jwks', 'version']

/**
 * What OpenAPI says of the kinds that are served. `paths` and `schemas` are those of all documents; a value that stands
 * in several places of the paths is in `shared`, and `=name` stands for it there. What begins with `custom` is from the
 * document of a kind that was defined to see how the real server tells of one.
 */
export async function openApi(kube: Kube) {
  const paths: Record<string, unknown> = {}
  const schemas: Schemas = {}
  const frames: unknown[] = []
  for (const path of documentPaths()) {
    const { paths: all, components, ...frame } = await kube.request<Document>({ path: `/openapi/v3/${path}` })
    const kept = Object.fromEntries(Object.entries(all).filter(([path]) => isServed(path)))
    frames.push({ ...frame, securitySchemes: components.securitySchemes })
    Object.assign(paths, kept)
    for (const name of reachable(kept, components.schemas ?? {}))
      keep(schemas, name, components.schemas?.[name] ?? {}, path)
  }
  if (!frames.every((frame) => isDeepStrictEqual(frame, frames[0])))
    throw new Error('the documents differ in more than paths and schemas')
  const custom = await probeDocument(kube)
  const customSchemas = Object.entries(custom.components.schemas ?? {})
  const own = customSchemas.filter(([name, schema]) => !isDeepStrictEqual(schema, schemas[name]))
  const { interned, shared } = intern({ paths, custom: custom.paths })
  return {
    frame: frames[0],
    paths: sorted(interned['paths'] as object),
    shared: sorted(shared),
    customInfo: custom.info,
    customPaths: sorted(interned['custom'] as object),
    customSchemas: sorted(Object.fromEntries(own)),
    schemas: sorted(schemas),
  }
}

const documentPaths = (): string[] => [
  ...further,
  ...Object.keys(served).flatMap((apiVersion) => {
    const path = groupPath(apiVersion).slice(1)
    return apiVersion.includes('/') ? [path.slice(0, path.lastIndexOf('/')), path] : [path]
  }),
]

/** A path without its parameters is a resource or a subresource, or all that there is of a version. */
export function isServed(path: string): boolean {
  const group = Object.keys(served).find((apiVersion) => path.startsWith(`${groupPath(apiVersion)}/`))
  if (group === undefined) return true
  const steps = path
    .slice(groupPath(group).length)
    .replace(/^\/watch\//, '/')
    .replace(/^\/namespaces\/\{namespace\}\//, '/')
    .split('/')
    .filter((step) => step !== '' && !step.startsWith('{'))
  return steps.length === 0 || served[group]?.includes(steps.join('/')) === true
}

/** Kinds that every version has: a document names them for itself and for the core group. */
const inEveryVersion = /\.meta\.v1\.(DeleteOptions|WatchEvent)$/

function keep(schemas: Schemas, name: string, schema: Record<string, unknown>, path: string): void {
  const { 'x-kubernetes-group-version-kind': kinds, ...rest } = schema
  const [, kind] = inEveryVersion.exec(name) ?? []
  const [, group, version] = path.split('/')
  const core = { group: '', kind, version: 'v1' }
  const own = path === 'api/v1' ? [] : [{ group, kind, version }]
  if (kind !== undefined && !isDeepStrictEqual(kinds, [core, ...own]))
    throw new Error(`${name} of ${path} is not told as that of any other version`)
  const kept = kind === undefined ? schema : { ...rest, 'x-kubernetes-group-version-kind': [core] }
  if (schemas[name] && !isDeepStrictEqual(schemas[name], kept))
    throw new Error(`${name} of ${path} is not the one of another version`)
  schemas[name] = kept
}

function reachable(root: unknown, schemas: Schemas): Set<string> {
  const found = new Set<string>()
  const waiting = [root]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop())
    for (const name of references(value))
      if (!found.has(name)) {
        found.add(name)
        waiting.push(schemas[name])
      }
  return found
}

function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner.slice('#/components/schemas/'.length)] : references(inner),
  )
}

/** Shorter ones are written out. */
const sharedFromLength = 40

export function intern(value: Record<string, unknown>) {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  const count = (value: unknown): void => {
    if (typeof value === 'string' && value.startsWith('=')) throw new Error(`"${value}" would stand for something else`)
    if (typeof value !== 'object' || value === null) return
    const text = JSON.stringify(value)
    if (seen.has(text)) return void (text.length >= sharedFromLength && repeated.add(text))
    seen.add(text)
    Object.values(value).forEach(count)
  }
  count(value)
  const shared: Record<string, unknown> = {}
  const below = (value: object): unknown =>
    Array.isArray(value)
      ? value.map(written)
      : Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, written(inner)]))
  const written = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    const text = JSON.stringify(value)
    if (!repeated.has(text)) return below(value)
    const name = createHash('sha256').update(text).digest('hex').slice(0, 8)
    shared[name] ??= below(value)
    return `=${name}`
  }
  return { interned: below(value) as Record<string, unknown>, shared }
}

const sorted = (record: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
