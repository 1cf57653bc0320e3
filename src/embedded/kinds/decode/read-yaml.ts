import type { ScalarTag, Tags } from 'yaml'
import { isMap, isScalar, LineCounter, parseDocument, visit } from 'yaml'
import { nestsDeeper } from '../../../core/json-depth.ts'
import { tooLarge } from '../../status.ts'
import { deepestNesting } from './json-syntax.ts'
import type { Read } from './read-json.ts'
import { readJson } from './read-json.ts'
import { checkValue } from './readable.ts'
import { Unreadable } from './unreadable.ts'
import { mostFlaws } from './walk.ts'
import { yamlWords } from './yaml-words.ts'

/** YAML takes a hundred times as long to read as JSON, and nobody else is served in the meantime. */
const mostBytes = 256 * 1024
/** Each is looked for among all anchors before it. */
const mostAliases = 1_000

/**
 * Reads the first document of a YAML stream with the rules of YAML 1.1 that Kubernetes follows: `yes` is true, `0777`
 * is octal, dates and `1:20` are strings. Most of what comes as YAML is JSON (kubectl applies that), so that is tried.
 */
export function readYaml(bytes: Buffer): Read {
  const asJson = bytes[0] === 0x7b ? tryJson(bytes) : undefined
  if (asJson && asJson.flaws.length === 0) return { value: sorted(asJson.value), flaws: [] }
  if (bytes.length > mostBytes)
    throw tooLarge(`Request entity too large: limit is ${mostBytes} for YAML; JSON may be larger`)
  if (isFlow(bytes) && nestsDeeper(bytes, deepestNesting)) throw new Unreadable('yaml: exceeded max depth')
  const lines = new LineCounter()
  try {
    const text = bytes.toString('utf8')
    const document = parseDocument(text, {
      version: '1.1',
      customTags: asKubernetesHasThem,
      uniqueKeys: false,
      lineCounter: lines,
      prettyErrors: false,
      logLevel: 'silent',
    })
    const error = document.errors.find(({ code }) => code !== 'MULTIPLE_DOCS')
    if (error?.message.includes('call stack')) throw new RangeError(error.message)
    if (error) throw new Unreadable(yamlWords(error, text, lines))
    if (aliasesIn(document) > mostAliases) throw new ReferenceError('too many aliases')
    const value: unknown = document.toJS()
    checkIntegers(value)
    checkValue(value)
    // What an alias stands for is one object in two places; whoever reads this may change what it gets.
    return { value: sorted(JSON.parse(JSON.stringify(value ?? {}))), flaws: repeatedKeys(document, lines) }
  } catch (error) {
    if (error instanceof RangeError) throw new Unreadable('yaml: exceeded max depth')
    if (error instanceof ReferenceError) throw new Unreadable(aliasWords(error))
    throw error
  }
}

/** Whether it begins as JSON does: elsewhere brackets may be those of a text. */
const isFlow = ([first]: Buffer): boolean => first === 0x7b || first === 0x5b

/** A copy in the order of the keys: YAML goes through a map of Go on its way to JSON. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]))
}

function aliasWords({ message }: ReferenceError): string {
  const unknown = /^Unresolved alias .*: (.*)$/.exec(message)?.[1]
  return unknown === undefined
    ? 'yaml: document contains excessive aliasing'
    : `yaml: unknown anchor '${unknown}' referenced`
}

function tryJson(bytes: Buffer): Read | undefined {
  try {
    return readJson(bytes)
  } catch {
    return undefined
  }
}

const binary: ScalarTag = {
  tag: 'tag:yaml.org,2002:binary',
  resolve: (text) => Buffer.from(text, 'base64').toString('utf8'),
}

const asKubernetesHasThem = (tags: Tags): Tags => [
  ...tags.filter(
    (tag) => typeof tag === 'string' || (!/(timestamp|binary)$/.test(tag.tag ?? '') && tag.format !== 'TIME'),
  ),
  binary,
]

function aliasesIn(document: ReturnType<typeof parseDocument>): number {
  let count = 0
  visit(document, {
    Alias() {
      count++
    },
  })
  return count
}

/** In the words that Kubernetes uses for YAML, which are others than for JSON. */
function repeatedKeys(document: ReturnType<typeof parseDocument>, lines: LineCounter): string[] {
  const found: string[] = []
  visit(document, {
    Map(_, map) {
      const seen = new Set<unknown>()
      for (const { key } of isMap(map) && found.length < mostFlaws ? map.items : []) {
        if (!isScalar(key) || key.value === '<<') continue
        if (seen.has(key.value))
          found.push(
            `line ${lines.linePos(key.range?.[0] ?? 0).line}: key ${JSON.stringify(key.value)} already set in map`,
          )
        seen.add(key.value)
      }
    },
  })
  return found
}

function checkIntegers(value: unknown): void {
  if (typeof value === 'number') {
    if (Number.isInteger(value) && Math.abs(value) > Number.MAX_SAFE_INTEGER && Math.abs(value) <= 2 ** 63)
      throw new Unreadable(`the number ${value} has more than 53 bits, which this server cannot keep`)
  } else if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) checkIntegers(member)
}
