import type { ASTNode, EvaluationError, ParseError } from '@marcbachmann/cel-js'
import { matchesHere } from './functions.ts'

/** An expression that cannot be understood. The message is in the words of Kubernetes: where, and what. */
export class CompileFailure extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'CompileFailure'
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
    return compileFailureAt(expression, start, undeclared(String(node.args)))
  if (error.code === 'no_such_key' && node?.op === '.')
    return compileFailureAt(expression, Math.max(0, start - 1), noSuchField(node.args[1], typeOf(node.args[0])))
  if (node?.op === 'call' || node?.op === 'rcall') {
    const name = node.args[0] === matchesHere ? 'matches' : node.args[0]
    const words = isKnownFunction(name)
      ? overloadWords(name, error.summary.replace(matchesHere, 'matches'))
      : undeclared(name)
    return compileFailureAt(expression, openingBracket(expression, node, name), words)
  }
  if (error.code === 'no_such_overload' && node && operators.has(node.op)) return wrongOperands(expression, node, error)
  if (error.code === 'invalid_macro_argument')
    return compileFailureAt(expression, start, 'invalid argument to has() macro')
  return compileFailureAt(expression, start, `Syntax error: ${error.summary}`)
}

/** Once the library has checked a node, which it tells nowhere else. */
export const typeOf = (node: ASTNode): string => (node as { checkedType?: { name: string } }).checkedType?.name ?? ''

/** Types that Kubernetes adds have no fields. */
export const isOpaque = (type: string): boolean => type.startsWith('kubernetes.')

export const noSuchField = (name: string, type: string): string =>
  isOpaque(type) ? `unexpected failed resolution of '${type}'` : `undefined field '${name}'`

export const undeclared = (name: string): string => `undeclared reference to '${name}' (in container '')`

const operators: ReadonlySet<string> = new Set(['==', '!=', '+', '-', '*', '/', '%', '<', '<=', '>', '>=', 'in'])

function wrongOperands(expression: string, node: ASTNode, error: LibraryFailure): CompileFailure {
  const [left, right] = node.args as [ASTNode, ASTNode]
  const at = expression.indexOf(node.op, left.range.end)
  const [, leftType = '', rightType = ''] = / ?(\S+) (?:in|[-+*/%<>=!]+) (\S+)$/.exec(error.summary) ?? []
  const name = node.op === 'in' ? '@in' : `_${node.op}_`
  const place = at < 0 || at > right.range.start ? node.range.start : at
  return compileFailureAt(
    expression,
    place,
    `found no matching overload for '${name}' applied to '(${typeWords(leftType)}, ${typeWords(rightType)})'`,
  )
}

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
export function compileFailureAt(expression: string, offset: number, words: string): CompileFailure {
  const before = expression.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  const lineEnd = expression.indexOf('\n', offset)
  const line = expression.slice(lineStart, lineEnd < 0 ? undefined : lineEnd)
  const [row, column] = [before.split('\n').length, offset - lineStart]
  return new CompileFailure(
    `compilation failed: ERROR: <input>:${row}:${column + 1}: ${words}\n | ${line}\n | ${'.'.repeat(column)}^`,
  )
}
