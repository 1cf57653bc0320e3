import { shortEscapes } from '../../go-quote.ts'
import { formatText } from './format-text.ts'
import type { Overload } from './overloads.ts'
import { overload } from './overloads.ts'

const outOfRange = (index: bigint): never => {
  throw new Error(`index out of range: ${index}`)
}

/** Places in a text are counted in characters, not in units of UTF-16. */
const charactersOf = (text: string): string[] => [...text]

function charAt(text: string, at: bigint): string {
  const characters = charactersOf(text)
  if (at < 0n || at > BigInt(characters.length)) return outOfRange(at)
  return characters[Number(at)] ?? ''
}

const isAt = (characters: readonly string[], part: readonly string[], at: number): boolean =>
  part.every((character, index) => characters[at + index] === character)

function indexOf(text: string, part: string, from = 0n): bigint {
  if (part === '') return from
  if (from < 0n) return outOfRange(from)
  const [characters, wanted] = [charactersOf(text), charactersOf(part)]
  for (let at = Number(from); at <= characters.length - wanted.length; at++)
    if (isAt(characters, wanted, at)) return BigInt(at)
  return -1n
}

function lastIndexOf(text: string, part: string, from?: bigint): bigint {
  const [characters, wanted] = [charactersOf(text), charactersOf(part)]
  if (part === '') return from ?? BigInt(characters.length)
  if (from !== undefined && from < 0n) return outOfRange(from)
  if (from !== undefined && from >= BigInt(characters.length)) return -1n
  const last = characters.length - wanted.length
  for (let at = Math.min(Number(from ?? last), last); at >= 0; at--) if (isAt(characters, wanted, at)) return BigInt(at)
  return -1n
}

function substring(text: string, start: bigint, end?: bigint): string {
  const characters = charactersOf(text)
  const length = BigInt(characters.length)
  if (end !== undefined && start > end) throw new Error(`invalid substring range. start: ${start}, end: ${end}`)
  if (start < 0n || start > length) return outOfRange(start)
  if (end !== undefined && end > length) return outOfRange(end)
  return characters.slice(Number(start), end === undefined ? undefined : Number(end)).join('')
}

/** An empty part is found before every character and at the end. A negative limit is none. */
function replace(text: string, from: string, to: string, limit = -1n): string {
  const parts = from === '' ? ['', ...charactersOf(text), ''] : text.split(from)
  const count = limit < 0n ? parts.length - 1 : Math.min(Number(limit), parts.length - 1)
  if (count === 0) return text
  return [parts.slice(0, count + 1).join(to), ...parts.slice(count + 1)].join(from)
}

/** A negative limit is none; the last piece is all the rest. */
function split(text: string, separator: string, limit = -1n): string[] {
  if (limit === 0n) return []
  const parts = separator === '' ? charactersOf(text) : text.split(separator)
  if (limit < 0n || BigInt(parts.length) <= limit) return parts
  const most = Number(limit)
  return [...parts.slice(0, most - 1), parts.slice(most - 1).join(separator)]
}

/** What Go takes for space. */
const space = '[\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+'
const [leadingSpace, trailingSpace] = [new RegExp(`^${space}`, 'u'), new RegExp(`${space}$`, 'u')]

function trim(text: string): string {
  const rest = text.replace(leadingSpace, '')
  let end = rest.length
  while (end > 0 && trailingSpace.test(rest.charAt(end - 1))) end--
  return rest.slice(0, end)
}

const quote = (text: string): string =>
  `"${charactersOf(text.toWellFormed())
    .map((character) => shortEscapes[character] ?? character)
    .join('')}"`

function join(list: readonly unknown[], separator = ''): string {
  const bad = list.find((item) => typeof item !== 'string')
  if (bad !== undefined) throw new Error(`join: invalid input: ${String(bad)}`)
  return list.join(separator)
}

/** Text: what CEL has for it, and its extension of strings. */
export const strings: readonly Overload[] = [
  overload('string.contains(string): bool', (text: string, part: string) => text.includes(part)),
  overload('string.startsWith(string): bool', (text: string, part: string) => text.startsWith(part)),
  overload('string.endsWith(string): bool', (text: string, part: string) => text.endsWith(part)),
  overload('string.charAt(int): string', charAt),
  overload('string.indexOf(string): int', indexOf),
  overload('string.indexOf(string, int): int', indexOf),
  overload('string.lastIndexOf(string): int', lastIndexOf),
  overload('string.lastIndexOf(string, int): int', lastIndexOf),
  overload('string.lowerAscii(): string', (text: string) => text.replace(/[A-Z]+/g, (part) => part.toLowerCase())),
  overload('string.upperAscii(): string', (text: string) => text.replace(/[a-z]+/g, (part) => part.toUpperCase())),
  overload('string.replace(string, string): string', replace),
  overload('string.replace(string, string, int): string', replace),
  overload('string.split(string): list<string>', split),
  overload('string.split(string, int): list<string>', split),
  overload('string.substring(int): string', substring),
  overload('string.substring(int, int): string', substring),
  overload('string.trim(): string', trim),
  overload('string.format(list<dyn>): string', formatText),
  overload('strings.quote(string): string', quote),
  overload('list<string>.join(): string', join),
  overload('list<string>.join(string): string', join),
]
