import type { Report } from '../../../core/keep-fresh.ts'
import { reasons } from '../../../core/reasons.ts'

/** What stands between the agent and its hub, in a sentence that says what to do. */
export function awsTroubleOf({ state, message }: Report, cluster: string): string {
  switch (state) {
    case reasons.AwaitingApproval:
      return `the hub has not accepted the cluster ${cluster} yet; an administrator accepts it there with: lanyard accept ${cluster}`
    case reasons.KeepUnavailable:
      return message ?? 'the Secret with the kubeconfig of the hub could not be read or written; it is tried again'
    default:
      return message ?? 'the hub could not be asked whether it accepts the cluster; it is tried again'
  }
}
