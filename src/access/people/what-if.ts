import type { Asked, Review } from '../authorize/contract.ts'
import type { PolicyRequest } from '../policies/contract.ts'
import { whyNeverGranted } from '../policies/impersonation.ts'
import type { Escalation } from '../sessions/index.ts'
import { tenantOf } from '../tenant.ts'
import type { PeopleDeps } from './deps.ts'

interface WhatIfDeps extends Pick<PeopleDeps, 'reviews' | 'policies' | 'settings' | 'spokeView'> {
  /** With which clusters may write the groups of whom it is about. */
  readonly prefixes: readonly string[]
}

/** Groups and escalations that are asked about one by one: each is a call to the cluster. */
const most = 20

export interface Rbac {
  readonly answer: Review['answer']
  /** The group that may by itself, where one does. */
  readonly group?: string
  readonly why?: string
}

/** Whether members of these groups may, by the cluster's own rules. What is bound to a single user is not seen here. */
export async function rbacOf(
  cluster: string,
  groups: readonly string[],
  asked: Asked,
  deps: WhatIfDeps,
  signal: AbortSignal,
): Promise<Rbac> {
  const all = [...new Set(groups.flatMap((group) => spelled(group, deps.prefixes)))]
  const together = await deps.reviews.ask(cluster, all, asked, signal)
  if (together.answer !== 'allowed') return together
  const each = await Promise.all(all.slice(0, most).map((group) => deps.reviews.ask(cluster, [group], asked, signal)))
  const group = all[each.findIndex(({ answer }) => answer === 'allowed')]
  return { answer: 'allowed', ...(group !== undefined && { group }) }
}

export interface Offer {
  readonly name: string
  readonly group: string
  readonly maxValidFor?: string
  readonly approvals: number
  /** Whether the cluster said so; else it could not be asked. */
  readonly verified: boolean
}

/** Of these escalations, those whose group may, and that no policy of theirs keeps from it. */
export async function wouldAllow(
  cluster: string,
  escalations: readonly Escalation[],
  asked: Asked,
  deps: WhatIfDeps,
  signal: AbortSignal,
): Promise<Offer[]> {
  const offers = await Promise.all(
    escalations.slice(0, most).map(async (escalation) => offerOf(cluster, escalation, asked, deps, signal)),
  )
  return offers.filter((offer) => offer !== undefined)
}

async function offerOf(
  cluster: string,
  { metadata, spec }: Escalation,
  asked: Asked,
  deps: WhatIfDeps,
  signal: AbortSignal,
): Promise<Offer | undefined> {
  const { escalatedGroup: group = '', maxValidFor, minApprovals = 1 } = spec
  if (await isForbidden(cluster, spec, asked, deps, signal)) return undefined
  const { answer } = await deps.reviews.ask(cluster, spelled(group, deps.prefixes), asked, signal)
  if (answer === 'refused') return undefined
  return {
    name: metadata.name,
    group,
    ...(maxValidFor !== undefined && { maxValidFor }),
    approvals: minApprovals,
    verified: answer === 'allowed',
  }
}

/** Whether policies keep a session of this escalation from it, those for everybody first, as in a decision. */
async function isForbidden(
  cluster: string,
  { denyPolicyRefs = [], podSecurityOverrides }: Escalation['spec'],
  asked: Asked,
  deps: WhatIfDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const request = policyRequest(cluster, asked, deps)
  const set = deps.policies.current()
  if (!set || whyNeverGranted(request) !== undefined) return true
  const held = { name: '', denyPolicyRefs, ...(podSecurityOverrides && { podSecurityOverrides }) }
  const facts = deps.policies.factsOf(cluster)
  const { denied } = await set.evaluate(request, facts, signal, [held])
  return denied || (await set.evaluateFor(held, request, facts, signal)).denied
}

function policyRequest(cluster: string, { verb, resource, path }: Asked, deps: WhatIfDeps): PolicyRequest {
  const [config] = deps.spokeView.configs.byIndex('name', cluster)
  const tenant = config ? tenantOf(config, deps.settings()) : ''
  return resource ? { cluster, tenant, verb, resource } : { cluster, tenant, verb, path: path ?? '' }
}

/** A group as it is written, and as clusters may know it. */
const spelled = (group: string, prefixes: readonly string[]): string[] =>
  group.startsWith('system:') ? [group] : [group, ...prefixes.map((prefix) => `${prefix}${group}`)]
