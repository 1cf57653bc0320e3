import { basicOf } from './basic.ts'
import type { StandIn, StandInAccount } from './contract.ts'
import type { Ask, Reply, ServingOptions } from './serving.ts'
import { serveStandIn } from './serving.ts'

export interface NexusOptions extends ServingOptions {
  /** The ids of its roles. */
  roles: readonly string[]
  /** Who manages users. Absent: anybody. */
  user?: { username: string; password: string }
}

export interface NexusUser {
  userId: string
  firstName: string
  lastName: string
  emailAddress: string
  status: string
  roles: readonly string[]
}

export interface NexusStandIn extends StandIn {
  readonly users: readonly NexusUser[]
  /** Versions differ in what they say to a name that is taken. */
  duplicateStatus: 400 | 409 | 500
}

interface Stored extends NexusUser {
  password: string
}

const statuses = ['active', 'disabled', 'locked', 'changepassword']
const idRule = /^[A-Za-z0-9-][A-Za-z0-9._-]*$/

/** The users of a Nexus Repository 3. Their passwords are chosen by who makes them, and told to nobody. */
export async function startNexus(options: NexusOptions): Promise<NexusStandIn> {
  const { roles, user } = options
  const users = new Map<string, Stored>()

  function answer(ask: Ask): Reply {
    const [root, kind, id, action] = ask.segments
    if (root !== 'security' || ask.segments.length > 4) return { status: 404 }
    if (kind === 'roles' && ask.method === 'GET') return showRoles(id)
    if (kind !== 'users') return { status: 404 }
    if (id === undefined) {
      if (ask.method === 'POST') return create(ask)
      return ask.method === 'GET' ? list(ask) : { status: 405 }
    }
    const found = users.get(id)
    if (!found) return said(404, `User '${id}' not found.`)
    if (action === 'change-password') return ask.method === 'PUT' ? change(found, ask) : { status: 405 }
    if (action !== undefined) return { status: 404 }
    if (ask.method === 'PUT') return update(found, ask)
    if (ask.method !== 'DELETE') return { status: 405 }
    users.delete(id)
    return { status: 204 }
  }

  function showRoles(id?: string): Reply {
    const all = roles.map((role) => ({ id: role, source: 'default', name: role, privileges: [], roles: [] }))
    if (id === undefined) return { status: 200, body: all }
    const one = all.find((role) => role.id === id)
    return one ? { status: 200, body: one } : said(404, `Role '${id}' not found.`)
  }

  function create({ body }: Ask): Reply {
    const asked = body as Partial<Stored> | undefined
    const wrong = wrongIn(asked)
    if (wrong) return wrong
    const { password, ...rest } = asked as Stored
    if (typeof password !== 'string' || password === '') return said(400, 'A non-empty password is required.')
    if (users.has(rest.userId)) return said(standIn.duplicateStatus, 'that user exists already')
    users.set(rest.userId, { ...rest, password })
    return { status: 200, body: view(rest) }
  }

  /** By a part of the id, in all of its sources. */
  const list = ({ query }: Ask): Reply => ({
    status: 200,
    body: [...users.values()].filter(({ userId }) => userId.includes(query.get('userId') ?? '')).map(view),
  })

  function update(found: Stored, { body }: Ask): Reply {
    const asked = body as (Partial<Stored> & { source?: string }) | undefined
    if (asked?.userId !== found.userId) return said(400, "The path's userId does not match the body")
    const wrong = wrongIn(asked)
    if (wrong) return wrong
    if (asked.source !== 'default') return said(404, 'Unable to locate source')
    const { firstName, lastName, emailAddress, status, roles } = asked as Stored
    Object.assign(found, { firstName, lastName, emailAddress, status, roles })
    return { status: 204 }
  }

  function change(found: Stored, { body, headers }: Ask): Reply {
    if (headers['content-type']?.startsWith('text/plain') !== true) return { status: 415 }
    if (typeof body !== 'string' || body.trim() === '') return said(400, 'Password must be supplied.')
    found.password = body
    return { status: 204 }
  }

  function wrongIn(asked: Partial<Stored> | undefined): Reply | undefined {
    const texts = [asked?.userId, asked?.firstName, asked?.lastName, asked?.emailAddress]
    if (texts.some((text) => typeof text !== 'string' || text === '')) return said(400, 'may not be empty')
    if (!idRule.test(asked?.userId ?? '')) return said(400, 'illegal id')
    if (!statuses.includes(asked?.status ?? '')) return said(400, 'unknown status')
    if (!Array.isArray(asked?.roles) || asked.roles.length === 0) return said(400, 'roles may not be empty')
    const unknown = asked.roles.find((role) => !roles.includes(role))
    return unknown === undefined ? undefined : said(400, `Unable to locate roleId: ${unknown}`)
  }

  const view = ({ userId, firstName, lastName, emailAddress, status, roles }: NexusUser) => ({
    userId,
    firstName,
    lastName,
    emailAddress,
    source: 'default',
    status,
    readOnly: false,
    roles,
    externalRoles: [],
  })

  const served = await serveStandIn(
    {
      basePath: '/service/rest/v1',
      answer,
      refuse: () => ({ status: 401 }),
      admits({ headers }) {
        const basic = basicOf(headers.authorization)
        return user === undefined || (basic?.username === user.username && basic.password === user.password)
      },
      accounts: (): StandInAccount[] =>
        [...users.values()].map(({ userId, status }) => ({
          name: userId,
          username: userId,
          isLive: status === 'active',
        })),
      logsIn: (username, token) => {
        const found = users.get(username)
        return found?.status === 'active' && found.password === token
      },
    },
    options,
  )
  const standIn: NexusStandIn = Object.defineProperties(served, {
    users: { get: () => [...users.values()].map(({ password: _, ...rest }) => rest) },
    duplicateStatus: { value: 400, writable: true },
  }) as NexusStandIn
  return standIn
}

/** Its messages are JSON strings. */
const said = (status: number, message: string): Reply => ({
  status,
  body: JSON.stringify(message),
  headers: { 'content-type': 'application/json' },
})
