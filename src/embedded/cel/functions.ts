import type { Environment } from '@marcbachmann/cel-js'
import { Optional } from '@marcbachmann/cel-js'
import { patternOf } from '../../core/schema/check.ts'
import { goPattern } from '../../core/schema/go-pattern.ts'
import { BoundedMap } from '../../kube/bounded-map.ts'
import { celEquals } from './values.ts'

/**
 * What Kubernetes adds to CEL, as far as it is served: strings (charAt, replace; split, join, lowerAscii and their like
 * come with the library), lists (isSorted, sum, min, max, indexOf, lastIndexOf, distinct, sort, first, last), regular
 * expressions (find, findAll), sets and URLs. What is not here is refused where an expression is compiled: quantity,
 * semver, ip and cidr, format, comprehensions of two variables.
 */
export function addFunctions(environment: Environment): void {
  addStrings(environment)
  addLists(environment)
  addSets(environment)
  addUrls(environment)
}

/** What the library has and Kubernetes does not. */
export const notInKubernetes: ReadonlySet<string> = new Set(['json', 'hex', 'base64', 'at', 'bind'])

function addStrings(environment: Environment): void {
  environment.registerFunction('string.charAt(int): string', (text: string, at: bigint) => {
    const characters = [...text]
    if (at < 0n || at > BigInt(characters.length)) throw new Error(`index out of range: ${at}`)
    return characters[Number(at)] ?? ''
  })
  environment.registerFunction(`string.${matchesHere}(string): bool`, (text: string, wanted: string) =>
    patternOf(wanted).test(text),
  )
  environment.registerFunction('string.replace(string, string): string', replaced)
  environment.registerFunction('string.replace(string, string, int): string', replaced)
  environment.registerFunction(
    'string.find(string): string',
    (text: string, wanted: string) => pattern(wanted).exec(text)?.[0] ?? '',
  )
  environment.registerFunction('string.findAll(string): list<string>', found)
  environment.registerFunction('string.findAll(string, int): list<string>', found)
}

/** A negative limit is none. */
function replaced(text: string, from: string, to: string, limit = -1n): string {
  if (limit < 0n) return text.replaceAll(from, () => to)
  let [result, rest] = ['', text]
  for (let left = limit; left > 0n; left--) {
    const at = rest.indexOf(from)
    if (at < 0) break
    result += rest.slice(0, at) + to
    rest = rest.slice(at + from.length)
  }
  return result + rest
}

function found(text: string, wanted: string, limit = -1n): string[] {
  const { source, flags } = pattern(wanted)
  const all = [...text.matchAll(new RegExp(source, `${flags}g`))].map(([match]) => match)
  return limit < 0n ? all : all.slice(0, Number(limit))
}

/** What `matches` is called on the way: the library has one of its own, for the expressions of JavaScript. */
export const matchesHere = 'matchesGo'

const patterns = new BoundedMap<string, RegExp>(1024)

/** In the syntax of Go, as CEL has it. Throws an Error with Go's words. */
export function pattern(text: string): RegExp {
  let known = patterns.get(text)
  if (known === undefined) {
    known = goPattern(text)
    patterns.set(text, known)
  }
  return known
}

type List = readonly unknown[]
type Ordered = string | number | bigint

const compare = (a: Ordered, b: Ordered): number => (a < b ? -1 : a > b ? 1 : 0)

/** The first or last by order; of an empty list there is none, and that is an error. */
const extreme = (name: string, sign: number) => (list: readonly Ordered[]) => {
  if (list.length === 0) throw new Error(`${name} called on empty list`)
  return list.reduce((best, item) => (compare(item, best) * sign > 0 ? item : best))
}

function addLists(environment: Environment): void {
  environment.registerFunction('list.isSorted(): bool', (list: readonly Ordered[]) =>
    list.every((item, index) => index === 0 || compare(list[index - 1] as Ordered, item) <= 0),
  )
  environment.registerFunction('list.sum(): dyn', (list: readonly (number | bigint)[]) =>
    list.reduce((total, item) => (total as number) + (item as number), typeof list[0] === 'number' ? 0 : 0n),
  )
  environment.registerFunction('list.min(): dyn', extreme('min', -1))
  environment.registerFunction('list.max(): dyn', extreme('max', 1))
  environment.registerFunction('list.indexOf(dyn): int', (list: List, value: unknown) =>
    BigInt(list.findIndex((item) => celEquals(item, value))),
  )
  environment.registerFunction('list.lastIndexOf(dyn): int', (list: List, value: unknown) =>
    BigInt(list.findLastIndex((item) => celEquals(item, value))),
  )
  environment.registerFunction('list.distinct(): list<dyn>', (list: List) =>
    list.filter((item, index) => list.findIndex((other) => celEquals(other, item)) === index),
  )
  environment.registerFunction('list.sort(): list<dyn>', (list: readonly Ordered[]) => list.toSorted(compare))
  environment.registerFunction('list.first(): optional<dyn>', (list: List) => optional(list[0]))
  environment.registerFunction('list.last(): optional<dyn>', (list: List) => optional(list.at(-1)))
}

const optional = (value: unknown) => (value === undefined ? Optional.none() : Optional.of(value))

class Sets {}

const holds = (list: List, value: unknown): boolean => list.some((item) => celEquals(item, value))
const holdsAll = (list: List, values: List): boolean => values.every((value) => holds(list, value))

function addSets(environment: Environment): void {
  environment.registerType('Sets', Sets)
  environment.registerConstant('sets', 'Sets', new Sets())
  environment.registerFunction('Sets.contains(list, list): bool', (_: Sets, a: List, b: List) => holdsAll(a, b))
  environment.registerFunction(
    'Sets.equivalent(list, list): bool',
    (_: Sets, a: List, b: List) => holdsAll(a, b) && holdsAll(b, a),
  )
  environment.registerFunction('Sets.intersects(list, list): bool', (_: Sets, a: List, b: List) =>
    a.some((item) => holds(b, item)),
  )
}

/** A URL with a scheme and a host, or an absolute path, as Go's parser of request addresses has it. */
class KubeUrl {
  readonly url: URL
  readonly isPath: boolean
  readonly text: string

  constructor(text: string) {
    this.text = text
    this.isPath = text.startsWith('/')
    this.url = new URL(this.isPath ? `path:${text}` : text)
  }

  toString(): string {
    return this.text
  }
}

const isUrl = (text: string): boolean => text.startsWith('/') || URL.canParse(text)

function addUrls(environment: Environment): void {
  environment.registerType('kubernetes.URL', { ctor: KubeUrl, fields: {} })
  environment.registerFunction('isURL(string): bool', isUrl)
  environment.registerFunction('url(string): kubernetes.URL', (text: string) => {
    if (!isUrl(text)) throw new Error(`URL parse error during conversion from string: ${text}`)
    return new KubeUrl(text)
  })
  const part = (name: string, read: (url: URL) => string) =>
    environment.registerFunction(`kubernetes.URL.${name}(): string`, ({ url, isPath }: KubeUrl) =>
      isPath && name !== 'getEscapedPath' ? '' : read(url),
    )
  part('getScheme', ({ protocol }) => protocol.slice(0, -1))
  part('getHost', ({ host }) => host)
  part('getHostname', ({ hostname }) => hostname.replace(/^\[(.*)\]$/, '$1'))
  part('getPort', ({ port }) => port)
  part('getEscapedPath', ({ pathname }) => pathname)
}
