/**
 * What OpenAPI of Kubernetes v1.36.3 (Apache-2.0) says about the kinds served here, as tools/kubernetes-facts wrote it
 * down; see facts.ts. It is big and few clients ask for it, so it is read when the first one does.
 */
export interface OpenApiFacts {
  readonly frame: { readonly openapi: string; readonly info: object; readonly securitySchemes: object }
  readonly paths: Readonly<Record<string, PathItem>>
  readonly schemas: Schemas
  /** Of the kind Probe, which was defined to be told about. */
  readonly custom: {
    readonly info: object
    readonly paths: Readonly<Record<string, PathItem>>
    readonly schemas: Schemas
  }
}

export type PathItem = Readonly<Record<string, unknown>>
export type Schemas = Readonly<Record<string, PublishedSchema>>
export type PublishedSchema = Readonly<Record<string, unknown>>

/** `=name` in a path stands for what is shared under that name. */
interface Written {
  readonly frame: OpenApiFacts['frame']
  readonly paths: OpenApiFacts['paths']
  readonly shared: Readonly<Record<string, unknown>>
  readonly customInfo: object
  readonly customPaths: OpenApiFacts['paths']
  readonly customSchemas: Schemas
  readonly schemas: Schemas
}

let facts: OpenApiFacts | undefined

export async function openApiFacts(): Promise<OpenApiFacts> {
  if (facts) return facts
  const { default: file } = await import('./openapi.json', { with: { type: 'json' } })
  facts ??= linked(file as unknown as Written)
  return facts
}

/** With every shared value in its places: one object in several of them, which nobody changes. */
function linked({ frame, paths, shared, customInfo, customPaths, customSchemas, schemas }: Written): OpenApiFacts {
  const known = new Map<string, unknown>()
  const sharedOne = (name: string): unknown => {
    if (!known.has(name)) known.set(name, whole(shared[name]))
    return known.get(name)
  }
  const whole = (value: unknown): unknown => {
    if (typeof value === 'string') return value.startsWith('=') ? sharedOne(value.slice(1)) : value
    if (Array.isArray(value)) return value.map(whole)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, whole(inner)]))
  }
  const custom = { info: customInfo, paths: whole(customPaths) as OpenApiFacts['paths'], schemas: customSchemas }
  return { frame, paths: whole(paths) as OpenApiFacts['paths'], schemas, custom }
}
