import { randomInt } from 'node:crypto'
import { systemClock } from '../../core/clock.ts'
import type { StandIn } from './contract.ts'
import { keptState } from './kept-state.ts'
import type { Ask, Reply, ServingOptions } from './serving.ts'
import { serveStandIn } from './serving.ts'

export interface QuayOptions extends ServingOptions {
  org: string
  /** Made at the start, with role member. Absent: the organization has no team. */
  team?: string
}

export interface QuayTeam {
  role: string
  description: string
  /** Usernames. */
  members: ReadonlySet<string>
}

/** What a real one does now and then, or what nobody could verify. */
export interface QuaySwitches {
  /** Answers 503 to what changes anything. */
  isReadOnly: boolean
  /** For so many calls a robot is unknown to team memberships: they ask a replica. */
  replicaLag: number
  /** To calls on an organization that does not exist. */
  missingOrgStatus: 400 | 401 | 403
  /** ROBOTS_DISALLOW. */
  robotsAreDisallowed: boolean
  /** Short names of robots that mirror a repository: those cannot be deleted. */
  mirrored: Set<string>
}

export interface QuayStandIn extends StandIn {
  switches: QuaySwitches
  /** False once somebody has deleted it. */
  readonly hasOrg: boolean
  readonly teams: ReadonlyMap<string, QuayTeam>
}

interface Robot {
  token: string
  created: Date
  lastAccessed: Date | null
  description: string
  metadata: Record<string, unknown>
  federation: unknown[]
  /** Membership calls that still do not see it. */
  lag: number
}

interface Team extends QuayTeam {
  members: Set<string>
}

interface Kept {
  robots: [name: string, robot: Omit<Robot, 'created' | 'lastAccessed'> & { created: string }][]
  teams: [name: string, team: Omit<Team, 'members'> & { members: string[] }][]
}

const revived = ({ created, ...robot }: Kept['robots'][number][1]): Robot => ({
  ...robot,
  created: new Date(created),
  lastAccessed: null,
})

const nameRule = /^([a-z0-9]+(?:[._-][a-z0-9]+)*)$/
const roles = ['member', 'creator', 'admin']
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const tokenLength = 64

/** Quay's `/api/v1` for one organization: robots, teams, and the delete of the whole organization one segment above. */
export async function startQuay(options: QuayOptions): Promise<QuayStandIn> {
  const { org, clock = systemClock, canary = '' } = options
  const kept = keptState<Kept>(options.stateFile)
  const before = kept.read()
  const robots = new Map<string, Robot>(before?.robots.map(([name, robot]) => [name, revived(robot)]))
  const teams = new Map<string, Team>(
    before?.teams.map(([name, team]) => [name, { ...team, members: new Set(team.members) }]),
  )
  if (options.team && !teams.has(options.team))
    teams.set(options.team, { role: 'member', description: '', members: new Set() })
  let hasOrg = true
  const switches: QuaySwitches = {
    isReadOnly: false,
    replicaLag: 0,
    missingOrgStatus: 400,
    robotsAreDisallowed: false,
    mirrored: new Set(),
  }

  function answer(ask: Ask): Reply {
    const [root, orgName, kind, name, sub, member] = ask.segments
    if (root !== 'organization' || !orgName) return notFound
    if (switches.isReadOnly && ask.method !== 'GET') return readOnly
    if (orgName !== org || !hasOrg) return missingOrg(switches.missingOrgStatus)
    const { length } = ask.segments
    if (length === 2) return organization(ask)
    if (kind === 'robots' && length === 3) return ask.method === 'GET' ? listRobots(ask) : wrongMethod
    if (kind === 'robots' && name && length <= 5) return robotCall(ask, name, sub)
    if (kind === 'team' && name && length === 4) return teamCall(ask, name)
    if (kind === 'team' && name && sub === 'members' && length <= 6) return memberCall(ask, name, member)
    return notFound
  }

  function organization({ method }: Ask): Reply {
    if (method === 'GET') return { status: 200, body: { name: org, is_admin: true, teams: teamViews() } }
    if (method !== 'DELETE') return wrongMethod
    hasOrg = false
    robots.clear()
    teams.clear()
    return { status: 204 }
  }

  const teamViews = () =>
    Object.fromEntries([...teams].map(([name, { role, description }]) => [name, { name, role, description }]))

  function listRobots({ query }: Ask): Reply {
    const withToken = query.get('token') !== 'false'
    const limit = Number(query.get('limit') ?? robots.size)
    const listed = [...robots].slice(0, limit).map(([name, robot]) => robotView(org, name, robot, withToken))
    return { status: 200, body: { robots: listed } }
  }

  function robotCall(ask: Ask, name: string, sub?: string): Reply {
    const { method } = ask
    if (method === 'PUT' && sub === undefined) return createRobot(ask, name)
    const robot = robots.get(name)
    if (!robot) return dataError(`Could not find robot with specified username`)
    if (sub === 'regenerate' && method === 'POST') robot.token = mint(canary)
    else if (sub === 'permissions' && method === 'GET') return { status: 200, body: { permissions: [] } }
    else if (sub === 'federation') return federation(ask, robot)
    else if (sub !== undefined) return notFound
    else if (method === 'DELETE') return deleteRobot(name)
    else if (method !== 'GET') return wrongMethod
    return { status: 200, body: robotView(org, name, robot, true) }
  }

  function createRobot({ body }: Ask, name: string): Reply {
    const { description = '', unstructured_metadata: metadata = {} } = recordOf(body)
    if (switches.robotsAreDisallowed) return dataError('Robot account creation is disabled')
    if (name.length < 2 || name.length > 255 || !nameRule.test(name))
      return dataError(`The name for the robot '${name}' is invalid`)
    if (typeof description !== 'string' || description.length > 255)
      return apiError(400, 'invalid_request', 'description is too long')
    if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))
      return apiError(400, 'invalid_request', 'unstructured_metadata is not an object')
    if (robots.has(name)) return dataError(`Existing robot with name: ${org}+${name}`)
    const robot: Robot = {
      token: mint(canary),
      created: clock.now(),
      lastAccessed: null,
      description,
      metadata: metadata as Record<string, unknown>,
      federation: [],
      lag: switches.replicaLag,
    }
    robots.set(name, robot)
    return { status: 201, body: robotView(org, name, robot, true) }
  }

  function deleteRobot(name: string): Reply {
    if (switches.mirrored.has(name)) return dataError('Robot is being used by a mirror')
    robots.delete(name)
    for (const { members } of teams.values()) members.delete(`${org}+${name}`)
    return { status: 204 }
  }

  function teamCall({ method, body }: Ask, name: string): Reply {
    if (method === 'DELETE') return teams.delete(name) ? { status: 204 } : notFound
    if (method !== 'PUT') return wrongMethod
    const { role, description } = recordOf(body)
    if (typeof role !== 'string' || !roles.includes(role))
      return apiError(400, 'invalid_request', `'role' is a required property`)
    const existing = teams.get(name)
    if (!existing && (name.length < 2 || name.length > 255 || !nameRule.test(name)))
      return dataError(`Invalid team name ${name}`)
    const team: Team = existing ?? { role, description: '', members: new Set() }
    team.role = role
    if (typeof description === 'string') team.description = description
    teams.set(name, team)
    return { status: 200, body: { name, role, description: team.description, can_view: true, new_team: !existing } }
  }

  function memberCall({ method }: Ask, teamName: string, member?: string): Reply {
    const team = teams.get(teamName)
    if (!team) return notFound
    if (member === undefined) {
      const members = [...team.members].map(memberView)
      return method === 'GET' ? { status: 200, body: { name: teamName, members, can_edit: true } } : wrongMethod
    }
    if (method === 'DELETE')
      return team.members.delete(member) ? { status: 204 } : apiError(400, 'invalid_request', 'Unknown user')
    if (method !== 'PUT') return wrongMethod
    const [memberOrg, short = ''] = member.split('+')
    if (memberOrg !== org) return dataError('Cannot add a robot of another organization to a team')
    const robot = robots.get(short)
    if (!robot || robot.lag > 0) {
      if (robot) robot.lag -= 1
      return apiError(400, 'invalid_request', 'Unknown user')
    }
    if (team.members.has(member)) return dataError(`User ${member} is already a member of team ${teamName}`)
    team.members.add(member)
    return { status: 200, body: memberView(member) }
  }

  const robotOf = (username: string): Robot | undefined =>
    username.startsWith(`${org}+`) ? robots.get(username.slice(org.length + 1)) : undefined

  const served = await serveStandIn(
    {
      basePath: '/api/v1',
      answer,
      keep: () =>
        kept.write({
          robots: [...robots].map(([name, robot]) => [name, { ...robot, created: robot.created.toISOString() }]),
          teams: [...teams].map(([name, team]) => [name, { ...team, members: [...team.members] }]),
        }),
      refuse: () => apiError(401, 'invalid_token', 'The access token is invalid or has expired'),
      accounts: () => [...robots.keys()].map((name) => ({ name, username: `${org}+${name}`, isLive: true })),
      logsIn(username, token) {
        const robot = robotOf(username)
        if (robot?.token !== token) return false
        robot.lastAccessed = clock.now()
        return true
      },
    },
    options,
  )
  return Object.defineProperties(served, {
    switches: { value: switches },
    hasOrg: { get: () => hasOrg },
    teams: { value: teams },
  }) as QuayStandIn
}

const recordOf = (body: unknown): Record<string, unknown> =>
  typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}

/** A real one has upper-case letters and digits only; the canary stays as it is, or nobody would find it. */
const mint = (canary: string): string =>
  canary + Array.from({ length: tokenLength - canary.length }, () => alphabet[randomInt(alphabet.length)]).join('')

const robotView = (org: string, name: string, robot: Robot, withToken: boolean) => ({
  name: `${org}+${name}`,
  created: rfc2822(robot.created),
  last_accessed: robot.lastAccessed && rfc2822(robot.lastAccessed),
  description: robot.description,
  ...(withToken && { token: robot.token }),
  unstructured_metadata: robot.metadata,
})

const rfc2822 = (date: Date): string => date.toUTCString().replace('GMT', '-0000')

const memberView = (name: string) => ({ name, kind: 'user', is_robot: true, invited: false })

function federation({ method, body }: Ask, robot: Robot): Reply {
  if (method === 'POST') robot.federation = Array.isArray(body) ? body : []
  else if (method === 'DELETE') robot.federation = []
  else if (method !== 'GET') return wrongMethod
  return method === 'DELETE' ? { status: 204 } : { status: 200, body: robot.federation }
}

/** What endpoints raise. */
const apiError = (status: number, type: string, message: string): Reply => ({
  status,
  body: {
    detail: message,
    error_message: message,
    error_type: type,
    title: type,
    type: `https://quay.io/api/v1/error/${type}`,
    status,
  },
})

/** What the data model raises. */
const dataError = (message: string): Reply => ({ status: 400, body: { message } })

const notFound: Reply = apiError(404, 'not_found', 'Not Found')
const wrongMethod: Reply = { status: 405, body: { message: 'The method is not allowed for the requested URL.' } }
const readOnly: Reply = { status: 503, body: { message: 'System is currently read-only.', is_readonly: true } }

function missingOrg(status: QuaySwitches['missingOrgStatus']): Reply {
  if (status === 400) return dataError('Organization does not exist')
  return status === 401
    ? apiError(401, 'invalid_token', 'Requires authentication')
    : apiError(403, 'insufficient_scope', 'Unauthorized')
}
