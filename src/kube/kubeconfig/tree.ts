import type { Document } from 'yaml'
import { isScalar, LineCounter, parseDocument, stringify, visit } from 'yaml'

/**
 * A document in two readings of equal shape: `value` as YAML types it, `text` with every scalar as it was written.
 * A name or token that looks like a number is text all the same, and must not lose digits on its way.
 */
export interface Tree {
  value: unknown
  text: unknown
}

/** Why a text is not YAML: the parser's code and a place. Its message is left out, for it may quote what it read. */
export interface NotYaml {
  problem: string
  line: number
  column: number
}

/** Reads YAML, and so JSON. Of several documents in one text none is right. */
export function parseTree(text: string): { tree: Tree } | { notYaml: NotYaml } {
  const lines = new LineCounter()
  // Double keys are looked for here: the library compares each with each, minutes for a Secret of nothing else.
  const options = {
    prettyErrors: false,
    merge: true,
    logLevel: 'error',
    lineCounter: lines,
    uniqueKeys: false,
  } as const
  const typed = parseDocument(text, options)
  const [error] = typed.errors
  if (error) {
    const { line, col } = lines.linePos(error.pos[0])
    return { notYaml: { problem: error.code, line, column: col } }
  }
  const fault = faultOf(typed)
  if (fault) {
    const { line, col } = lines.linePos(fault.at)
    return { notYaml: { problem: fault.problem, line, column: col } }
  }
  try {
    const plain = parseDocument(text, { ...options, schema: 'failsafe', lineCounter: new LineCounter() })
    return { tree: { value: typed.toJS(), text: plain.toJS() } }
  } catch {
    return { notYaml: { problem: 'BAD_ALIAS', line: 1, column: 1 } }
  }
}

/** Of aliases, the library looks each up among all anchors there are. */
const mostAliases = 100

/** The first key that its mapping has already, or the first alias too many. Of keys that merge, there may be several. */
function faultOf(document: Document): { problem: 'DUPLICATE_KEY' | 'TOO_MANY_ALIASES'; at: number } | undefined {
  let fault: ReturnType<typeof faultOf>
  let aliases = 0
  visit(document, {
    Map(_, { items }) {
      const known = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key) || key.value === '<<' || typeof key.value === 'symbol') continue
        if (known.has(key.value)) {
          fault = { problem: 'DUPLICATE_KEY', at: key.range?.[0] ?? 0 }
          return visit.BREAK
        }
        known.add(key.value)
      }
      return undefined
    },
    Alias(_, { range }) {
      if (++aliases <= mostAliases) return undefined
      fault = { problem: 'TOO_MANY_ALIASES', at: range?.[0] ?? 0 }
      return visit.BREAK
    },
  })
  return fault
}

/** YAML that Go's parser, which speaks YAML 1.1, reads the same: `on` and `yes` are quoted, nothing is folded. */
export const formatTree = (value: unknown): string => stringify(value, { compat: 'yaml-1.1', lineWidth: 0 })
