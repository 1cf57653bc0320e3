import { Klusterlet } from '../../apis/operator/klusterlet.ts'
import type { ConditionReport } from '../../core/conditions.ts'
import { findCondition, rfc3339 } from '../../core/conditions.ts'
import { isFailure } from '../../core/failure.ts'
import type { Reason } from '../../core/reason.ts'
import type { Connection } from '../../kube/connection.ts'
import type { Stored } from '../../kube/objects.ts'
import type { OperationDeps } from '../../registration/operations/accept.ts'
import { takeOffHub } from '../../registration/operations/take-off.ts'
import type { OperatorDeps } from '../deps.ts'
import { conditions } from '../names.ts'
import { reasons } from '../reasons.ts'
import type { StatusWriter } from '../status.ts'
import { throughAlias } from './host-alias.ts'

const report = (status: 'True' | 'False', reason: Reason, message: string): ConditionReport => ({
  type: conditions.hubLeft,
  status,
  reason,
  message,
})

/** Reasons after which the hub is not asked again. */
const settled: readonly string[] = [reasons.LeftHub, reasons.NeverJoined, reasons.HubNotTold]

interface Leaving {
  klusterlet: Stored<Klusterlet>
  /** The namespace of its agent. */
  home: string
  status: StatusWriter
  deps: OperatorDeps
  signal: AbortSignal
}

/**
 * Tells the hub, as the agent, that the cluster leaves; throws to be tried again. Once it was told, or could not be in
 * time, that is written down and stays so: afterwards the identity to tell it with is gone.
 */
export async function leaveHub({ klusterlet, home, status, deps, signal }: Leaving): Promise<void> {
  const { clock, settings, events } = deps
  const connect = (connection: Connection) =>
    deps.connect(throughAlias(connection, klusterlet.spec?.hubApiServerHostAlias))
  if (settled.includes(findCondition(status.status.conditions, conditions.hubLeft)?.reason ?? '')) return
  const since = new Date(klusterlet.metadata.deletionTimestamp ?? clock.now())
  const giveUpAt = new Date(since.getTime() + settings.hubGoneMs)
  const operation: OperationDeps = { kube: deps.kube, clock, signal }
  try {
    const steps = await Array.fromAsync(takeOffHub(home, { ...operation, connect, env: deps.env }))
    const said = steps.flatMap((step) =>
      'did' in step ? [`${step.did}${step.detail ? ` (${step.detail})` : ''}`] : [],
    )
    await status.write({ conditions: [report('True', reasons.LeftHub, `${said.join('; ')}.`)] })
  } catch (error) {
    signal.throwIfAborted()
    if (isFailure(error, 'UNJOIN_NO_IDENTITY')) {
      const message = 'The cluster has no identity on a hub. If a hub lists it all the same, remove it there.'
      return await status.write({ conditions: [report('True', reasons.NeverJoined, message)] })
    }
    const why = error instanceof Error ? error.message : String(error)
    if (clock.now() >= giveUpAt) {
      const message = `The hub was not told: ${why}. Remove the cluster there with \`lanyard unjoin\`.`
      await status.write({ conditions: [report('False', reasons.HubNotTold, message)] })
      // The condition goes with the Klusterlet; whoever wonders about the hub looks here.
      return events.record(Klusterlet.resource, klusterlet, { type: 'Warning', reason: reasons.HubNotTold, message })
    }
    const message = `The hub is told until ${rfc3339(giveUpAt)}, then the agent is removed all the same: ${why}`
    await status.write({ conditions: [report('False', reasons.LeavingHub, message)] })
    throw error
  }
}
