import type { ASTNode } from '@marcbachmann/cel-js'

/** What the engine keeps of a type. `param` is a type that is not known yet: that of the items of `[]`. */
export interface EngineType {
  readonly kind: 'primitive' | 'dyn' | 'list' | 'map' | 'optional' | 'message' | 'param'
  readonly name: string
  readonly keyType?: EngineType
  readonly valueType?: EngineType
}

/** Names of variables and their types; while an expression runs, their values too. */
export interface Scope {
  forkWithVariable(name: string, type: EngineType): InnerScope
}

export interface InnerScope extends Scope {
  /** While an expression runs, the engine holds the value to it. */
  iterType: EngineType
  reuse(outer: Scope): InnerScope
  setIterValue(value: unknown, evaluator: Evaluator): InnerScope
}

export interface Checker {
  check(node: ASTNode, scope: Scope): EngineType
  getType(name: string): EngineType
  readonly registry: {
    getListType(item: EngineType): EngineType
    getMapType(key: EngineType, value: EngineType): EngineType
    getOptionalType(value: EngineType): EngineType
  }
}

export interface Evaluator {
  readonly registry: { readonly variables: ReadonlyMap<string, { readonly value?: unknown }> }
  readonly objectTypes: ReadonlyMap<string, { readonly typeType: unknown }>
  run(node: ASTNode, scope: Scope): unknown
  debugType(value: unknown): EngineType
}

/** How a part of an expression is typed and run in place of the engine's own way. */
export interface Meaning {
  typeCheck(checker: Checker, meaning: unknown, scope: Scope): EngineType
  evaluate(evaluator: Evaluator, meaning: unknown, scope: Scope): unknown
}

interface Settable {
  setMeta(key: string, value: unknown): void
  readonly input: string
}

/** Has the engine do this with a node that is not checked yet. Nothing here has to be waited for. */
export function give(node: ASTNode, meaning: Meaning): void {
  const settable = node as unknown as Settable
  settable.setMeta('alternate', undefined)
  settable.setMeta('macro', meaning)
  settable.setMeta('async', false)
}

/** The expression that a node is a part of. */
export const sourceOf = (node: ASTNode): string => (node as unknown as Settable).input
