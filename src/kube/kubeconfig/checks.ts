import { failures } from './failures.ts'
import type { Named } from './kubeconfig.ts'
import { originOf } from './selection.ts'

/** What is wrong with an entry: the field in its wire spelling, and a sentence. */
export interface Violation {
  field: string
  problem: string
}

export type Check<T> = (value: T) => Violation | undefined

type Code = 'KUBECONFIG_INVALID' | 'KUBECONFIG_UNSUPPORTED' | 'KUBECONFIG_NOT_SELF_CONTAINED'

/** Throws the first violation of an ordered list of checks. */
export function mustPass<T>(entry: Named<T>, checks: readonly Check<T>[], code: Code = 'KUBECONFIG_INVALID'): void {
  for (const check of checks) {
    const violation = check(entry.value)
    if (violation) throw failures[code]({ ...at(entry, violation.field), problem: violation.problem })
  }
}

/** The parameters by which a failure names a field of an entry. */
export const at = (entry: Named<unknown>, field: string): { source: string; field: string } => {
  const origin = originOf(entry)
  return { source: origin.source, field: `${origin.field}.${field}` }
}

export const violation = (field: string, problem: string): Violation => ({ field, problem })
