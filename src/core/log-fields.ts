import { Failure } from './failure.ts'
import { hidden } from './secret.ts'

/** Deeper and longer than this, a value is no field of a log line but a dump. */
const limits = { depth: 6, items: 50, causes: 5 }

/** A field whose name ends so, in the singular or plural, in any case and with any separator, is never printed. */
const hiddenEndings = [
  'token',
  'jwt',
  'assertion',
  'password',
  'passwd',
  'passphrase',
  'pwd',
  'secret',
  'authorization',
  'cookie',
  'apikey',
  'accesskey',
  'secretkey',
  'encryptionkey',
  'signingkey',
  'privatekey',
  'clientkey',
  'keydata',
  'kubeconfig',
  'dockerconfigjson',
  'dockercfg',
  'credential',
  'stringdata',
  'lastappliedconfiguration',
]

const hidesByName = new Map<string, boolean>()

function isHiddenName(name: string): boolean {
  let verdict = hidesByName.get(name)
  if (verdict === undefined) {
    const plain = name
      .toLowerCase()
      .replace(/[^a-z0-9]/g, '')
      .replace(/s$/, '')
    verdict = hiddenEndings.some((ending) => plain.endsWith(ending)) || /^tls\.key$|^auths?$/i.test(name)
    // Names of fields come from code, but those of a logged map do not.
    if (hidesByName.size < 1_000) hidesByName.set(name, verdict)
  }
  return verdict
}

/**
 * The fields of a log line as they may be printed: secrets hidden by type and by name at any depth, errors as plain
 * data with their causes, bytes as their count, and bounded in size. Pure; the input is left alone.
 */
export const printableFields = (fields: object): Record<string, unknown> => object(fields, 0)

function printable(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? undefined : value
  if (value instanceof Error) return printableError(value, depth)
  if (ArrayBuffer.isView(value)) return `<${value.byteLength} bytes>`
  if (depth >= limits.depth) return '<…>'
  if ('toJSON' in value && typeof value.toJSON === 'function') return printable(value.toJSON(), depth + 1)
  if (value instanceof Map) return object(Object.fromEntries(value), depth)
  if (value instanceof Set) return list([...value], depth)
  return Array.isArray(value) ? list(value, depth) : object(value, depth)
}

function list(values: readonly unknown[], depth: number): unknown[] {
  const shown = values.slice(0, limits.items).map((item) => printable(item, depth + 1))
  return values.length > limits.items ? [...shown, `<${values.length - limits.items} more>`] : shown
}

function object(fields: object, depth: number): Record<string, unknown> {
  const shown: Record<string, unknown> = {}
  const holdsData = isSecretObject(fields)
  for (const [name, value] of Object.entries(fields)) {
    const hide = isHiddenName(name) || (holdsData && name === 'data')
    shown[name] = hide && isTelling(value) ? hidden : printable(value, depth + 1)
  }
  return shown
}

/** Items of a list come without their kind, so whatever has metadata and data and does not say otherwise is taken for a Secret. */
const isSecretObject = (fields: object): boolean =>
  'data' in fields && ('kind' in fields ? fields.kind === 'Secret' : 'metadata' in fields)

/** Whether a token is set may be told. */
const isTelling = (value: unknown): boolean => value !== undefined && value !== null && typeof value !== 'boolean'

/** What an error says of itself under names of its own: codes of the runtime, reasons of the Kubernetes API. */
const ownFields = ['code', 'status', 'reason', 'syscall', 'hostname', 'address', 'port', 'path'] as const

function printableError(error: Error, depth: number, causes = 0): Record<string, unknown> {
  const shown: Record<string, unknown> = { name: error.name }
  for (const field of ownFields) {
    const value: unknown = Reflect.get(error, field)
    if (typeof value === 'string' || typeof value === 'number') shown[field] = value
  }
  shown['message'] = error.message
  // A failure of the catalogue was foreseen: its code tells where it comes from. The others need their stack.
  if (error instanceof Failure) {
    if (Object.keys(error.params).length > 0) shown['params'] = object(error.params, depth + 1)
  } else if (error.stack !== undefined) shown['stack'] = error.stack
  if (causes >= limits.causes) return shown
  if (error.cause !== undefined)
    shown['cause'] =
      error.cause instanceof Error
        ? printableError(error.cause, depth + 1, causes + 1)
        : printable(error.cause, depth + 1)
  if (error instanceof AggregateError) shown['errors'] = list(error.errors, depth + 1)
  return shown
}
