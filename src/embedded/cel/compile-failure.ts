import type { ASTNode, EvaluationError, ParseError } from '@marcbachmann/cel-js'

/** One thing that is wrong with an expression, and the place of it: an offset in the text, -1 for all of it. */
export interface Flaw {
  readonly offset: number
  readonly words: string
}

/** An expression that cannot be understood. The message is in the words of Kubernetes: where, and what. */
export class CompileFailure extends Error {
  readonly flaws: readonly Flaw[]
  /** What could not be typed, if it was one part of the expression: the rest of it may have flaws of its own. */
  readonly node: ASTNode | undefined

  constructor(message: string, flaws: readonly Flaw[] = [], node?: ASTNode) {
    super(message)
    this.name = 'CompileFailure'
    this.flaws = flaws
    this.node = node
  }
}

type LibraryFailure = Pick<ParseError | EvaluationError, 'code' | 'summary' | 'range'> & { node?: unknown }

const isLibraryFailure = (error: unknown): error is LibraryFailure & Error =>
  error instanceof Error && typeof (error as { summary?: unknown }).summary === 'string'

/** What came of evaluating, in CEL's words and without the excerpt of the source that the library adds. */
export function evaluationFailure(error: unknown): Error {
  if (!isLibraryFailure(error)) return error instanceof Error ? error : new Error(String(error))
  const words = error.summary
    .replace(/^No such key: (index out of bounds)/, '$1')
    .replace(/^No such key:/, 'no such key:')
  return new Error(/^(no such overload|found no matching overload)/.test(words) ? 'no such overload' : words, {
    cause: error,
  })
}

export function compileFailure(expression: string, error: unknown, isKnownFunction: (name: string) => boolean) {
  if (!isLibraryFailure(error)) return compileFailureAt(expression, 0, String(error))
  const node = error.node as ASTNode | undefined
  const start = error.range?.start ?? 0
  if (error.code === 'unknown_variable' && node?.op === 'id')
    return compileFailureAt(expression, start, undeclared(String(node.args)), node)
  if (node?.op === 'call' || node?.op === 'rcall') {
    const name = node.args[0]
    const words = isKnownFunction(name) ? overloadWords(name, error.summary) : undeclared(name)
    return compileFailureAt(expression, openingBracket(expression, node, name), words, node)
  }
  if (error.code === 'invalid_macro_argument')
    return compileFailureAt(
      expression,
      node?.op === '.' ? start - 1 : start,
      error.summary.startsWith('has()') ? 'invalid argument to has() macro' : 'argument must be a simple name',
    )
  return compileFailureAt(expression, start, `Syntax error: ${error.summary}`)
}

/** Types that Kubernetes adds have no fields. */
export const isOpaque = (type: string): boolean => type.startsWith('kubernetes.') || type.startsWith('net.')

export const noSuchField = (name: string, type: string): string =>
  type.startsWith('net.')
    ? `type '${type}' does not support field selection`
    : isOpaque(type)
      ? `unexpected failed resolution of '${type}'`
      : `undefined field '${name}'`

export const undeclared = (name: string): string => `undeclared reference to '${name}' (in container '')`

/** `found no matching overload for 'string.startsWith(int)'` as `'startsWith' applied to 'string.(int)'`. */
function overloadWords(name: string, summary: string): string {
  const [, applied = ''] = /'(.*)'$/.exec(summary) ?? []
  return `found no matching overload for '${name}' applied to '${typeWords(applied.replace(`${name}(`, '('))}'`
}

const typeWords = (type: string): string => type.replaceAll('<', '(').replaceAll('>', ')')

function openingBracket(expression: string, node: ASTNode, name: string): number {
  const from = node.op === 'rcall' ? (node.args[1] as ASTNode).range.end : node.range.start
  const at = expression.indexOf('(', expression.indexOf(name, from))
  return at < 0 ? node.range.start : at
}

/** `compilation failed: ERROR: <input>:1:8: …` with the line and a caret under the place. */
export const compileFailureAt = (expression: string, offset: number, words: string, node?: ASTNode): CompileFailure =>
  new CompileFailure(`${failed}${flawText(expression, { offset, words })}`, [{ offset, words }], node)

const failed = 'compilation failed: '
const mostTold = 100

/** All of them in one, in the order of their places. */
export function compileFailureOf(expression: string, flaws: readonly Flaw[]): CompileFailure {
  const ordered = flaws.toSorted((a, b) => a.offset - b.offset)
  const told = ordered.slice(0, mostTold).map((flaw) => flawText(expression, flaw))
  if (ordered.length > mostTold) told.push(`${ordered.length - mostTold} more errors were truncated`)
  return new CompileFailure(failed + told.join('\n'), ordered)
}

/** `ERROR: <input>:1:8: …` with the line and a caret under the place. Columns are characters, not UTF-16 units. */
function flawText(expression: string, { offset, words }: Flaw): string {
  if (offset < 0) return `ERROR: <input>:-1:0: ${words}`
  const before = expression.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  const lineEnd = expression.indexOf('\n', offset)
  const line = expression.slice(lineStart, lineEnd < 0 ? undefined : lineEnd)
  const left = [...before.slice(lineStart)]
  const [at = ''] = expression.slice(offset)
  const dots = left.map((sign) => (isWide(sign) ? '．' : '.')).join('')
  const place = `${before.split('\n').length}:${left.length + 1}`
  return `ERROR: <input>:${place}: ${words}\n | ${line.replaceAll('\t', ' ')}\n | ${dots}${isWide(at) ? '＾' : '^'}`
}

/** Beyond ASCII, a sign may take the width of two. */
const isWide = (sign: string): boolean => sign > '\x7f'
