import { isDeepStrictEqual } from 'node:util'
import type { ClusterRole, PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import { done } from '../../core/outcome.ts'
import type { Controller } from '../../kube/controller.ts'
import { controller } from '../../kube/controller.ts'
import { clusterRoles } from '../../kube/kinds.ts'
import type { Stored } from '../../kube/objects.ts'
import { watching } from '../../kube/watching.ts'
import { selects } from '../kinds/label-selector.ts'
import type { ControllerDeps } from './deps.ts'
import type { Informers } from './informers.ts'

const fieldManager = 'clusterrole-aggregation-controller'

/** Some ClusterRoles are the sum of others, chosen by their labels. */
export function clusterRoleAggregation(deps: ControllerDeps, { clusterRoles: roles }: Informers): Controller {
  const sums = () => roles.list().flatMap((role) => (role.aggregationRule ? role.metadata.name : []))
  return controller(
    'clusterrole-aggregation',
    async (name, { signal }) => {
      const role = roles.get(name)
      if (!role?.aggregationRule) return done
      const rules = aggregatedRules(role, roles.list())
      if (!isDeepStrictEqual(rules, role.rules ?? []))
        await deps.kube.of(clusterRoles).apply({ metadata: { name }, rules }, { fieldManager, force: true, signal })
      return done
    },
    { ...deps, watches: [watching(roles, ({ metadata }) => [metadata.name, ...sums()])] },
  )
}

/** The rules of all others that a selector chooses, each once: by selector, then by name. */
export function aggregatedRules(sum: Stored<ClusterRole>, all: readonly Stored<ClusterRole>[]): PolicyRule[] {
  const byName = all.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  const rules: PolicyRule[] = []
  for (const selector of sum.aggregationRule?.clusterRoleSelectors ?? [])
    for (const { metadata, rules: own } of byName) {
      if (metadata.name === sum.metadata.name || !selects(selector, metadata.labels ?? {})) continue
      for (const rule of own ?? []) if (!rules.some((known) => isDeepStrictEqual(known, rule))) rules.push(rule)
    }
  return rules
}
