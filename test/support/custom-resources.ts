/** Custom kinds for tests of what the API does with them. */
import { KubeFailure } from '../../src/kube/failures.ts'
import { customResourceDefinitions } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { KubeObject, Resource, Stored } from '../../src/kube/objects.ts'
import { resource } from '../../src/kube/objects.ts'
import { uniqueName } from './builders.ts'
import { eventually } from './eventually.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

/** An object of a custom kind, as a test sees it. */
export interface Custom extends KubeObject {
  spec?: Record<string, unknown>
  status?: Record<string, unknown>
  [field: string]: unknown
}

export interface VersionInput {
  name?: string
  served?: boolean
  storage?: boolean
  /** Of `spec`. Default: anything. */
  spec?: object
  /** In place of all of it. */
  schema?: object
  [field: string]: unknown
}

export interface DefinitionInput {
  /** Default: one of its own for each call, so that tests do not meet. */
  group?: string
  names?: Record<string, unknown>
  scope?: 'Namespaced' | 'Cluster'
  conversion?: object
  versions?: VersionInput[]
}

export const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

export const uniqueGroup = (): string => `${uniqueName('crds')}.example.com`

type Definition = Parameters<ReturnType<typeof definitionsOf>['create']>[0]
const definitionsOf = (kube: Kube) => kube.of(customResourceDefinitions)

/** Widgets, unless the test says otherwise. */
export function aDefinition(input: DefinitionInput = {}): Definition & { metadata: { name: string } } {
  const { group = uniqueGroup(), names = {}, scope = 'Namespaced', conversion, versions = [{}] } = input
  const all = { plural: 'widgets', kind: 'Widget', ...names }
  const spec = {
    group,
    names: all,
    scope,
    ...(conversion && { conversion }),
    versions: versions.map(({ spec: ofSpec = anything, schema, ...rest }, index) => ({
      name: `v${index + 1}`,
      served: true,
      storage: index === 0,
      schema: { openAPIV3Schema: schema ?? { type: 'object', properties: { spec: ofSpec } } },
      ...rest,
    })),
  }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${all.plural}.${group}` },
    spec,
  } as Definition & { metadata: { name: string } }
}

export interface Defined {
  readonly name: string
  readonly group: string
  /** In the version named; default the first. */
  of(version?: string): Resource<Custom>
  /** The path of all objects, or of those in a namespace. */
  path(options?: { version?: string; namespace?: string }): string
}

/** Creates the definition, waits until its kind is served, and deletes it when the test is over. */
export async function define(t: TestScope, kube: Kube, input: DefinitionInput = {}): Promise<Defined> {
  const definition = aDefinition(input)
  await definitionsOf(kube).create(definition)
  const defined = addressOf(definition)
  undefineAfter(t, kube, defined.name)
  const served = (definition.spec.versions ?? []).filter((version) => version.served)
  for (const { name } of served) await untilServed(kube, defined.path({ version: name }))
  return defined
}

export function undefineAfter(t: TestScope, kube: Kube, name: string): void {
  teardown(t, async () => void (await definitionsOf(kube).delete(name)))
}

export function addressOf({ metadata, spec }: Definition): Defined {
  const { group, names, scope, versions = [] } = spec
  const first = versions[0]?.name ?? 'v1'
  return {
    name: metadata?.name ?? '',
    group,
    of: (version = first) =>
      resource<Custom>(`${group}/${version}`, names.kind, names.plural, { namespaced: scope === 'Namespaced' }),
    path: ({ version = first, namespace } = {}) =>
      `/apis/${group}/${version}/${namespace ? `namespaces/${namespace}/` : ''}${names.plural}`,
  }
}

export const untilServed = (kube: Kube, path: string): Promise<unknown> =>
  eventually(`${path} is served`, () => unlessUnready(kube.request({ path })))

/** Undefined while a kind is not served yet, or is being set up anew after a change of its definition. */
export const unlessUnready = <T>(call: Promise<T>): Promise<T | undefined> =>
  call.catch((error: unknown) => {
    if (error instanceof KubeFailure && [404, 429, 503].includes(error.code)) return undefined
    throw error
  })

/** Changes a definition, again while others do. */
export async function redefine(
  kube: Kube,
  name: string,
  change: (spec: NonNullable<Definition['spec']>) => void,
): Promise<Stored<Definition>> {
  return eventually(`${name} is changed`, async () => {
    const current = await definitionsOf(kube).get(name)
    change(current.spec)
    return definitionsOf(kube)
      .update(current)
      .catch((error: unknown) => {
        if (error instanceof KubeFailure && error.code === 409) return undefined
        throw error
      })
  })
}

/** Why the server refused, as `field: message`, in the order of the alphabet: the server's own is not always the same. */
export async function refusalOf(call: Promise<unknown>): Promise<string[]> {
  try {
    await call
    return []
  } catch (error) {
    if (!(error instanceof KubeFailure)) throw error
    const causes = error.details?.causes ?? []
    if (error.code !== 422 || causes.length === 0) return [`${error.code} ${error.message}`]
    return [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))].sort()
  }
}
