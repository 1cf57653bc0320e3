import type { OpenApiFacts, PublishedSchema } from '../../kinds/facts/openapi.ts'
import type { Served } from '../../kinds/registry.ts'
import { subresourcesAt } from '../discovery.ts'
import { operationRewriter, schemaReference } from './custom-operations.ts'
import type { ObjectFields } from './custom-schema.ts'
import { publishedSchema } from './custom-schema.ts'
import type { OpenApiDocument } from './document.ts'
import { byName, withReachable } from './document.ts'

const probe = 'test.lanyard.facts.v1.Probe'
const probePath = /^\/apis\/facts\.lanyard\.test\/v1\/(namespaces\/\{namespace\}\/)?probes(\/\{name\}(?:\/(\w+))?)?$/

/** Tells of the custom kinds of one version as the real server does: as it told of the kind Probe, under their names. */
export function customDocument(facts: OpenApiFacts, served: readonly Served[]): OpenApiDocument {
  const paths = Object.assign({}, ...served.map((one) => pathsOf(facts, one)))
  const own = Object.fromEntries(customSchemas(facts, served))
  const schemas = { ...facts.schemas, ...facts.custom.schemas, ...own }
  const { openapi } = facts.frame
  return withReachable({ openapi, info: facts.custom.info, paths: byName(paths) }, schemas)
}

/** Of the kinds and their lists, by the names under which they are told. */
export const customSchemas = (facts: OpenApiFacts, served: readonly Served[]): [string, PublishedSchema][] =>
  served.flatMap((one) => [
    [modelName(one, one.kind.kind), kindSchema(facts, one)],
    [modelName(one, one.kind.listKind), listSchema(facts, one)],
  ])

/** `com.example.v1.Thing` */
const modelName = ({ kind: { group }, version }: Served, kind: string): string =>
  [...group.split('.').reverse(), version.name, kind].join('.')

function pathsOf(facts: OpenApiFacts, served: Served): Record<string, unknown> {
  const { kind, version, apiVersion } = served
  const offered = new Set(subresourcesAt(kind, version).map(({ name }) => name))
  const rewrite = operationRewriter(served, {
    [schemaReference(probe)]: schemaReference(modelName(served, kind.kind)),
    [schemaReference(`${probe}List`)]: schemaReference(modelName(served, kind.listKind)),
  })
  const found = Object.entries(facts.custom.paths).flatMap(([path, item]) => {
    const [, inNamespace, below = '', subresource] = probePath.exec(path) ?? []
    if (subresource !== undefined && !offered.has(subresource)) return []
    if (!kind.namespaced && inNamespace === undefined) return []
    const place = kind.namespaced ? (inNamespace ?? '') : ''
    return [[`/apis/${apiVersion}/${place}${kind.plural}${below}`, rewrite(item)]]
  })
  return Object.fromEntries(found)
}

function fieldsOf(facts: OpenApiFacts): ObjectFields {
  const { embedded, ...root } = propertiesOf(facts.custom.schemas[probe])
  const { own: _, ...ofEmbedded } = propertiesOf(embedded)
  return { root, embedded: ofEmbedded }
}

const propertiesOf = (schema: PublishedSchema | undefined) =>
  (schema?.['properties'] ?? {}) as Record<string, PublishedSchema>

function kindSchema(facts: OpenApiFacts, served: Served): PublishedSchema {
  return { ...publishedSchema(served.version.schema, fieldsOf(facts)), ...aboutKind(served, served.kind.kind) }
}

function listSchema(facts: OpenApiFacts, served: Served): PublishedSchema {
  const { kind, listKind, plural } = served.kind
  const list = facts.custom.schemas[`${probe}List`] ?? {}
  const { items, ...properties } = propertiesOf(list)
  const description = String(items?.['description']).replace('probes', plural)
  return {
    ...list,
    description: `${listKind} is a list of ${kind}`,
    properties: {
      ...properties,
      items: { ...items, description, items: { $ref: schemaReference(modelName(served, kind)) } },
    },
    ...aboutKind(served, listKind),
  }
}

function aboutKind({ kind: { group }, version }: Served, kind: string) {
  const selectable = Object.keys(version.selectable)
  return {
    'x-kubernetes-group-version-kind': [{ group, kind, version: version.name }],
    ...(selectable.length > 0 && {
      'x-kubernetes-selectable-fields': selectable.map((fieldPath) => ({ fieldPath })),
    }),
  }
}
