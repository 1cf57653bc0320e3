import type { Fields } from '../cel/cel.ts'
import { CompileFailure, compileCondition } from '../cel/cel.ts'

const kindFields: Fields = { group: 'string', version: 'string', kind: 'string' }
const resourceFields: Fields = { group: 'string', version: 'string', resource: 'string' }

/** What expressions may ask about. The objects are not under `request`, but beside it. */
const variables = {
  object: 'dyn',
  oldObject: 'dyn',
  request: {
    uid: 'string',
    kind: kindFields,
    resource: resourceFields,
    subResource: 'string',
    requestKind: kindFields,
    requestResource: resourceFields,
    requestSubResource: 'string',
    name: 'string',
    namespace: 'string',
    operation: 'string',
    userInfo: { username: 'string', uid: 'string', groups: 'list<string>', extra: 'map<string, list<string>>' },
    dryRun: 'bool',
    options: 'dyn',
  },
} as const

export interface ConditionValues {
  readonly object: unknown
  readonly oldObject: unknown
  readonly request: Readonly<Record<string, unknown>>
}

/** Why an expression cannot be a condition, in the words behind `Invalid value: …: `. Undefined when it can. */
export function flawOfCondition(expression: string): string | undefined {
  try {
    compileCondition(expression, variables)
    return undefined
  } catch (error) {
    if (error instanceof CompileFailure) return error.message
    throw error
  }
}

/** False wins over what cannot be told, as one false condition is enough. */
export type Outcome = { readonly verdict: boolean } | { readonly errors: string }

export function evaluateConditions(expressions: readonly string[], values: ConditionValues): Outcome {
  const errors: string[] = []
  for (const expression of expressions) {
    try {
      if (compileCondition(expression, variables)({ ...values }) !== true) return { verdict: false }
    } catch (error) {
      errors.push(`expression '${expression}' resulted in error: ${(error as Error).message}`)
    }
  }
  if (errors.length === 0) return { verdict: true }
  return { errors: errors.length === 1 ? `${errors[0]}` : `[${errors.join(', ')}]` }
}
