import type { NamespaceFilter } from '../../apis/breakglass/common.ts'
import type { Mistake } from '../../fleet/mistake.ts'
import { mistake } from '../../fleet/mistake.ts'
import { clusterPatternProblem, eachMistake } from './fields.ts'

/** Names of namespaces have the form of names of clusters. */
const patternProblem = (text: string): string | undefined =>
  clusterPatternProblem(text) && 'must be the name of a namespace, in which * may stand for anything'

export function namespaceMistakes(at: string, filter: NamespaceFilter | undefined): Mistake[] {
  if (!filter) return []
  const requirements = (filter.selectorTerms ?? []).flatMap(({ matchExpressions = [] }, term) =>
    matchExpressions.flatMap(({ operator, values = [] }, index) => {
      const field = `${at}.selectorTerms[${term}].matchExpressions[${index}].values`
      const needsValues = operator === 'In' || operator === 'NotIn'
      if (needsValues === values.length > 0) return []
      return [
        mistake(field, needsValues ? `is required with ${operator}` : `must be left out with ${operator}`, operator),
      ]
    }),
  )
  return [...eachMistake(`${at}.patterns`, filter.patterns, patternProblem), ...requirements]
}
