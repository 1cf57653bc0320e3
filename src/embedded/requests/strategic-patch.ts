import type { Schema } from '../../core/schema/schema.ts'
import { goQuote } from '../go-quote.ts'
import { parseStrategicMergePatch } from '../kinds/decode/parse-patch.ts'
import type { FieldValidation, Reader } from '../kinds/decode/strictness.ts'
import { applyStrictness, invalidPatch } from '../kinds/decode/strictness.ts'
import { Undecodable } from '../kinds/decode/unfit.ts'
import type { Decoded } from '../kinds/kind.ts'
import type { ApiObject } from '../objects.ts'
import { goText } from '../patch/go-text.ts'
import { applyStrategicMergePatch } from '../patch/strategic/strategic-merge-patch.ts'
import { whyUnfit } from '../patch/strategic/why-unfit.ts'

/** The type of what is patched. */
export interface Patchable {
  readonly schema: Schema
  decode(value: Record<string, unknown>): Decoded
}

/**
 * An object as a strategic merge patch leaves it, decoded. What is wrong with that is told with the patch, where other
 * patches are told with the object. The object may be changed on the way.
 */
export function strategicPatcher(
  body: Buffer,
  { schema, decode }: Patchable,
  validation: FieldValidation,
  reader: Reader,
): (document: ApiObject) => ApiObject {
  const { value, flaws } = parseStrategicMergePatch(body)
  const text = JSON.stringify(value)
  return (document) => {
    const patch = JSON.parse(text) as Record<string, unknown>
    const merged = applyStrategicMergePatch(document, patch, schema)
    // Decoding changes what it reads, parts of the patch among it.
    const left = JSON.stringify(patch)
    try {
      const decoded = decode(merged)
      applyStrictness([...flaws, ...decoded.flaws.toSorted()], validation, reader)
      return decoded.object
    } catch (error) {
      if (!(error instanceof Undecodable)) throw error
      throw invalidPatch(goQuote(goText(JSON.parse(left))), whyUnfit(merged, schema) ?? error.why)
    }
  }
}
