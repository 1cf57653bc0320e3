import { isFailure } from '../core/failure.ts'
import { maskText } from '../core/mask.ts'

/** An error as a person wants it: the sentence, the code to look up, no stack. */
export function explain(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const code = isFailure(error) ? ` (${error.code}, see docs/reference/errors.md)` : ''
  return maskText(`lanyard: ${message}${code}`)
}
