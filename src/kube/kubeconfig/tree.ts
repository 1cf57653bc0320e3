import { LineCounter, parseDocument, stringify } from 'yaml'

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
  const options = { prettyErrors: false, merge: true, logLevel: 'error', lineCounter: lines } as const
  const typed = parseDocument(text, options)
  const [error] = typed.errors
  if (error) {
    const { line, col } = lines.linePos(error.pos[0])
    return { notYaml: { problem: error.code, line, column: col } }
  }
  try {
    const plain = parseDocument(text, { ...options, schema: 'failsafe', lineCounter: new LineCounter() })
    return { tree: { value: typed.toJS(), text: plain.toJS() } }
  } catch {
    return { notYaml: { problem: 'BAD_ALIAS', line: 1, column: 1 } }
  }
}

/** YAML that Go's parser, which speaks YAML 1.1, reads the same: `on` and `yes` are quoted, nothing is folded. */
export const formatTree = (value: unknown): string => stringify(value, { compat: 'yaml-1.1', lineWidth: 0 })
