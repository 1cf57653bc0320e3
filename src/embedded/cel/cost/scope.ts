import type { ASTNode } from '@marcbachmann/cel-js'
import type { Expression } from './expression.ts'
import type { CelType } from './types.ts'
import { bool, dyn, optionalOf, parameter, typeOfDeclared } from './types.ts'

/** Variables and their types. What is not among them is a type, or the first part of a function's name. */
export type Scope = ReadonlyMap<string, CelType>

export type WriteOut = (node: ASTNode, scope: Scope) => Expression

export const withNames = (scope: Scope, ...names: (readonly [string, CelType])[]): Scope =>
  new Map([...scope, ...names])

export const unwrapped = (type: CelType): CelType => (type.kind === 'optional' ? parameter(type) : type)

export function fieldType(type: CelType, field: string): CelType {
  const declared = type.fields?.get(field)
  if (declared) return typeOfDeclared(declared)
  return type.kind === 'map' ? parameter(type, 1) : dyn
}

export function select(operand: Expression, field: string, isTest = false): Expression {
  const type = fieldType(unwrapped(operand.type), field)
  const held = operand.type.kind === 'optional' ? optionalOf(type) : type
  return { kind: 'select', type: isTest ? bool : held, operand, field, isTest }
}
