import { isObject } from '../../core/schema/schema.ts'

export const fieldElement = (name: string): string => `f:${name}`
export const valueElement = (value: unknown): string => `v:${canonicalJson(value)}`
export const keyElement = (keys: Record<string, unknown>): string => `k:${canonicalJson(keys)}`

/** JSON with the members of every object in order, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value === 'string') return quoted(value)
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.keys(value).sort(compareTexts)
  return `{${members.map((name) => `${quoted(name)}:${canonicalJson(value[name])}`).join(',')}}`
}

const quoted = (text: string): string => JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, escaped)

/** As encoders do that write for web pages, and Kubernetes' is one. */
const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** The canonical text of an element that a client wrote. Undefined for a kind of element that is not known. */
export function canonicalElement(text: string): string | undefined {
  if (text.length < 2 || text[1] !== ':') throw new SyntaxError(`missing colon: ${text}`)
  const content = text.slice(2)
  switch (text[0]) {
    case 'f':
      return text
    case 'i':
      if (!/^-?\d+$/.test(content)) throw new SyntaxError(`not an index: ${text}`)
      return `i:${Number(content)}`
    case 'v':
      return valueElement(JSON.parse(content))
    case 'k': {
      const keys: unknown = JSON.parse(content)
      if (!isObject(keys)) throw new SyntaxError(`not an object: ${text}`)
      return keyElement(keys)
    }
    default:
      return undefined
  }
}

/** As messages show it: `.name`, `[name="x"]`, `[="x"]`, `[0]`. */
export function elementText(element: string): string {
  const content = element.slice(2)
  switch (element[0]) {
    case 'f':
      return `.${content}`
    case 'k': {
      const keys = JSON.parse(content) as Record<string, unknown>
      return `[${Object.entries(keys)
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
        .join(',')}]`
    }
    case 'v':
      return `[=${JSON.stringify(JSON.parse(content))}]`
    default:
      return `[${content}]`
  }
}

const kindsInOrder = 'fkvi'

/** The order in which `FieldsV1` is written. */
export function compareElements(a: string, b: string): number {
  const kind = a[0] ?? ''
  if (kind !== b[0]) return kindsInOrder.indexOf(kind) - kindsInOrder.indexOf(b[0] ?? '')
  if (kind === 'f') return compareTexts(a, b)
  const [ours, theirs]: unknown[] = [JSON.parse(a.slice(2)), JSON.parse(b.slice(2))]
  return kind === 'k' ? compareKeys(ours as object, theirs as object) : compareValues(ours, theirs)
}

function compareKeys(a: object, b: object): number {
  const [ours, theirs] = [Object.entries(a), Object.entries(b)]
  for (const [i, [name, value]] of ours.entries()) {
    const other = theirs[i]
    if (!other) return 1
    const order = compareTexts(name, other[0]) || compareValues(value, other[1])
    if (order !== 0) return order
  }
  return ours.length - theirs.length
}

const typesInOrder = ['number', 'string', 'boolean', 'object']

function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a !== typeof b) return typesInOrder.indexOf(typeof a) - typesInOrder.indexOf(typeof b)
  return compareTexts(canonicalJson(a), canonicalJson(b))
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
