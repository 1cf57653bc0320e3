import { splitApiVersion } from '../../objects.ts'
import { badRequest } from '../../status.ts'
import { Undecodable } from '../decode/unfit.ts'
import { Unreadable } from '../decode/unreadable.ts'
import { unrecognized } from '../decode/unrecognized.ts'
import type { Envelope } from './envelope.ts'
import { readEnvelope } from './envelope.ts'
import type { Message } from './messages.ts'
import { messageOf } from './messages.ts'
import { readFields } from './read-message.ts'

/** What a path is for: for messages, and for bodies that do not say what they are. */
export interface ExpectedType {
  readonly kind: string
  readonly apiVersion?: string | undefined
}

/**
 * An object of a built-in kind as the JSON that it would be, or the 400 that the real server has for it. Strict
 * validation has nothing to hold against protobuf: fields that are not known have no names.
 */
export function parseProtobuf(
  bytes: Buffer,
  expected: ExpectedType = { kind: 'object' },
): { value: Record<string, unknown>; flaws: string[] } {
  if (expected.kind === 'DeleteOptions') return { value: parseDeleteOptions(bytes), flaws: [] }
  const { wire, end, ...said } = reading(
    () => readEnvelope(bytes),
    (why) => unrecognized(bytes, why, expected.kind),
  )
  const { apiVersion, kind } = typeOf(said, expected, bytes)
  const { version } = splitApiVersion(apiVersion)
  const refused = (why: string) => new Undecodable(kind, version, why, expected.kind)
  const message = messageOf(apiVersion, kind)
  if (!message) throw refused(notRegistered(apiVersion, kind))
  const value = reading(() => readFields(wire, end, message, { apiVersion, kind }, 0), refused)
  return { value, flaws: [] }
}

/** These are known in whatever version they say, and what is wrong with them is said as it is. */
function parseDeleteOptions(bytes: Buffer): Record<string, unknown> {
  const { apiVersion, kind, wire, end } = reading(() => readEnvelope(bytes), badRequest)
  if (kind !== '' && kind !== 'DeleteOptions') throw badRequest(notRegistered(apiVersion, kind))
  const message = messageOf('v1', 'DeleteOptions') as Message
  return reading(() => readFields(wire, end, message, {}, 0), badRequest)
}

function reading<T>(read: () => T, refusal: (why: string) => Error): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof Unreadable ? refusal(error.message) : error
  }
}

/** A version that is none is as good as nothing said. */
function typeOf(said: Pick<Envelope, 'apiVersion' | 'kind'>, expected: ExpectedType, bytes: Buffer) {
  const isVersion = said.apiVersion !== '' && said.apiVersion.split('/').length <= 2
  const apiVersion = isVersion ? said.apiVersion : expected.apiVersion
  if (apiVersion === undefined) throw unrecognized(bytes, "Object 'apiVersion' is missing", expected.kind)
  return { apiVersion, kind: said.kind || expected.kind }
}

const notRegistered = (apiVersion: string, kind: string): string =>
  `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`
