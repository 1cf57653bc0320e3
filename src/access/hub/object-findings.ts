/** What is found of the objects that name nothing else than Secrets, each by the rules that admission has. */
import type { AuditConfig } from '../../apis/breakglass/audit-config.ts'
import type { DenyPolicy } from '../../apis/breakglass/deny-policy.ts'
import type { MailProvider } from '../../apis/breakglass/mail-provider.ts'
import { findCondition } from '../../core/conditions.ts'
import type { Reason } from '../../core/reason.ts'
import { sentenceOf } from '../../fleet/mistake.ts'
import type { Stored } from '../../kube/objects.ts'
import { auditMistakes, idleSettings, unservedSinks } from '../admission/check-audit.ts'
import { defaultTaken, mailMistakes } from '../admission/check-mail.ts'
import { policyMistakes } from '../admission/check-policy.ts'
import { finding } from './escalation-findings.ts'
import { reasons } from './reasons.ts'
import type { Finding } from './write-conditions.ts'

export const policyFinding = (policy: DenyPolicy): Finding =>
  finding('Ready', policyMistakes(policy), reasons.ValidationFailed)

export function auditFinding(config: AuditConfig): Finding {
  const wrong = sentenceOf(auditMistakes(config))
  if (wrong !== undefined) return ready('False', reasons.ValidationFailed, wrong)
  const unserved = config.spec ? unservedSinks(config.spec) : []
  if (unserved.length > 0)
    return ready(
      'False',
      reasons.ValidationFailed,
      `Lanyard does not send to Kafka, so nothing gets to ${unserved.join(', ')}; what else is there gets its events`,
    )
  const isOff = config.spec?.enabled === false
  const idle = config.spec ? idleSettings(config.spec) : []
  const message = isOff ? 'it is right, and switched off' : 'events are sent as it says'
  return ready('True', reasons.ConfigurationValid, [message, ...idle].join('; '))
}

/** Whether the server answers is looked at by whoever sends the mail: it says so in the condition Healthy. */
export function mailFinding(provider: Stored<MailProvider>, others: readonly MailProvider[]): Finding {
  if (provider.spec?.disabled) return ready('False', reasons.Disabled, 'spec.disabled is true: it sends nothing')
  const wrong = sentenceOf([...mailMistakes(provider), ...defaultTaken(provider, others)])
  if (wrong !== undefined) return ready('False', reasons.ValidationFailed, wrong)
  const health = findCondition(provider.status?.conditions, 'Healthy')
  const isOfThis =
    health?.observedGeneration === undefined || health.observedGeneration === provider.metadata.generation
  if (health?.status === 'False' && isOfThis) return ready('False', reasons.Unhealthy, health.message)
  return ready('True', reasons.Configured, 'mail can be sent by it')
}

const ready = (status: Finding['status'], reason: Reason, message: string): Finding => ({
  type: 'Ready',
  status,
  reason,
  message,
})
