import { isObject } from '../../core/schema/schema.ts'

interface Place {
  /** The object or list that holds it; undefined when there is none. */
  readonly parent: unknown
  readonly key: string
}

/** Why an operation of a webhook's patch does not fit its object, in the words that authors of webhooks know. */
export function whyNotApplied(document: unknown, operation: unknown): string {
  const { op, path, from } = (isObject(operation) ? operation : {}) as Record<string, unknown>
  if (typeof op !== 'string' || !['add', 'remove', 'replace', 'move', 'copy', 'test'].includes(op))
    return `Unexpected kind: ${typeof op === 'string' ? op : 'unknown'}`
  if (op === 'move' || op === 'copy') {
    if (typeof from !== 'string')
      return `${op} operation failed to decode from: operation, missing from field: missing value`
    const source = placeOf(document, from)
    if (!source.parent) return `${op} operation does not apply: doc is missing from path: ${from}: missing value`
    if (!placeOf(document, `${path}`).parent)
      return `${op} operation does not apply: doc is missing destination path: ${path}: missing value`
    return `error in ${op} for path: '${source.key}': ${whyNoPlace(source)}`
  }
  if (typeof path !== 'string') return `${op} operation failed to decode path: missing value`
  const place = placeOf(document, path)
  if (op === 'test')
    return place.parent
      ? `testing value ${path} failed: test failed`
      : `test operation does not apply: is missing path: ${path}: missing value`
  if (op === 'replace')
    return `replace operation does not apply: doc is missing ${place.parent ? 'key' : 'path'}: ${path}: missing value`
  return place.parent
    ? `error in ${op} for path: '${path}': ${whyNoPlace(place)}`
    : `${op} operation does not apply: doc is missing path: ${JSON.stringify(path)}: missing value`
}

function placeOf(document: unknown, path: string): Place {
  const keys = path.split('/').slice(1).map(unescaped)
  const key = keys.pop()
  if (key === undefined) return { parent: undefined, key: '' }
  const parent = keys.reduce(memberOf, document)
  return { parent: typeof parent === 'object' && parent !== null ? parent : undefined, key }
}

const unescaped = (key: string): string => key.replaceAll('~1', '/').replaceAll('~0', '~')

const memberOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined

function whyNoPlace({ parent, key }: Place): string {
  if (!Array.isArray(parent)) return `Unable to remove nonexistent key: ${key}: missing value`
  return /^[-+]?\d+$/.test(key)
    ? `Unable to access invalid index: ${key}: invalid index referenced`
    : `value was not a proper array index: '${key}': strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`
}
