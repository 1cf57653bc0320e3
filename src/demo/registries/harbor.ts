import { randomBytes } from 'node:crypto'
import { systemClock } from '../../core/clock.ts'
import { basicOf } from './basic.ts'
import type { StandIn, StandInAccount } from './contract.ts'
import type { Ask, Reply, ServingOptions } from './serving.ts'
import { serveStandIn } from './serving.ts'

export interface HarborOptions extends ServingOptions {
  project: string
  /** A user, not a robot: robots cannot change robots. Absent: anybody. */
  user?: { username: string; password: string }
}

export interface HarborPermission {
  kind: string
  namespace: string
  access: { resource: string; action: string }[]
}

export interface HarborRobot {
  id: number
  /** As it was asked for; `prefix` and, on project level, the project come before it. */
  shortName: string
  level: 'system' | 'project'
  description: string
  duration: number
  isDisabled: boolean
  permissions: readonly HarborPermission[]
  createdAt: Date
  /** In seconds since 1970; -1 for never. It follows from the duration alone: a refresh does not move it. */
  expiresAt: number
}

export interface HarborStandIn extends StandIn {
  readonly robots: readonly HarborRobot[]
  /** What it puts before the names of robots. */
  prefix: string
}

interface Robot extends HarborRobot {
  secret: string
}

const nameRule = /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/
const projectId = 7

/** Harbor's robots, over its API v2.0, with one project. */
export async function startHarbor(options: HarborOptions): Promise<HarborStandIn> {
  const { project, user, clock = systemClock, canary = '' } = options
  const robots = new Map<number, Robot>()
  let lastId = 40

  const fullName = ({ level, shortName }: Robot): string =>
    standIn.prefix + (level === 'project' ? `${project}+${shortName}` : shortName)
  const hasExpired = ({ expiresAt }: Robot): boolean => expiresAt !== -1 && clock.now().getTime() >= expiresAt * 1_000
  const isLive = (robot: Robot): boolean => !robot.isDisabled && !hasExpired(robot)
  const mint = (): string => `${canary}aA1${randomBytes(16).toString('hex')}`

  function answer(ask: Ask): Reply {
    const [root, id] = ask.segments
    if (root === 'projects' && ask.method === 'GET') return showProject(id)
    if (root === 'users' && id === 'current') return { status: 200, body: { user_id: 3, username: user?.username } }
    if (root !== 'robots' || ask.segments.length > 2) return wrong(404, 'NOT_FOUND')
    if (id === undefined) {
      if (ask.method === 'POST') return create(ask)
      return ask.method === 'GET' ? list(ask) : wrong(405, 'METHOD_NOT_ALLOWED')
    }
    if (!/^\d+$/.test(id)) return wrong(422, 'robot_id in path must be of type int64')
    const robot = robots.get(Number(id))
    if (!robot) return wrong(404, 'NOT_FOUND')
    if (ask.method === 'GET') return { status: 200, body: view(robot) }
    if (ask.method === 'PUT') return update(robot, ask)
    if (ask.method === 'PATCH') return refresh(robot, ask)
    if (ask.method !== 'DELETE') return wrong(405, 'METHOD_NOT_ALLOWED')
    robots.delete(robot.id)
    return { status: 200 }
  }

  const showProject = (name?: string): Reply =>
    name === project ? { status: 200, body: { project_id: projectId, name } } : wrong(404, 'NOT_FOUND')

  function create({ body, segments }: Ask): Reply {
    const asked = body as { name?: unknown; description?: string }
    const terms = termsOf(body)
    if (typeof asked?.name !== 'string' || !nameRule.test(asked.name)) return wrong(400, 'BAD_REQUEST')
    if (!terms) return wrong(400, 'BAD_REQUEST')
    if (terms.permissions.some(({ namespace }) => namespace !== project && namespace !== '*'))
      return wrong(404, 'NOT_FOUND')
    const isTaken = [...robots.values()].some(
      ({ shortName, level }) => shortName === asked.name && level === terms.level,
    )
    if (isTaken) return wrong(409, 'CONFLICT')
    const createdAt = clock.now()
    const robot: Robot = {
      ...terms,
      id: ++lastId,
      shortName: asked.name,
      description: asked.description ?? '',
      isDisabled: false,
      createdAt,
      expiresAt: expiry(createdAt, terms.duration),
      secret: mint(),
    }
    robots.set(robot.id, robot)
    const { id, name, creation_time, expires_at } = view(robot)
    return {
      status: 201,
      body: { id, name, secret: robot.secret, creation_time, expires_at },
      headers: { location: `/api/v2.0/${segments.join('/')}/${id}` },
    }
  }

  /** `Level=project` needs the number of its project; without a level only robots of the system are shown. */
  function list({ query }: Ask): Reply {
    const terms = new Map(
      // Harbor decodes this a second time, so that a plus sign in it is a blank.
      decodeURIComponent((query.get('q') ?? '').replaceAll('+', ' '))
        .split(',')
        .filter((term) => term !== '')
        .map((term) => [term.slice(0, term.indexOf('=')), term.slice(term.indexOf('=') + 1)]),
    )
    const level = terms.get('Level') ?? 'system'
    if (level !== 'system' && level !== 'project') return wrong(400, 'BAD_REQUEST')
    if (level === 'project' && !terms.has('ProjectID')) return wrong(400, 'BAD_REQUEST')
    const name = terms.get('name')
    const stored = (robot: Robot) => fullName(robot).slice(standIn.prefix.length)
    const found = [...robots.values()].filter(
      (robot) =>
        robot.level === level &&
        (level === 'system' || terms.get('ProjectID') === String(projectId)) &&
        (name === undefined || (name.startsWith('~') ? stored(robot).includes(name.slice(1)) : stored(robot) === name)),
    )
    const size = Math.min(100, Number(query.get('page_size') ?? 10))
    const start = (Number(query.get('page') ?? 1) - 1) * size
    return {
      status: 200,
      body: found.slice(start, start + size).map(view),
      headers: { 'x-total-count': String(found.length) },
    }
  }

  /** The whole robot has to come back: name and level as they are, and permissions. */
  function update(robot: Robot, { body }: Ask): Reply {
    const asked = body as { name?: unknown; description?: string; disable?: boolean }
    const terms = termsOf(body)
    if (!terms || asked.name !== fullName(robot) || terms.level !== robot.level) return wrong(400, 'BAD_REQUEST')
    if (terms.duration !== robot.duration) robot.expiresAt = expiry(robot.createdAt, terms.duration)
    Object.assign(robot, terms, { isDisabled: asked.disable === true, description: asked.description ?? '' })
    return { status: 200 }
  }

  function refresh(robot: Robot, { body }: Ask): Reply {
    const { secret } = (body ?? {}) as { secret?: string }
    if (secret !== undefined && secret !== '') {
      if (!isStrong(secret)) return wrong(400, 'BAD_REQUEST')
      robot.secret = secret
      return { status: 200, body: { secret: '' } }
    }
    robot.secret = mint()
    return { status: 200, body: { secret: robot.secret } }
  }

  const view = (robot: Robot) => ({
    id: robot.id,
    name: fullName(robot),
    description: robot.description,
    level: robot.level,
    duration: robot.duration,
    disable: robot.isDisabled,
    editable: true,
    expires_at: robot.expiresAt,
    creation_time: robot.createdAt.toISOString(),
    permissions: robot.permissions,
  })

  const letsIn = (username: string, token: string): boolean =>
    [...robots.values()].some((robot) => isLive(robot) && fullName(robot) === username && robot.secret === token)

  const served = await serveStandIn(
    {
      basePath: '/api/v2.0',
      answer,
      refuse: () => wrong(401, 'UNAUTHORIZED'),
      admits({ headers }) {
        const basic = basicOf(headers.authorization)
        return user === undefined || (basic?.username === user.username && basic.password === user.password)
      },
      accounts: (): StandInAccount[] =>
        [...robots.values()].map((robot) => ({
          name: robot.shortName,
          username: fullName(robot),
          isLive: isLive(robot),
        })),
      logsIn: letsIn,
    },
    options,
  )
  const standIn: HarborStandIn = Object.defineProperties(served, {
    robots: { get: () => [...robots.values()] },
    prefix: { value: 'robot$', writable: true },
  }) as HarborStandIn
  return standIn
}

const wrong = (status: number, code: string): Reply => ({
  status,
  body: { errors: [{ code, message: code.toLowerCase() }] },
})

const expiry = (from: Date, days: number): number =>
  days === -1 ? -1 : Math.floor(from.getTime() / 1_000) + days * 86_400

const isStrong = (secret: string): boolean =>
  secret.length >= 8 && secret.length <= 128 && [/[a-z]/, /[A-Z]/, /\d/].every((rule) => rule.test(secret))

/** Undefined for what Harbor answers 400 to. */
function termsOf(body: unknown): Pick<HarborRobot, 'level' | 'duration' | 'permissions'> | undefined {
  const { level, duration, permissions } = (body ?? {}) as Partial<HarborRobot>
  if (level !== 'system' && level !== 'project') return undefined
  if (!Number.isInteger(duration) || duration === undefined || duration < -1 || duration === 0) return undefined
  if (!Array.isArray(permissions) || permissions.length === 0) return undefined
  if (level === 'project' && permissions.length > 1) return undefined
  const isWhole = (one: HarborPermission) => one.kind === 'project' && one.namespace && one.access?.length > 0
  return permissions.every(isWhole) ? { level, duration, permissions } : undefined
}
