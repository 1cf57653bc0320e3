import type { OpenApiFacts, PublishedSchema } from '../../kinds/facts/openapi.ts'

export interface OpenApiDocument {
  readonly openapi: string
  readonly info: object
  readonly paths: Readonly<Record<string, unknown>>
  readonly components: { readonly schemas?: object; readonly securitySchemes?: object }
}

type Schemas = Readonly<Record<string, PublishedSchema>>

/** The paths of built-in kinds by the document they stand in: `apis/apps/v1`. */
export function builtInPaths({ paths }: OpenApiFacts): Map<string, Record<string, unknown>> {
  const documents = new Map<string, Record<string, unknown>>()
  for (const [path, item] of Object.entries(paths)) {
    const name = documentOf(path)
    const document = documents.get(name) ?? {}
    document[path] = item
    documents.set(name, document)
  }
  return documents
}

function documentOf(path: string): string {
  const steps = path.split('/').filter((step) => step !== '')
  const length = steps[0] === 'api' ? 2 : steps[0] === 'apis' ? 3 : steps.length
  return steps.slice(0, length).join('/')
}

export function builtInDocument(facts: OpenApiFacts, name: string, paths: Record<string, unknown>): OpenApiDocument {
  const { openapi, info, securitySchemes } = facts.frame
  const { components, ...document } = withReachable({ openapi, info, paths }, ownKinds(facts.schemas, name))
  return { ...document, components: { ...components, securitySchemes } }
}

/** Options and events of watches are kinds of every version. */
function ownKinds(schemas: Schemas, document: string): Schemas {
  const [, group, version] = document.split('/')
  if (version === undefined) return schemas
  const own = ['DeleteOptions', 'WatchEvent'].map((kind): [string, PublishedSchema] => {
    const name = `io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`
    const core = { group: '', kind, version: 'v1' }
    return [name, { ...schemas[name], 'x-kubernetes-group-version-kind': [core, { group, kind, version }] }]
  })
  return { ...schemas, ...Object.fromEntries(own) }
}

/** With those of the schemas that its paths refer to, and what these refer to. A default may look like a reference. */
export function withReachable(document: Omit<OpenApiDocument, 'components'>, schemas: Schemas): OpenApiDocument {
  const found: Record<string, unknown> = {}
  const waiting: unknown[] = [document.paths]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop())
    for (const name of references(value)) {
      if (Object.hasOwn(found, name) || !Object.hasOwn(schemas, name)) continue
      found[name] = schemas[name]
      waiting.push(schemas[name])
    }
  return { ...document, components: Object.keys(found).length > 0 ? { schemas: byName(found) } : {} }
}

function* references(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value))
    if (key === '$ref' && typeof inner === 'string') yield inner.slice('#/components/schemas/'.length)
    else yield* references(inner)
}

export const byName = (record: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
