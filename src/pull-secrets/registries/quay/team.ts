import type { Log } from '../../../core/log.ts'
import { failures } from '../../failures.ts'
import type { RegistryHttp } from '../http/index.ts'
import { isSuccess, route } from '../http/index.ts'
import { markerOf } from './markers.ts'
import { memberRule, nameRule } from './names.ts'

const ruled = { org: nameRule, team: nameRule }
const routes = {
  members: route('GET', '/organization/{org}/team/{team}/members', ruled),
  make: route('PUT', '/organization/{org}/team/{team}', ruled),
  join: route('PUT', '/organization/{org}/team/{team}/members/{member}', { ...ruled, member: memberRule }),
}

/** Quay reads from replicas: what was made just now may not be seen at once. */
const attempts = 4

export interface Team {
  /** Twice is the same as once. REGISTRY_REFUSED: it never will be a member. */
  join(member: string, signal: AbortSignal): Promise<void>
  check(signal: AbortSignal): Promise<void>
}

export function teamOf(
  { id, org, team }: { id: string; org: string; team: string },
  { http, log }: { http: RegistryHttp; log: Log },
): Team {
  const refused = (detail: string) => failures.REGISTRY_REFUSED({ registry: id, detail })
  const notSeen = (what: string) =>
    failures.REGISTRY_UNAVAILABLE({ registry: id, detail: `it does not see ${what} yet`, retryAfterSeconds: 5 })
  let making: Promise<void> | undefined

  /**
   * Only after a 404 to a membership: the same call resets the role of a team that exists. One at a time; false for who
   * waited for somebody else's, which may have failed.
   */
  async function make(signal: AbortSignal): Promise<boolean> {
    if (making) {
      await making.catch(() => {})
      return false
    }
    making = put(signal).finally(() => {
      making = undefined
    })
    await making
    return true
  }

  async function put(signal: AbortSignal): Promise<void> {
    const answer = await http.call(routes.make(id, { org, team }), {
      repeat: 'safe',
      signal,
      body: { role: 'member', description: 'Created by HyperFleet Pull Secret Service' },
    })
    if (!isSuccess(answer)) throw refused(`status ${answer.status} to a new team`)
    log.info({ team }, 'team created')
  }

  return {
    async join(member, signal) {
      let wasMade = false
      for (let attempt = 0; ; attempt++) {
        const answer = await http.call(routes.join(id, { org, team, member }), { repeat: 'safe', signal, body: {} })
        const marker = answer.status === 400 ? markerOf(answer.json) : undefined
        if (isSuccess(answer) || marker === 'alreadyMember') return
        const isTeamMissing = answer.status === 404
        if (!isTeamMissing && marker !== 'unknownUser') throw refused(`status ${answer.status} to a membership`)
        if (attempt === attempts - 1) throw notSeen(isTeamMissing ? 'the team' : 'the robot')
        if (isTeamMissing && !wasMade) wasMade = await make(signal)
        else await http.pause(attempt, signal)
      }
    },
    async check(signal) {
      const answer = await http.call(routes.members(id, { org, team }), { repeat: 'safe', signal })
      if (answer.status === 404)
        log.warn({ team }, 'team does not exist yet; it will be made, and needs its rights then')
      else if (!isSuccess(answer)) throw refused(`status ${answer.status} to a look at the team`)
    },
  }
}
