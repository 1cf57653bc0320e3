import { duplicateFields } from './json-duplicates.ts'
import { scanJson } from './json-scan.ts'
import { deepestNesting, syntaxError } from './json-syntax.ts'
import { checkValue } from './readable.ts'
import { Unreadable } from './unreadable.ts'

export interface Read {
  readonly value: unknown
  /** What strict validation holds against the text itself. */
  readonly flaws: string[]
}

/**
 * Reads JSON as Kubernetes does; throws `Unreadable` in its words. Three things are refused that the real server takes,
 * because they cannot be kept as they are: integers of more than 53 bits, nesting beyond `deepestNesting`, and keys
 * named `__proto__`.
 */
export function readJson(bytes: Buffer): Read {
  const scanned = scanJson(bytes)
  // Before it is parsed: a level is one byte to its sender, and much to the parser.
  if (scanned.depth > deepestNesting) throw new Unreadable(syntaxError(bytes) ?? 'exceeded max depth')
  const text = bytes.toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Unreadable(syntaxError(bytes) ?? 'invalid JSON')
  }
  if (scanned.largeInteger !== undefined)
    throw new Unreadable(`the number ${scanned.largeInteger} has more than 53 bits, which this server cannot keep`)
  return { value, flaws: checkValue(value) === scanned.keys ? [] : duplicateFields(text) }
}
