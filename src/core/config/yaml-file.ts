import { isNode, LineCounter, parseDocument } from 'yaml'
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
