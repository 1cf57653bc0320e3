import type { PullDeps } from '../deps.ts'
import { bell } from '../loop.ts'
import { rotationsEnded } from './advance.ts'
import { cancelOpenRotation, cancelRotation, confirmRotation } from './closing.ts'
import type { Rotation, RotationAccounts } from './contract.ts'
import { expiryLoop } from './expiry.ts'
import { listRotations, rotationOf } from './history.ts'
import { requestRotation } from './request.ts'
import { rotationLoop } from './rotation-loop.ts'
import { viewOf } from './rows.ts'
import { scheduleLoop } from './schedule.ts'

/** @param accounts whether they go before or after what requests ask of the registries: after, unless it is urgent */
export function rotation(deps: PullDeps, accounts: RotationAccounts): Rotation {
  const ended = rotationsEnded(deps)
  const due = bell()
  return {
    async request(request, actor) {
      const asked = await requestRotation(deps, request, actor)
      due.ring()
      return asked
    },
    get: async (clusterId, id) => viewOf(await rotationOf(deps.database.db, clusterId, id)),
    list: (clusterId, page) => listRotations(deps, clusterId, page),
    async confirm(clusterId, id, actor) {
      const confirmed = await confirmRotation(deps, clusterId, id, actor)
      due.ring()
      return confirmed
    },
    cancel: (clusterId, id, actor) => cancelRotation(deps, accounts.urgent, clusterId, id, actor),
    async cancelOpen(tx, clusterId, actor) {
      const row = await cancelOpenRotation(tx, deps.clock.now(), clusterId, actor)
      if (row) ended.inc({ reason: row.reason, result: 'cancelled' })
    },
    loops: [{ ...rotationLoop(deps, accounts), bell: due }, scheduleLoop(deps), expiryLoop(deps, accounts.usual)],
  }
}
