import { randomBytes } from 'node:crypto'
import { systemClock } from '../../core/clock.ts'
import type { StandIn, StandInAccount } from './contract.ts'
import { keptState } from './kept-state.ts'
import type { Ask, Reply, ServingOptions } from './serving.ts'
import { serveStandIn } from './serving.ts'

export interface RedhatOptions extends ServingOptions {
  partnerCode: string
}

/** There is no public description of this API: what nobody could verify can be switched. */
export interface RedhatSwitches {
  /** Whether GET tells the password. */
  getTellsPassword: boolean
  /** Whether a recover tells it. */
  recoverTellsPassword: boolean
  /** Whether a recovered account has its old password. */
  recoverKeepsPassword: boolean
  /** What a create does with the name of a softly deleted account. */
  createAfterDelete: 'conflict' | 'create'
  /** Whether GET shows one that is softly deleted, without its credentials. */
  getShowsDeleted: boolean
  createStatus: 200 | 201
  deleteStatus: 200 | 204
  /** What comes before the pipe of a username. */
  usernamePrefix: string
}

export interface RedhatStandIn extends StandIn {
  switches: RedhatSwitches
  /** Names that a recover would bring back. */
  deleted(): readonly string[]
}

interface ServiceAccount {
  username: string
  password: string
  description: string
  created: Date
  tokenDate: Date
  isDeleted: boolean
}

type Kept = [
  name: string,
  account: Omit<ServiceAccount, 'created' | 'tokenDate'> & { created: string; tokenDate: string },
][]

const revived = ({ created, tokenDate, ...account }: Kept[number][1]): ServiceAccount => ({
  ...account,
  created: new Date(created),
  tokenDate: new Date(tokenDate),
})

const longestName = 49

/** Red Hat's authorizer of registry accounts, for one partner. */
export async function startRedhat(options: RedhatOptions): Promise<RedhatStandIn> {
  const { partnerCode, clock = systemClock, canary = '' } = options
  const kept = keptState<Kept>(options.stateFile)
  const accounts = new Map<string, ServiceAccount>(kept.read()?.map(([name, account]) => [name, revived(account)]))
  const switches: RedhatSwitches = {
    getTellsPassword: true,
    recoverTellsPassword: true,
    recoverKeepsPassword: false,
    createAfterDelete: 'conflict',
    getShowsDeleted: false,
    createStatus: 201,
    deleteStatus: 204,
    usernamePrefix: '',
  }

  function answer(ask: Ask): Reply {
    const [root, partner, kind, name] = ask.segments
    if (root !== 'partners' || kind !== 'service-accounts' || ask.segments.length > 4) return wrong(404, 'Not found')
    if (partner !== partnerCode) return wrong(403, 'Forbidden')
    if (name === undefined) return ask.method === 'POST' ? create(ask) : wrong(405, 'Method not allowed')
    if (ask.method === 'GET') return show(name)
    if (ask.method === 'POST') return recover(ask, name)
    return ask.method === 'DELETE' ? remove(name) : wrong(405, 'Method not allowed')
  }

  function create({ body }: Ask): Reply {
    const { name, description = '' } = (body ?? {}) as { name?: unknown; description?: unknown }
    if (typeof name !== 'string' || name === '' || name.length > longestName || typeof description !== 'string')
      return wrong(400, 'Invalid service account name')
    const existing = accounts.get(name)
    const isFree = !existing || (existing.isDeleted && switches.createAfterDelete === 'create')
    if (!isFree) return wrong(409, 'Service Account already exists')
    const now = clock.now()
    const account: ServiceAccount = {
      username: `${switches.usernamePrefix}|${name}`,
      password: mint(canary, name, now),
      description,
      created: now,
      tokenDate: now,
      isDeleted: false,
    }
    accounts.set(name, account)
    return { status: switches.createStatus, body: view(name, account, true) }
  }

  function show(name: string): Reply {
    const account = accounts.get(name)
    if (account && !account.isDeleted) return { status: 200, body: view(name, account, switches.getTellsPassword) }
    if (account && switches.getShowsDeleted)
      return { status: 200, body: { ...view(name, account, false), credentials: undefined, deleted: true } }
    return unknown
  }

  function recover({ body }: Ask, name: string): Reply {
    const account = accounts.get(name)
    if (!account) return unknown
    if ((body as { recover?: unknown } | undefined)?.recover !== true) return wrong(400, 'Nothing to update')
    if (account.isDeleted) {
      account.isDeleted = false
      if (!switches.recoverKeepsPassword) {
        account.tokenDate = clock.now()
        account.password = mint(canary, name, account.tokenDate)
      }
    }
    return { status: 200, body: view(name, account, switches.recoverTellsPassword) }
  }

  function remove(name: string): Reply {
    const account = accounts.get(name)
    if (!account || account.isDeleted) return unknown
    account.isDeleted = true
    return { status: switches.deleteStatus }
  }

  const view = (name: string, account: ServiceAccount, withPassword: boolean) => ({
    name,
    description: account.description,
    partnerCode,
    created: account.created.toISOString(),
    createdBy: partnerCode,
    tokenDate: account.tokenDate.toISOString(),
    credentials: { username: account.username, ...(withPassword && { password: account.password }) },
  })

  const living = (): StandInAccount[] =>
    [...accounts].flatMap(([name, { username, isDeleted }]) => (isDeleted ? [] : [{ name, username, isLive: true }]))

  const served = await serveStandIn(
    {
      basePath: '/v1',
      answer,
      keep: () =>
        kept.write(
          [...accounts].map(([name, account]) => [
            name,
            { ...account, created: account.created.toISOString(), tokenDate: account.tokenDate.toISOString() },
          ]),
        ),
      refuse: () => wrong(401, 'Unauthorized'),
      accounts: living,
      logsIn: (username, token) =>
        [...accounts.values()].some(
          (account) => !account.isDeleted && account.username === username && account.password === token,
        ),
    },
    options,
  )
  return Object.defineProperties(served, {
    switches: { value: switches },
    deleted: { value: () => [...accounts].flatMap(([name, { isDeleted }]) => (isDeleted ? [name] : [])) },
  }) as RedhatStandIn
}

const wrong = (status: number, message: string): Reply => ({ status, body: { message } })
const unknown = wrong(404, '404: Service Account not found')

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Looks like the JWT a real one gives, more than a KiB of it. The canary stands in the signature, as it is. */
const mint = (canary: string, name: string, now: Date): string =>
  [
    part({ alg: 'RS512', typ: 'JWT' }),
    part({
      sub: name,
      iss: 'authorizer',
      iat: Math.floor(now.getTime() / 1_000),
      jti: randomBytes(16).toString('hex'),
      access: randomBytes(192).toString('hex'),
    }),
    canary + randomBytes(512).toString('base64url'),
  ].join('.')
