/** What is said of a Klusterlet, from what was found. Pure. */
import type { Deployment } from 'kubernetes-types/apps/v1.d.ts'
import type { ConditionReport } from '../../core/conditions.ts'
import type { Reason } from '../../core/reason.ts'
import { conditions } from '../names.ts'
import { reasons } from '../reasons.ts'
import { gatesReport, specHonored } from '../spec-reports.ts'
import type { KlusterletPlan } from './plan.ts'

export const notApplied = (reason: Reason, message: string): ConditionReport => ({
  type: conditions.applied,
  status: 'False',
  reason,
  message,
})

export const applied = (namespace: string): ConditionReport => ({
  type: conditions.applied,
  status: 'True',
  reason: reasons.KlusterletApplied,
  message: `The agent is deployed in ${namespace}.`,
})

/** What the plan alone tells. */
export const planned = (plan: KlusterletPlan): ConditionReport[] =>
  plan.step === 'refuse' ? [gatesReport(plan.gateMistakes)] : [gatesReport([]), specHonored(plan.ignored)]

/** What the Deployment of the agent tells. Undefined: there is none. */
export function deploymentReports(deployment: Deployment | undefined): ConditionReport[] {
  const name = `Deployment ${deployment?.metadata?.namespace}/${deployment?.metadata?.name}`
  const wanted = deployment?.spec?.replicas ?? 1
  const there = deployment?.status?.availableReplicas ?? 0
  const report = (type: string, status: 'True' | 'False', reason: Reason, message: string): ConditionReport => ({
    type,
    status,
    reason,
    message,
  })
  if (!deployment) {
    const message = 'The agent has no Deployment; the condition Applied says why.'
    return [
      report(conditions.available, 'False', reasons.GetDeploymentFailed, message),
      report(conditions.registrationDegraded, 'True', reasons.GetDeploymentFailed, message),
    ]
  }
  const message = `${there} of ${wanted} pods of ${name} are available.`
  return [
    there > 0
      ? report(conditions.available, 'True', reasons.KlusterletAvailable, message)
      : report(conditions.available, 'False', reasons.NoAvailablePods, message),
    there < wanted
      ? report(conditions.registrationDegraded, 'True', reasons.UnavailablePods, message)
      : report(conditions.registrationDegraded, 'False', reasons.DeploymentsFunctional, message),
  ]
}
