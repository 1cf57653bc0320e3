import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { domainProblem, refProblem } from '../../fleet/field-problems.ts'
import type { Mistake } from '../../fleet/mistake.ts'
import { mistake } from '../../fleet/mistake.ts'
import { pinSecret } from '../../fleet/spoke/names.ts'
import { oidcMistakes } from './check-oidc.ts'
import type { ConfigSpec } from './secret-refs.ts'
import { blocks, oidcBlocks, secretsOf } from './secret-refs.ts'

/** What is wrong with a ClusterConfig, as far as that can be said without asking anybody. */
export const configMistakes = ({ metadata, spec }: ClusterConfig): Mistake[] => [
  ...nameMistakes(metadata?.name ?? ''),
  ...blockMistakes(spec),
  ...oidcBlocks.flatMap((block) => oidcMistakes(spec, block)),
  ...blocks.flatMap((block) =>
    secretsOf(spec, block).flatMap(({ field, ref }) => {
      const problem = refProblem(ref)
      return problem === undefined ? [] : [mistake(field, problem, ref)]
    }),
  ),
  ...(spec.allowedApproverDomains ?? []).flatMap((domain, index) => {
    const problem = domainProblem(domain)
    return problem === undefined ? [] : [mistake(`spec.allowedApproverDomains[${index}]`, problem, domain)]
  }),
]

const longestName = 253

const nameMistakes = (name: string): Mistake[] =>
  pinSecret(name).length <= longestName
    ? []
    : [mistake('metadata.name', `must leave room for the name of a Secret ${pinSecret('NAME')}; choose a shorter one`)]

/** Exactly one block, and no word against it. */
function blockMistakes(spec: ConfigSpec): Mistake[] {
  const given = blocks.filter((block) => spec[block] !== undefined)
  const [first, second] = given
  const { authType } = spec
  if (!first)
    return [
      mistake('spec', `does not say how to get into the cluster; give exactly one of ${inWords(blocks)}`, authType),
    ]
  if (second) return [mistake(`spec.${second}`, `and spec.${first} are mutually exclusive; keep one of the two`, given)]
  const means = first === 'kubeconfigSecretRef' ? 'Kubeconfig' : 'OIDC'
  if (authType === undefined || authType === means) return []
  return [mistake('spec.authType', `is ${authType}, but spec.${first} is given; leave it out or say ${means}`, first)]
}

const inWords = ([...names]: readonly string[]): string => {
  const last = names.pop()
  return `${names.join(', ')} and ${last}`
}
