import type { Schema } from '../../../core/schema/schema.ts'
import { isObject } from '../../../core/schema/schema.ts'
import type { ApiObject } from '../../objects.ts'
import { splitApiVersion } from '../../objects.ts'
import type { Decoded } from '../kind.ts'
import { decoderOf } from './decoder.ts'
import { Undecodable, Unfit } from './unfit.ts'
import { Walk } from './walk.ts'

/**
 * What a client sent, as Go's decoder reads it into the type of a built-in kind: unknown fields are dropped and become
 * flaws, null is the same as absent, times, base64 and quantities are written the one way. Throws `Undecodable`, a 400,
 * for the first value that does not fit. `sent` is taken over and becomes the object.
 */
export function decodeTyped(schema: Schema, sent: Record<string, unknown>, kind: string): Decoded {
  const walk = new Walk()
  try {
    const object = decoderOf(schema)(sent, walk) as ApiObject
    if (!isObject(object.metadata)) object.metadata = {}
    return { object, flaws: walk.flaws }
  } catch (error) {
    if (!(error instanceof Unfit)) throw error
    const { version } = splitApiVersion(String(sent['apiVersion'] ?? 'v1'))
    throw new Undecodable(kind, version, walk.explain(error))
  }
}
