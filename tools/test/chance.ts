import type { Failure } from './reporter.ts'

/** Files about what a kill, a hostile neighbour or a leak does: one failure in a hundred runs is what they look for. */
const neverByChance = /\b(?:soak|chaos|kill|kills|killed|canary|isolation|leak|leaks|leakage)\b/
/** A line by which a file counts itself among them: `// never tried again: two leaders at once`. */
const declared = /^\/\/ never tried again: \S/m
/** Numbers of the findings that are attacks; a letter says that a test is of a part. */
const attack = /^(?:F\d+[a-z]?[ ,]+)*F(?:[1-9]|1[0-6])[a-z]?\b[^:]*:/

/**
 * Why these failures of a file count as they are, for the output; nothing where they may be chance, and the file is tried
 * again.
 */
export function whyNotChance(path: string, source: string, failures: readonly Failure[]): string | undefined {
  if (neverByChance.test(path)) return 'its name says what it looks for'
  if (declared.test(source)) return 'the file says so'
  const harm = failures.map(({ error }) => harmOf(error)).find(Boolean)
  if (harm) return `something was ${harm}`
  const isOfAttack = failures.some(({ name }) => attack.test(name)) && failures.some(({ error }) => isAssertion(error))
  return isOfAttack ? 'it is the test of an attack' : undefined
}

/** `never('doubled', …)` in test/support marks it. */
function harmOf(error: unknown): string | undefined {
  if (!isAssertion(error)) return undefined
  if (error.harm) return error.harm
  const isUnrefused = /^(?:rejects|throws)$/.test(error.operator ?? '') && error.actual === undefined
  return isUnrefused || wasAllowed(error.expected, error.actual) ? 'allowed' : undefined
}

interface Assertion {
  code: 'ERR_ASSERTION'
  harm?: string
  operator?: string
  expected?: unknown
  actual?: unknown
}

// Its class is lost on the way from the process of the test.
const isAssertion = (error: unknown): error is Assertion =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_ASSERTION'

/** A refusal was expected, at any depth of what was compared, and there was none. */
function wasAllowed(expected: unknown, actual: unknown, key?: string): boolean {
  if (expected === 401 || expected === 403) return typeof actual === 'number' && actual >= 200 && actual < 300
  if (key === 'allowed' && expected === false) return actual === true
  if (key === 'denied' && expected === true) return actual !== true
  if (typeof expected !== 'object' || expected === null) return false
  const seen: Readonly<Record<string, unknown>> = typeof actual === 'object' && actual !== null ? { ...actual } : {}
  return Object.entries(expected).some(([name, value]) => wasAllowed(value, seen[name], name))
}
