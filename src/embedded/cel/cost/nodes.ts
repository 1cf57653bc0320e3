import type { Expression } from './expression.ts'
import type { GoPath } from './go-path.ts'
import type { Size } from './size.ts'
import { add, multiply, scale, unknownSize } from './size.ts'

/** What traversing a text costs for each character. */
export const perCharacter = 0.1
/** What a regular expression costs for each of its characters, for each unit that traversing the text costs. */
export const perPatternCharacter = 0.25

/** An argument, and what is known of it. */
export interface Node {
  readonly expression: Expression
  readonly size: Size | undefined
  readonly path: GoPath
}

export interface Sizes {
  /** What the schema says of the size of the value that one comes to on this way. */
  sizeAt(path: GoPath): Size | undefined
}

/** Of one overload, without what its arguments cost. */
export interface Estimate {
  readonly cost: bigint
  readonly size?: Size
  /** The result has the entries of both arguments. */
  readonly joins?: true
  /** The result is an item or a value of the first argument. */
  readonly step?: '@items' | '@values'
}

export const sizeOf = (node: Node | undefined): Size => node?.size ?? unknownSize
export const kindOf = (node: Node | undefined): string => node?.expression.type.kind ?? 'dyn'

/** Whether a value can turn out to be of this kind. */
export const mayBe = (node: Node | undefined, kind: string): boolean => kindOf(node) === 'dyn' || kindOf(node) === kind

export const traversal = (size: Size, factor = 1): bigint => scale(size.max, factor * perCharacter)

export const matching = (text: Size, pattern: Size): bigint =>
  multiply(scale(add(text.max, 1n), perCharacter), scale(pattern.max, perPatternCharacter))
