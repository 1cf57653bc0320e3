import type { User } from '../authentication/user.ts'
import type { Authorizer } from '../authorization/attributes.ts'
import type { RequestResource } from '../cel/authorizer.ts'
import { CelAuthorizer } from '../cel/authorizer.ts'
import type { Fields } from '../cel/cel.ts'
import { CompileFailure, compileCondition } from '../cel/cel.ts'
import { Checks, OutOfBudget, Undecided } from '../cel/checks.ts'
import { StepLimitExceeded } from '../cel/cost/meter.ts'
import { conditionsTooLong } from '../status.ts'

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
  authorizer: 'authorizer',
} as const

export interface ConditionValues {
  readonly object: unknown
  readonly oldObject: unknown
  readonly request: Readonly<Record<string, unknown>>
}

/** Whom expressions may ask what the user may do, and to what the request does it. */
export interface Asking {
  readonly authorizer: Authorizer
  readonly user: User
  readonly resource: RequestResource
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

export async function evaluateConditions(
  expressions: readonly string[],
  values: ConditionValues,
  { authorizer, user, resource }: Asking,
): Promise<Outcome> {
  const errors = new Set<string>()
  const checks = new Checks(authorizer)
  const all = { ...values, authorizer: new CelAuthorizer(user, checks.decide, resource) }
  for (const expression of expressions) {
    try {
      const program = compileCondition(expression, variables)
      if ((await checks.evaluate(() => program(all))) !== true) return { verdict: false }
    } catch (error) {
      // Nothing is known about the condition then: what fails is not the webhook, and its failurePolicy says nothing.
      if (error instanceof Undecided) throw error.cause
      if (error instanceof StepLimitExceeded) throw conditionsTooLong()
      const { message } = error as Error
      if (error instanceof OutOfBudget) return { errors: message }
      errors.add(`expression '${expression}' resulted in error: ${message}`)
    }
  }
  if (errors.size === 0) return { verdict: true }
  const told = [...errors].join(', ')
  return { errors: errors.size === 1 ? told : `[${told}]` }
}
