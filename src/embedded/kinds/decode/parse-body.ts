import { isObject } from '../../../core/schema/schema.ts'
import { parseProtobuf } from '../protobuf/decode-protobuf.ts'
import { jsonTypeOf } from './go-types.ts'
import { protobufType } from './media-type.ts'
import { readJson } from './read-json.ts'
import { readYaml } from './read-yaml.ts'
import { Unreadable } from './unreadable.ts'
import { notJson, unrecognized } from './unrecognized.ts'

export { jsonTypeOf } from './go-types.ts'
export { contentTypeOf } from './media-type.ts'

export interface ParsedBody {
  readonly value: Record<string, unknown>
  /** What strict validation holds against the text: keys that stand twice. For JSON `duplicate field "metadata.name"`. */
  readonly flaws: string[]
}

/**
 * The body of a create or an update. `kind` is what is expected, for the message of the 400; protobuf that does not say
 * what it holds is read as that kind of `apiVersion`.
 */
export function parseBody(bytes: Buffer, mediaType: string, kind = 'object', apiVersion?: string): ParsedBody {
  if (mediaType === protobufType) return parseProtobuf(bytes, { kind, apiVersion })
  const isYaml = mediaType.endsWith('yaml')
  try {
    const { value, flaws } = isYaml ? readYaml(bytes) : readJson(bytes)
    if (value === null) return { value: {}, flaws }
    if (!isObject(value))
      throw new Unreadable(`json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type ${typeMeta}`)
    for (const field of ['apiVersion', 'kind']) {
      const found = value[field]
      if (found !== undefined && found !== null && typeof found !== 'string')
        throw new Unreadable(
          `json: cannot unmarshal ${jsonTypeOf(found)} into Go struct field .${field} of type string`,
        )
    }
    return { value, flaws }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    throw unrecognized(bytes, error.message.startsWith('yaml: ') ? error.message : notJson(error.message), kind)
  }
}

const typeMeta =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
