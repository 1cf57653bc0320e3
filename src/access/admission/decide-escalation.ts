import { isDeepStrictEqual } from 'node:util'
import { BreakglassEscalation } from '../../apis/breakglass/breakglass-escalation.ts'
import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { DenyPolicy } from '../../apis/breakglass/deny-policy.ts'
import { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import { MailProvider } from '../../apis/breakglass/mail-provider.ts'
import type { AdmissionRequest, Verdict } from '../../fleet/admission.ts'
import { allowed, badRequest, forbidden } from '../../fleet/admission.ts'
import { newOnes, sentenceOf } from '../../fleet/mistake.ts'
import type { Kube } from '../../kube/kube.ts'
import type { AccessSettings } from '../settings.ts'
import { escalationMistakes, escalationNameTaken } from './check-escalation.ts'
import type { KnownObjects } from './escalation-refs.ts'
import { blocksSelfApproval, refChecks } from './escalation-refs.ts'
import { decideGiving } from './escalation-rights.ts'
import type { IsOwnUser } from './own-user.ts'
import { escalationWarnings } from './warnings.ts'

export interface DecideEscalationDeps {
  kube: Kube
  settings(): AccessSettings
  isOwnUser: IsOwnUser
}

/**
 * Only what changes is looked at: what was stored before may stay. What an escalation names may come later, so that it
 * is not there is told, not refused; until it is, the status says so.
 */
export async function decideEscalation(
  { kube, settings, isOwnUser }: DecideEscalationDeps,
  { object, oldObject, namespace = '', subResource, userInfo }: AdmissionRequest<BreakglassEscalation>,
  signal: AbortSignal,
): Promise<Verdict> {
  if (subResource === 'status') return decideStatus(object, oldObject, () => isOwnUser(userInfo.username))
  if (!object || (oldObject && isDeepStrictEqual(object.spec, oldObject.spec))) return allowed
  const mistakesIn = (escalation: BreakglassEscalation) => escalationMistakes(escalation, settings())
  const wrong = sentenceOf(newOnes(mistakesIn(object), oldObject ? mistakesIn(oldObject) : []))
  if (wrong) return badRequest(wrong)
  if (!oldObject) {
    const name = object.metadata?.name
    const { items } = await kube
      .of(BreakglassEscalation.resource)
      .metadata.list({ ...(name !== undefined && { fieldSelector: `metadata.name=${name}` }), signal })
    const taken = sentenceOf(escalationNameTaken({ name, namespace }, items))
    if (taken) return badRequest(taken)
  }
  const old = oldObject?.spec
  const giving = await decideGiving(kube, userInfo, { spec: object.spec, old, namespace }, signal)
  if (!giving.allowed) return giving
  const known = await knownObjects(kube, signal)
  const missing = refChecks.flatMap((check) => check(object.spec, known)).map((one) => `${one.field}: ${one.problem}`)
  return { allowed: true, warnings: [...missing, ...escalationWarnings(object.spec, known)] }
}

/** Who approves is read there too: the members of groups of approvers. */
async function decideStatus(
  object: BreakglassEscalation | null | undefined,
  oldObject: BreakglassEscalation | null | undefined,
  isOwn: () => Promise<boolean>,
): Promise<Verdict> {
  if (isDeepStrictEqual(object?.status, oldObject?.status) || (await isOwn())) return allowed
  return forbidden('status: only the hub itself writes it; change the spec')
}

async function knownObjects(kube: Kube, signal: AbortSignal): Promise<KnownObjects> {
  const [configs, providers, policies, mailProviders] = await Promise.all([
    kube.of(ClusterConfig.resource).list({ signal }),
    kube.of(IdentityProvider.resource).list({ signal }),
    kube.of(DenyPolicy.resource).metadata.list({ signal }),
    kube.of(MailProvider.resource).list({ signal }),
  ])
  const named = <T extends { metadata: { name: string } }>(items: readonly T[], name: string) =>
    items.filter(({ metadata }) => metadata.name === name)
  const usable = (items: readonly { metadata: { name: string }; spec?: { disabled?: boolean } }[], name: string) => {
    const [found] = named(items, name)
    return found && (found.spec?.disabled ? 'disabled' : 'usable')
  }
  return {
    clusters: (name) => named(configs.items, name).length,
    blocksSelfApproval: (name) => blocksSelfApproval(named(configs.items, name)),
    provider: (name) => usable(providers.items, name),
    hasPolicy: (name) => named(policies.items, name).length > 0,
    mailProvider: (name) => usable(mailProviders.items, name),
  }
}
