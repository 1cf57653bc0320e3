import { prune } from '../../core/schema/prune.ts'
import type { Schema } from '../../core/schema/schema.ts'
import { pathText, sortedJson } from '../../core/schema/schema.ts'
import { goQuote } from '../go-quote.ts'
import { decoderOf } from '../kinds/decode/decoder.ts'
import { Undecodable, Unfit } from '../kinds/decode/unfit.ts'
import { Walk } from '../kinds/decode/walk.ts'
import { definition } from '../kinds/facts/schemas.ts'
import type { Decoded } from '../kinds/kind.ts'
import type { ApiObject } from '../objects.ts'
import { splitApiVersion } from '../objects.ts'
import { visitEmbedded } from './embedded-resources.ts'

export const objectMeta = definition('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta')

/** The root of every object is one, whatever its schema says: the fields that all objects have are known there. */
export const asRoot = (schema: Schema): Schema => ({ ...schema, 'x-kubernetes-embedded-resource': true })

/**
 * What a client sent, as an object under this schema: unknown fields are dropped and become flaws; metadata, its own
 * and that of embedded objects, is read as the API's own type. Throws a 400 for metadata that cannot be.
 */
export function decodeCustom(root: Schema, sent: Record<string, unknown>, kind: string): Decoded {
  const { version } = splitApiVersion(String(sent['apiVersion'] ?? ''))
  const refuse = (why: string) => new Undecodable(kind, version, why)
  const { metadata, flaws } = readMetadata(sent['metadata'], 'metadata', refuse)
  const { value, unknown } = prune<Record<string, unknown>>(root, { ...sent, metadata })
  flaws.push(...unknown.map(pathText).sort().map(unknownField))
  visitEmbedded(root, value, (object, path) => {
    if (path.length === 0) return
    const at = pathText(path)
    for (const name of ['apiVersion', 'kind'])
      if (object[name] !== undefined && typeof object[name] !== 'string')
        throw refuse(`${at}.${name}: Invalid value: ${JSON.stringify(object[name])}: must be a string`)
    if (object['metadata'] === undefined) return
    const told = sortedJson(object['metadata'])
    const inner = readMetadata(object['metadata'], `${at}.metadata`, (why) =>
      refuse(`${at}.metadata: Invalid value: ${told}: ${why}`),
    )
    object['metadata'] = inner.metadata
    flaws.push(...inner.flaws)
  })
  return { object: value as ApiObject, flaws }
}

const unknownField = (path: string): string => `unknown field ${goQuote(path)}`

function readMetadata(sent: unknown, at: string, refuse: (why: string) => Error) {
  if (sent === undefined || sent === null) return { metadata: {}, flaws: [] }
  const walk = new Walk()
  try {
    const metadata = decoderOf(objectMeta)(sent, walk)
    return { metadata, flaws: walk.flaws.map((flaw) => flaw.replace('field "', `field "${at}.`)) }
  } catch (error) {
    if (!(error instanceof Unfit)) throw error
    throw refuse(walk.explain(error))
  }
}
