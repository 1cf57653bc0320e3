/** What is said of a ClusterManager, from what was found. Pure. */
import type { Deployment } from 'kubernetes-types/apps/v1.d.ts'
import type { ConditionReport } from '../../core/conditions.ts'
import type { Reason } from '../../core/reason.ts'
import { conditions } from '../names.ts'
import { reasons } from '../reasons.ts'

const report = (type: string, status: 'True' | 'False', reason: Reason, message: string): ConditionReport => ({
  type,
  status,
  reason,
  message,
})

export const notApplied = (reason: Reason, message: string): ConditionReport =>
  report(conditions.applied, 'False', reason, message)

export const applied = (namespace: string): ConditionReport =>
  report(conditions.applied, 'True', reasons.ClusterManagerApplied, `The hub is deployed in ${namespace}.`)

/** What the Deployment of the hub tells. Undefined: there is none. */
export function deploymentReports(deployment: Deployment | undefined): ConditionReport[] {
  const { hubRegistrationDegraded: degraded, progressing } = conditions
  if (!deployment) {
    const message = 'The hub has no Deployment; the condition Applied says why.'
    return [
      report(degraded, 'True', reasons.GetRegistrationDeploymentFailed, message),
      report(progressing, 'True', reasons.ClusterManagerDeploymentRolling, message),
    ]
  }
  const { metadata, spec, status } = deployment
  const wanted = spec?.replicas ?? 1
  const there = status?.availableReplicas ?? 0
  const message = `${there} of ${wanted} pods of the hub are available.`
  const isNew = status?.observedGeneration === metadata?.generation && (status?.updatedReplicas ?? 0) >= wanted
  return [
    there < wanted
      ? report(degraded, 'True', reasons.UnavailableRegistrationPod, message)
      : report(degraded, 'False', reasons.RegistrationFunctional, message),
    isNew && there >= wanted && (status?.replicas ?? 0) <= wanted
      ? report(progressing, 'False', reasons.ClusterManagerUpToDate, 'Every pod is of the newest form and available.')
      : report(progressing, 'True', reasons.ClusterManagerDeploymentRolling, 'Pods are being started or replaced.'),
  ]
}
