import { done } from '../../../core/outcome.ts'
import { annotations } from '../../../fleet/names.ts'
import type { HubDeps } from '../../hub/deps.ts'
import type { HubDriver } from '../driver.ts'
import { csrController } from './hub-controller.ts'
import { clusterRequests } from './hub-requests.ts'

/** Joins by certificate requests that the hub's own API server signs. */
export function csrHubDriver(deps: HubDeps): HubDriver {
  const requests = clusterRequests(deps.view, deps.clock)
  const users = deps.settings.autoApprovedUsers ?? []
  return {
    name: 'csr',
    // A certificate is worth what RBAC gives its group, and nothing more; it cannot be taken back.
    grant: { ensure: async () => done, revoke: async () => done },
    accepts: users.length > 0,
    mayAutoAccept({ metadata }) {
      const creator = metadata.annotations?.[annotations.createdBy]
      // Without our webhook nobody wrote down who created it: a request of a listed user for it stands for that.
      const asked = creator === undefined ? requests.of(metadata.name).map(({ requester }) => requester) : [creator]
      return asked.some((user) => users.includes(user)) ? 'a listed user created it' : undefined
    },
    run: csrController(deps, requests).run,
  }
}
