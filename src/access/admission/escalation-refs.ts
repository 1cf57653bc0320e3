/** What an escalation names: whether it is there, and can be used. */
import type { EscalationSpec } from '../../apis/breakglass/breakglass-escalation.ts'
import type { Mistake } from '../../fleet/mistake.ts'
import { mistake } from '../../fleet/mistake.ts'

/** What there is, by name; of what can be switched off, whether it is. */
export interface KnownObjects {
  /** How many ClusterConfigs of a name there are. */
  clusters(name: string): number
  /** Whether all of them keep people from approving what they asked for. */
  blocksSelfApproval(cluster: string): boolean
  provider(name: string): 'usable' | 'disabled' | undefined
  hasPolicy(name: string): boolean
  mailProvider(name: string): 'usable' | 'disabled' | undefined
}

/** Of the ClusterConfigs of one name: as long as none is there, nobody is kept from it. */
export const blocksSelfApproval = (configs: readonly { spec: { blockSelfApproval?: boolean } }[]): boolean =>
  configs.length > 0 && configs.every(({ spec }) => spec.blockSelfApproval === true)

export type RefCheck = (spec: EscalationSpec, known: KnownObjects) => Mistake[]

/** Names only: a pattern may fit a cluster that comes later. */
export const clusterRefMistakes: RefCheck = (spec, known) =>
  clusterFields(spec).flatMap(([field, name]) => {
    if (name.includes('*')) return []
    const count = known.clusters(name)
    if (count === 0) return [mistake(field, `there is no ClusterConfig ${name}`)]
    return count === 1 ? [] : [mistake(field, `more than one ClusterConfig is called ${name}; keep one of them`)]
  })

/** The clusters that it names, or patterns of them, by field. */
export const clusterFields = ({ allowed, clusterConfigRefs = [] }: EscalationSpec): (readonly [string, string])[] => [
  ...(allowed.clusters ?? []).map((name, index) => [`spec.allowed.clusters[${index}]`, name] as const),
  ...clusterConfigRefs.map((name, index) => [`spec.clusterConfigRefs[${index}]`, name] as const),
]

/** Whether all that it names as clusters is wrong: then nobody can ask for anything. */
export const leadsNowhere = (spec: EscalationSpec, mistakes: readonly Mistake[]): boolean => {
  const fields = clusterFields(spec)
  return fields.length > 0 && mistakes.length === fields.length
}

const providerLists = [
  'allowedIdentityProviders',
  'allowedIdentityProvidersForRequests',
  'allowedIdentityProvidersForApprovers',
] as const

export const providerRefMistakes: RefCheck = (spec, known) =>
  providerLists.flatMap((list) =>
    (spec[list] ?? []).flatMap((name, index) => {
      const found = known.provider(name)
      if (found === 'usable') return []
      const problem = found ? 'is disabled; enable it' : 'is not there'
      return [mistake(`spec.${list}[${index}]`, `IdentityProvider ${name} ${problem}`)]
    }),
  )

/** Whether a list names nobody who could be let in. */
export const letsNobodyIn = (spec: EscalationSpec, known: KnownObjects): boolean =>
  providerLists.some((list) => {
    const names = spec[list] ?? []
    return names.length > 0 && names.every((name) => known.provider(name) !== 'usable')
  })

export const policyRefMistakes: RefCheck = ({ denyPolicyRefs = [] }, known) =>
  denyPolicyRefs.flatMap((name, index) =>
    known.hasPolicy(name)
      ? []
      : [
          mistake(
            `spec.denyPolicyRefs[${index}]`,
            `there is no DenyPolicy ${name}; until there is, sessions grant nothing`,
          ),
        ],
  )

export const mailProviderMistakes: RefCheck = ({ mailProvider }, known) => {
  if (mailProvider === undefined) return []
  const found = known.mailProvider(mailProvider)
  if (found === 'usable') return []
  const problem = found ? 'is disabled; enable it' : 'is not there'
  return [mistake('spec.mailProvider', `MailProvider ${mailProvider} ${problem}; nobody gets mail`)]
}

export const refChecks = [clusterRefMistakes, providerRefMistakes, policyRefMistakes, mailProviderMistakes] as const
