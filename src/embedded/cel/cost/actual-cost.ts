import { Optional } from '@marcbachmann/cel-js'
import { perCharacter, perPatternCharacter } from './nodes.ts'
import { sizeOfContainer } from './weight.ts'

/** Characters, bytes, items or entries; 1 for everything else. */
export function actualSize(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (value instanceof Optional && value.hasValue()) return actualSize(value.value())
  return typeof value === 'object' && value !== null ? (sizeOfContainer(value) ?? 1) : 1
}

const read = (size: number, times = 1): number => Math.ceil(size * times * perCharacter)

const matched = (text: unknown, patternSize: number): number =>
  read(1 + actualSize(text)) * Math.ceil(patternSize * perPatternCharacter)

const isText = (value: unknown): value is string | Uint8Array =>
  typeof value === 'string' || value instanceof Uint8Array

/** Of a new list, beside its items. */
const allocation = 11

/** What a call costs on these values, the one that it is called on first. */
export function actualCost(name: string, values: readonly unknown[]): number {
  const [first, second] = values
  const size = actualSize(first)
  switch (name) {
    case 'isSorted':
    case 'sum':
    case 'max':
    case 'min':
    case 'indexOf':
    case 'lastIndexOf':
      return traversal(first)
    case 'url':
    case 'lowerAscii':
    case 'upperAscii':
    case 'substring':
    case 'trim':
    case 'jsonpatch.escapeKey':
    case 'cidr':
    case 'isIP':
    case 'isCIDR':
    case 'quantity':
    case 'isQuantity':
    case 'semver':
    case 'isSemver':
    case 'startsWith':
    case 'endsWith':
    case 'format':
    case 'strings.quote':
      return read(size)
    case 'ip':
      return isText(first) ? read(size) : 1
    case 'bytes':
      return typeof first === 'string' ? read(size) : 1
    case 'string':
      return first instanceof Uint8Array ? read(size) : 1
    case 'replace':
    case 'split':
    case 'ip.isCanonical':
      return read(size, 2)
    case 'join':
      return read(joinedLength(first, second), 2)
    case 'matches':
    case 'find':
    case 'findAll':
      return matched(first, actualSize(second))
    case 'validate':
      return matched(second, 128)
    case 'contains':
      return read(size) * read(actualSize(second))
    default:
      return listCost(name, values) ?? operatorCost(name, first, second)
  }
}

function listCost(name: string, [first, second]: readonly unknown[]): number | undefined {
  const size = actualSize(first)
  switch (name) {
    case 'sets.contains':
    case 'sets.intersects':
      return 1 + size * actualSize(second)
    case 'sets.equivalent':
      return 1 + size * actualSize(second) * 2
    case 'lists.range':
      return allocation + Math.max(0, Number(first))
    case 'slice':
    case 'reverse':
      return typeof first === 'string' ? 1 : allocation + size
    case 'flatten':
      return allocation + size * Math.max(1, Number(second ?? 1))
    case 'distinct':
    case 'sort':
    case 'sortBy':
      return allocation + Math.floor(size * size * (isText(Array.isArray(first) ? first[0] : undefined) ? 2.1 : 2))
    default:
      return undefined
  }
}

function operatorCost(name: string, first: unknown, second: unknown): number {
  switch (name) {
    case 'in':
      return Array.isArray(second) ? second.length : 1
    case '==':
    case '!=':
      return read(Math.min(actualSize(first), actualSize(second)))
    case '<':
    case '<=':
    case '>':
    case '>=':
      return isText(first) && isText(second) ? read(Math.min(first.length, second.length)) : 1
    case '+':
      return isText(first) && isText(second) ? read(first.length + second.length) : 1
    default:
      return 1
  }
}

/** Every text inside is read, every other value is one. */
function traversal(value: unknown): number {
  if (isText(value)) return Math.floor(value.length * perCharacter)
  return Array.isArray(value) ? value.reduce<number>((sum, item) => sum + traversal(item), 0) : 1
}

export function joinedLength(list: unknown, separator: unknown): number {
  if (!Array.isArray(list) || list.length === 0) return 0
  const between = typeof separator === 'string' ? separator.length * (list.length - 1) : 0
  return list.reduce<number>((sum, item) => sum + actualSize(item), between)
}
