import type { BreakglassEscalation } from '../../apis/breakglass/breakglass-escalation.ts'
import type { Reason } from '../../core/reason.ts'
import type { Mistake } from '../../fleet/mistake.ts'
import { sentenceOf } from '../../fleet/mistake.ts'
import type { Stored } from '../../kube/objects.ts'
import type { EscalationSettings } from '../admission/check-escalation.ts'
import { escalationMistakes, escalationNameTaken } from '../admission/check-escalation.ts'
import type { KnownObjects } from '../admission/escalation-refs.ts'
import {
  clusterRefMistakes,
  leadsNowhere,
  letsNobodyIn,
  mailProviderMistakes,
  policyRefMistakes,
  providerRefMistakes,
} from '../admission/escalation-refs.ts'
import { reasons } from './reasons.ts'
import type { Finding } from './write-conditions.ts'

type Escalation = Stored<BreakglassEscalation>

/**
 * What is found of an escalation. It is Ready unless what is wrong stops everybody who would use it: a cluster that
 * left, or a mail provider, must not take from people their way into the clusters that remain.
 */
export function escalationFindings(
  escalation: Escalation,
  sameName: readonly Escalation[],
  known: KnownObjects,
  settings: EscalationSettings,
): Finding[] {
  const { spec, metadata } = escalation
  const config = [...escalationMistakes(escalation, settings), ...escalationNameTaken(metadata, sameName)]
  const clusters = clusterRefMistakes(spec, known)
  const providers = providerRefMistakes(spec, known)
  const policies = policyRefMistakes(spec, known)
  const mail = mailProviderMistakes(spec, known)
  const stopping = [
    ...config,
    ...policies,
    ...(leadsNowhere(spec, clusters) ? clusters : []),
    ...(letsNobodyIn(spec, known) ? providers : []),
  ]
  const others = [...clusters, ...providers, ...mail].filter((one) => !stopping.includes(one))
  return [
    ready(stopping, others),
    finding('ConfigValidated', config, reasons.ConfigValidationFailed),
    finding('ClusterRefsValid', clusters, reasons.ClusterRefValidationFailed),
    finding('IDPRefsValid', providers, reasons.IDPRefValidationFailed),
    finding('DenyPolicyRefsValid', policies, reasons.DenyPolicyRefValidationFailed),
    finding('MailProviderValid', mail, reasons.MailProviderValidationFailed),
  ]
}

function ready(stopping: readonly Mistake[], others: readonly Mistake[]): Finding {
  const found = finding('Ready', stopping, reasons.ValidationFailed)
  if (found.status === 'False' || others.length === 0) return found
  return { ...found, message: `it can be asked for; yet ${sentenceOf(others)}` }
}

export function finding(type: string, mistakes: readonly Mistake[], reason: Reason): Finding {
  const wrong = sentenceOf(mistakes)
  return wrong === undefined
    ? { type, status: 'True', reason: reasons.ValidationSucceeded, message: 'nothing is wrong with it' }
    : { type, status: 'False', reason, message: wrong }
}
