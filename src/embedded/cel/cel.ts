import { Environment } from '@marcbachmann/cel-js'

/** An expression that was understood. Throws an Error with CEL's words when it cannot be evaluated on these values. */
export type Program = (values: Record<string, unknown>) => unknown

/** Throws an Error with CEL's words when the expression cannot be understood, or names another variable. */
export function compile(expression: string, variables: readonly string[]): Program {
  const environment = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false })
  for (const name of variables) environment.registerVariable(name, 'dyn')
  const program = environment.parse(expression)
  const { valid, error } = program.check()
  if (!valid) throw error ?? new Error(`cannot understand ${expression}`)
  return program
}
