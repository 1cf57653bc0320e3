/** What is decided by a look at the object and, at most, at others of its kind and at Secrets. */
import { isDeepStrictEqual } from 'node:util'
import type { AuditConfig } from '../../apis/breakglass/audit-config.ts'
import type { DenyPolicy } from '../../apis/breakglass/deny-policy.ts'
import { MailProvider } from '../../apis/breakglass/mail-provider.ts'
import type { AdmissionRequest, Verdict } from '../../fleet/admission.ts'
import { allowed, badRequest } from '../../fleet/admission.ts'
import type { Mistake } from '../../fleet/mistake.ts'
import { newOnes, sentenceOf } from '../../fleet/mistake.ts'
import type { NamedSecret } from '../../fleet/secret-rights.ts'
import { askedOf, decideRights } from '../../fleet/secret-rights.ts'
import type { Kube } from '../../kube/kube.ts'
import type { KubeObject } from '../../kube/objects.ts'
import { auditMistakes, auditSecretsPutToUse, auditWarnings } from './check-audit.ts'
import { defaultTaken, mailMistakes, mailSecretsPutToUse, mailWarnings } from './check-mail.ts'
import { policyMistakes, policyWarnings } from './check-policy.ts'

interface Looked<T extends KubeObject> {
  mistakesIn(object: T): Mistake[]
  /** Among the others of its kind. */
  collides?(object: T, signal: AbortSignal): Promise<Mistake[]>
  secrets?(object: T, old: T | undefined): NamedSecret[]
  warnings(object: T): string[]
}

/** Only what changes is looked at: what was stored before may stay, and may be let go of. */
async function decide<T extends KubeObject & { spec?: unknown }>(
  kube: Kube,
  { object, oldObject, userInfo }: AdmissionRequest<T>,
  { mistakesIn, collides, secrets, warnings }: Looked<T>,
  signal: AbortSignal,
): Promise<Verdict> {
  if (!object || (oldObject && isDeepStrictEqual(object.spec, oldObject.spec))) return allowed
  const old = oldObject ?? undefined
  const wrong = sentenceOf(newOnes(mistakesIn(object), old ? mistakesIn(old) : []))
  if (wrong) return badRequest(wrong)
  const taken = sentenceOf((await collides?.(object, signal)) ?? [])
  if (taken) return badRequest(taken)
  const verdict = await decideRights(kube, userInfo, (secrets?.(object, old) ?? []).flatMap(askedOf), signal)
  return verdict.allowed ? { allowed: true, warnings: warnings(object) } : verdict
}

export const decidePolicy = (kube: Kube, request: AdmissionRequest<DenyPolicy>, signal: AbortSignal) =>
  decide(kube, request, { mistakesIn: policyMistakes, warnings: ({ spec }) => policyWarnings(spec) }, signal)

export const decideAudit = (kube: Kube, request: AdmissionRequest<AuditConfig>, signal: AbortSignal) =>
  decide(
    kube,
    request,
    {
      mistakesIn: auditMistakes,
      secrets: ({ spec }, old) => (spec ? auditSecretsPutToUse(spec, old?.spec) : []),
      warnings: ({ spec }) => (spec ? auditWarnings(spec) : []),
    },
    signal,
  )

export const decideMailProvider = (kube: Kube, request: AdmissionRequest<MailProvider>, signal: AbortSignal) =>
  decide(
    kube,
    request,
    {
      mistakesIn: mailMistakes,
      collides: async (provider, until) =>
        provider.spec?.default
          ? defaultTaken(provider, (await kube.of(MailProvider.resource).list({ signal: until })).items)
          : [],
      secrets: mailSecretsPutToUse,
      warnings: mailWarnings,
    },
    signal,
  )
