import type { Document } from 'yaml'
import { isNode, LineCounter, parseDocument, visit } from 'yaml'
import { failures } from '../failures.ts'
import type { ConfigFile } from './resolve.ts'

/** The configuration file, read but not yet checked. Throws CONFIG_SYNTAX with the line. */
export function parseConfigFile(path: string, text: string): ConfigFile {
  const lines = new LineCounter()
  // Pretty errors quote the source, which may be a secret in the wrong place; the code of an error cannot.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const [error] = document.errors
  if (error) {
    const detail = error.code.toLowerCase().replaceAll('_', ' ')
    throw failures.CONFIG_SYNTAX({ origin: `${path}:${lines.linePos(error.pos[0]).line}`, detail })
  }
  const start = startOfDeadAlias(document)
  if (start !== undefined)
    throw failures.CONFIG_SYNTAX({
      origin: `${path}:${lines.linePos(start).line}`,
      detail: 'a value that starts with * must be in quotes',
    })
  return {
    path,
    root: document.toJS() ?? {},
    lineOf(key) {
      const node = key.length === 0 ? document.contents : document.getIn(key, true)
      const start = isNode(node) ? node.range?.[0] : undefined
      return start === undefined ? undefined : lines.linePos(start).line
    },
  }
}

/** `listen: *:8080` is the alias of an anchor that nobody set, which the parser lets pass and `toJS` does not. */
function startOfDeadAlias(document: Document): number | undefined {
  let start: number | undefined
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document)) return
      start = alias.range?.[0] ?? 0
      return visit.BREAK
    },
  })
  return start
}
