/**
 * Who is in a group, by the identity providers that can be asked: written into the status of escalations. One controller
 * asks each provider for itself, another writes what is known of each escalation: a slow provider holds up no other.
 */
import type { Run } from '../../core/lifecycle.ts'
import { runTogether } from '../../core/lifecycle.ts'
import { readSecretValue } from '../../fleet/spoke/secret-value.ts'
import { keyOf } from '../../kube/objects.ts'
import type { AccessHubDeps } from '../hub/deps.ts'
import type { AccessView } from '../view.ts'
import { GroupAnswers } from './answers.ts'
import { escalationMembersController } from './escalation-controller.ts'
import { groupProviderController } from './provider-controller.ts'
import { groupSources } from './source-of.ts'

export type { GroupSource } from './contract.ts'

export function groupSync(deps: AccessHubDeps & { view: AccessView }): { readonly run: Run } {
  const { view, kube } = deps
  const answers = new GroupAnswers()
  const escalations = escalationMembersController({ ...deps, answers })
  const sourceOf = groupSources({
    ...deps,
    readSecret: (key, signal) => readSecretValue(kube, key, signal),
    // Nobody gives a refresh token here.
    keepRotated: async () => {},
  })
  const onAnswers = () => {
    for (const escalation of view.escalations.list()) escalations.enqueue(keyOf(escalation))
  }
  const providers = groupProviderController({ ...deps, answers, sourceOf, onAnswers })
  return { run: (signal) => runTogether(signal, [providers.run, escalations.run]) }
}
