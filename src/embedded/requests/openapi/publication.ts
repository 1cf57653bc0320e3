import { createHash } from 'node:crypto'
import type { Clock } from '../../../core/clock.ts'
import { othersFirst } from '../../in-slices.ts'
import type { OpenApiFacts } from '../../kinds/facts/openapi.ts'
import { openApiFacts } from '../../kinds/facts/openapi.ts'
import type { Kind } from '../../kinds/kind.ts'
import type { Registry, Served } from '../../kinds/registry.ts'
import { apiVersionOf } from '../../objects.ts'
import { perKinds } from '../per-kinds.ts'
import { customDocument } from './custom-document.ts'
import type { OpenApiDocument } from './document.ts'
import { builtInDocument, builtInPaths } from './document.ts'
import { pack, unpack } from './packed.ts'
import type { Whole } from './whole.ts'
import { WholeWriter } from './whole.ts'

export interface Published {
  /** Of its text. */
  readonly hash: string
  readonly since: Date
  text(): string
}

/** Of OpenAPI v2, which is one document. */
export type PublishedWhole = Whole & { readonly since: Date }

interface Maker {
  /** What it is made from besides the facts. */
  readonly kinds: readonly Kind[]
  make(): OpenApiDocument
}

/** The documents of a registry. Each is written when it is first asked for, and anew when its kinds have changed. */
export class Publication {
  readonly #registry: Registry
  readonly #clock: Clock
  readonly #makers: (registry: Registry) => Map<string, Maker>
  readonly #written = new Map<string, { kinds: readonly Kind[]; published: Published }>()
  readonly #whole: (registry: Registry) => Promise<PublishedWhole>

  constructor(registry: Registry, facts: OpenApiFacts, clock: Clock) {
    const builtIn = builtInMakers(facts)
    this.#registry = registry
    this.#clock = clock
    this.#makers = perKinds((registry) => {
      const makers = new Map([...customMakers(facts, registry), ...builtIn])
      for (const path of this.#written.keys()) if (!makers.has(path)) this.#written.delete(path)
      return makers
    })
    const writer = new WholeWriter(facts)
    this.#whole = perKinds(async (registry) => {
      const whole = await writer.write(customVersions(registry).flat())
      return { ...whole, since: this.#clock.now() }
    })
  }

  /** Undefined for what is not served. */
  at(path: string): Published | undefined {
    const maker = this.#makers(this.#registry).get(path)
    if (!maker) return undefined
    const before = this.#written.get(path)
    if (before && isSame(before.kinds, maker.kinds)) return before.published
    const published = written(maker.make(), this.#clock.now())
    this.#written.set(path, { kinds: maker.kinds, published })
    return published
  }

  /** All schemas, in the words of OpenAPI v2. */
  whole(): Promise<PublishedWhole> {
    return this.#whole(this.#registry)
  }

  /** Where each document is, with its hash: who has the document of that hash need not ask again. */
  async index(): Promise<{ paths: Record<string, { serverRelativeURL: string }> }> {
    const makers = this.#makers(this.#registry)
    const paths: Record<string, { serverRelativeURL: string }> = {}
    for (const path of [...makers.keys()].sort()) {
      if (!this.#written.has(path)) await othersFirst()
      const published = this.at(path)
      if (published) paths[path] = { serverRelativeURL: addressOf(path, published) }
    }
    return { paths }
  }
}

export const addressOf = (path: string, { hash }: Published): string => `/openapi/v3/${path}?hash=${hash}`

const isSame = (some: readonly Kind[], others: readonly Kind[]): boolean =>
  some.length === others.length && some.every((kind, index) => kind === others[index])

function written(document: object, since: Date): Published {
  const text = JSON.stringify(document)
  const hash = createHash('sha512').update(text).digest('hex').toUpperCase()
  const packed = pack(text)
  return { hash, since, text: () => unpack(packed).toString() }
}

const builtInMakers = (facts: OpenApiFacts): [string, Maker][] =>
  [...builtInPaths(facts)].map(([name, paths]) => [
    name,
    { kinds: [], make: () => builtInDocument(facts, name, paths) },
  ])

const customMakers = (facts: OpenApiFacts, registry: Registry): [string, Maker][] =>
  customVersions(registry).map((served) => [
    `apis/${served[0]?.apiVersion}`,
    { kinds: served.map(({ kind }) => kind), make: () => customDocument(facts, served) },
  ])

/** The custom kinds of each version that has some. */
function customVersions(registry: Registry): Served[][] {
  const custom = registry.all().filter((kind) => kind.custom)
  const served = custom.flatMap((kind) =>
    kind.versions.map((version) => ({ kind, version, apiVersion: apiVersionOf(kind.group, version.name) })),
  )
  return [...Map.groupBy(served, ({ apiVersion }) => apiVersion).values()]
}

const publications = new WeakMap<Registry, Publication>()

export async function publicationOf(registry: Registry, clock: Clock): Promise<Publication> {
  const facts = await openApiFacts()
  const found = publications.get(registry) ?? new Publication(registry, facts, clock)
  publications.set(registry, found)
  return found
}
