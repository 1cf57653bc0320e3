/** Deny policies: compiled when they change, asked at every request. */
import type { Run } from '../../core/lifecycle.ts'
import { runTogether } from '../../core/lifecycle.ts'
import type { AccessHubDeps } from '../hub/deps.ts'
import type { AccessView } from '../view.ts'
import type { PolicyFacts, PolicySet } from './contract.ts'
import { spokeFacts } from './spoke-facts.ts'
import { compiledPolicies } from './watched.ts'

export { compilePolicies } from './compile.ts'
export type * from './contract.ts'
export { whyNeverGranted } from './impersonation.ts'
export { overridesInForce } from './overrides.ts'

export interface WatchedPolicies {
  readonly run: Run
  /** Undefined while they cannot be read. */
  current(): PolicySet | undefined
  /** What policies need to know of a cluster: its namespaces from a watch that begins when first needed, its pods when asked. */
  factsOf(cluster: string): PolicyFacts
}

export function watchedPolicies(deps: AccessHubDeps & { view: AccessView }): WatchedPolicies {
  const compiled = compiledPolicies({ ...deps, policies: deps.view.policies })
  const facts = spokeFacts(deps)
  return {
    run: (signal) => runTogether(signal, [compiled.run, facts.run]),
    current: compiled.current,
    factsOf: facts.of,
  }
}
