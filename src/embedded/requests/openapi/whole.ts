import { createHash } from 'node:crypto'
import { othersFirst } from '../../in-slices.ts'
import type { OpenApiFacts, PublishedSchema } from '../../kinds/facts/openapi.ts'
import type { Kind } from '../../kinds/kind.ts'
import type { Served } from '../../kinds/registry.ts'
import { customSchemas } from './custom-document.ts'
import type { Packed } from './packed.ts'
import { pack, unpack } from './packed.ts'
import { frameInVersionTwo, schemaInVersionTwo } from './version-two.ts'
import { documentInProtobuf, namedSchema } from './version-two-protobuf.ts'

export interface Whole {
  readonly hash: string
  text(): string
  protobuf(): Buffer
}

/** A schema in both forms, as it stands in the document. */
interface Part {
  readonly name: string
  readonly hash: string
  readonly text: Packed
  readonly protobuf: Packed
}

const atATime = 32

/** Writes OpenAPI v2, which is one document with all schemas: those of a kind once, however often others change. */
export class WholeWriter {
  readonly #facts: OpenApiFacts
  readonly #ofKinds = new WeakMap<Kind, readonly Part[]>()
  #builtIn: Promise<readonly Part[]> | undefined

  constructor(facts: OpenApiFacts) {
    this.#facts = facts
  }

  async write(custom: readonly Served[]): Promise<Whole> {
    this.#builtIn ??= partsOf(Object.entries(this.#facts.schemas))
    const parts = [...(await this.#builtIn)]
    for (const [kind, served] of Map.groupBy(custom, ({ kind }) => kind)) {
      const known = this.#ofKinds.get(kind) ?? (await partsOf(customSchemas(this.#facts, served)))
      this.#ofKinds.set(kind, known)
      parts.push(...known)
    }
    return wholeOf(this.#facts, parts.sort(byName))
  }
}

const byName = (one: Part, other: Part): number => (one.name < other.name ? -1 : 1)

async function partsOf(schemas: readonly [name: string, schema: PublishedSchema][]): Promise<Part[]> {
  const parts: Part[] = []
  for (const [index, [name, schema]] of schemas.entries()) {
    if (index % atATime === 0) await othersFirst()
    const shown = schemaInVersionTwo(schema)
    const text = `${JSON.stringify(name)}:${JSON.stringify(shown)}`
    const hash = createHash('sha512').update(text).digest('hex')
    parts.push({ name, hash, text: pack(text), protobuf: pack(namedSchema(name, shown)) })
  }
  return parts
}

function wholeOf({ frame }: OpenApiFacts, parts: readonly Part[]): Whole {
  const { swagger, info, ...more } = frameInVersionTwo(frame)
  const begin = JSON.stringify({ swagger, info, paths: {} }).slice(0, -1)
  const end = JSON.stringify(more).slice(1)
  const hash = createHash('sha512').update(begin).update(end)
  for (const part of parts) hash.update(part.hash)
  return {
    hash: hash.digest('hex').toUpperCase(),
    text: () => `${begin},"definitions":{${parts.map(({ text }) => unpack(text)).join(',')}},${end}`,
    protobuf: () =>
      documentInProtobuf(
        { swagger, ...info },
        parts.map(({ protobuf }) => unpack(protobuf)),
      ),
  }
}
