/** What the hub says to writes of escalations, sessions, policies, audit configurations and mail providers before they are stored. */
import type { AuditConfig } from '../../apis/breakglass/audit-config.ts'
import type { BreakglassEscalation } from '../../apis/breakglass/breakglass-escalation.ts'
import type { BreakglassSession } from '../../apis/breakglass/breakglass-session.ts'
import type { DenyPolicy } from '../../apis/breakglass/deny-policy.ts'
import type { MailProvider } from '../../apis/breakglass/mail-provider.ts'
import type { AdmissionRequest, AdmissionWebhook } from '../../fleet/admission.ts'
import type { Kube } from '../../kube/kube.ts'
import type { AccessSettings } from '../settings.ts'
import { decideEscalation } from './decide-escalation.ts'
import { decideAudit, decideMailProvider, decidePolicy } from './decide-others.ts'
import { decideSession } from './decide-session.ts'
import { declarations } from './declarations.ts'
import { ownUser } from './own-user.ts'
import { recordCreator } from './session-creator.ts'

export { accessDeclarations } from './declarations.ts'

export interface AccessAdmissionDeps {
  /** The hub. */
  kube: Kube
  clock: { now(): Date }
  settings(): AccessSettings
}

export function accessWebhooks(deps: AccessAdmissionDeps): AdmissionWebhook[] {
  const { kube } = deps
  const known = { ...deps, isOwnUser: ownUser(deps) }
  return [
    {
      ...declarations.checkEscalations,
      decide: (request, signal) => decideEscalation(known, request as AdmissionRequest<BreakglassEscalation>, signal),
    },
    {
      ...declarations.checkSessions,
      decide: (request, signal) => decideSession(known, request as AdmissionRequest<BreakglassSession>, signal),
    },
    { ...declarations.recordCreators, decide: (request) => recordCreator(known, request) },
    {
      ...declarations.checkPolicies,
      decide: (request, signal) => decidePolicy(kube, request as AdmissionRequest<DenyPolicy>, signal),
    },
    {
      ...declarations.checkAudits,
      decide: (request, signal) => decideAudit(kube, request as AdmissionRequest<AuditConfig>, signal),
    },
    {
      ...declarations.checkMailProviders,
      decide: (request, signal) => decideMailProvider(kube, request as AdmissionRequest<MailProvider>, signal),
    },
  ]
}
