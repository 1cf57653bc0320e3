import { createHash } from 'node:crypto'
import { isObject } from '../../core/schema/schema.ts'
import { definitionOf } from '../kinds/facts/facts.ts'
import type { Kind, KindVersion } from '../kinds/kind.ts'
import type { Registry } from '../kinds/registry.ts'
import { apiVersionOf, splitApiVersion } from '../objects.ts'

/** What clients need of OpenAPI v3: the schemas of all kinds, and which operations take `fieldValidation`. */

export function openApiIndex(registry: Registry) {
  const paths = [...apiVersions(registry)].sort().map((apiVersion) => {
    const path = pathOf(apiVersion)
    const document = JSON.stringify(openApiDocument(registry, apiVersion))
    const hash = createHash('sha512').update(document).digest('hex').toUpperCase()
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }]
  })
  return { paths: Object.fromEntries(paths) }
}

function apiVersions(registry: Registry): Set<string> {
  return new Set(registry.all().flatMap((kind) => kind.versions.map(({ name }) => apiVersionOf(kind.group, name))))
}

const pathOf = (apiVersion: string): string => (apiVersion.includes('/') ? `apis/${apiVersion}` : `api/${apiVersion}`)

/** Undefined for a version that is not served. */
export function openApiDocumentAt(registry: Registry, path: string) {
  const apiVersion = path.replace(/^apis?\//, '')
  return apiVersions(registry).has(apiVersion) && pathOf(apiVersion) === path
    ? openApiDocument(registry, apiVersion)
    : undefined
}

function openApiDocument(registry: Registry, apiVersion: string) {
  const { group, version } = splitApiVersion(apiVersion)
  const schemas: Record<string, unknown> = {}
  const paths: Record<string, unknown> = {}
  for (const kind of registry.all()) {
    const served = kind.group === group && kind.versions.find(({ name }) => name === version)
    if (!served) continue
    const name = nameOf(kind, served)
    schemas[name] = {
      ...named(served.schema, schemas, name),
      'x-kubernetes-group-version-kind': [gvkOf(kind, version)],
    }
    addPaths(paths, kind, version)
  }
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'unversioned' },
    paths,
    components: { schemas },
  }
}

const gvkOf = ({ group, kind }: Kind, version: string) => ({ group, version, kind })

/** `com.example.v1.Thing`, as the real server names what a CustomResourceDefinition made. */
const nameOf = ({ group, kind }: Kind, { name, schema }: KindVersion): string =>
  definitionOf(schema) ?? [...group.split('.').reverse(), name, kind].join('.')

/** A schema with its definitions by reference, each added to `schemas` once: some hold themselves. */
function named(schema: unknown, schemas: Record<string, unknown>, self?: string): Record<string, unknown> {
  if (!isObject(schema)) return {}
  const definition = self === undefined ? definitionOf(schema) : undefined
  if (definition !== undefined) {
    if (!(definition in schemas)) {
      schemas[definition] = {}
      schemas[definition] = named(schema, schemas, definition)
    }
    return { $ref: `#/components/schemas/${definition}` }
  }
  const shown: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) shown[key] = member(key, value, schemas)
  return shown
}

function member(key: string, value: unknown, schemas: Record<string, unknown>): unknown {
  if (key === 'properties' && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, named(field, schemas)]))
  if (key === 'items' || key === 'not' || (key === 'additionalProperties' && isObject(value)))
    return named(value, schemas)
  if ((key === 'allOf' || key === 'anyOf' || key === 'oneOf') && Array.isArray(value))
    return value.map((part) => named(part, schemas))
  return value
}

const query = (name: string) => ({ name, in: 'query', schema: { type: 'string', uniqueItems: true } })
const written = ['dryRun', 'fieldManager', 'fieldValidation'].map(query)

function addPaths(paths: Record<string, unknown>, kind: Kind, version: string): void {
  const base = `/${pathOf(apiVersionOf(kind.group, version))}`
  const collection = kind.namespaced ? `${base}/namespaces/{namespace}/${kind.plural}` : `${base}/${kind.plural}`
  const about = { 'x-kubernetes-group-version-kind': gvkOf(kind, version) }
  const verbs = new Set<string>(kind.verbs)
  const operation = (action: string, parameters: object[] = []) => ({
    ...about,
    'x-kubernetes-action': action,
    parameters,
    responses: { 200: { description: 'OK' } },
  })
  paths[collection] = {
    ...(verbs.has('list') && { get: operation('list') }),
    ...(verbs.has('create') && { post: operation('post', written) }),
    ...(verbs.has('deletecollection') && { delete: operation('deletecollection') }),
  }
  if (!verbs.has('get')) return
  paths[`${collection}/{name}`] = {
    get: operation('get'),
    ...(verbs.has('update') && { put: operation('put', written) }),
    ...(verbs.has('patch') && { patch: operation('patch', [...written, query('force')]) }),
    ...(verbs.has('delete') && { delete: operation('delete') }),
  }
}
