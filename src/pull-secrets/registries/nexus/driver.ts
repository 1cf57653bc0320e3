import { randomBytes, randomUUID } from 'node:crypto'
import { Secret } from '../../../core/secret.ts'
import { failures } from '../../failures.ts'
import { derivedName, isDerivedName } from '../derived-name.ts'
import type { Answer, LogIn, RegistryHttp } from '../http/index.ts'
import { createOnce, field, isSuccess, route } from '../http/index.ts'
import type { Account, RegistryDriver } from '../registry.ts'
import type { NexusUser } from './user.ts'
import { nexusUser, userOf } from './user.ts'

export interface NexusOptions {
  id: string
  /** Ids of roles, which say what an account may pull. */
  roles: readonly string[]
  longestName: number
  instanceId: string
}

export interface NexusDeps {
  http: RegistryHttp
  logIn: LogIn
}

/** Only users that are called as ours are: the names of people never fit. */
const user = /^hyp-(?:cls|pool)-[a-z0-9]+(?:[._-][a-z0-9]+)*$/
const routes = {
  list: route('GET', '/security/users', {}),
  create: route('POST', '/security/users', {}),
  change: route('PUT', '/security/users/{user}', { user }),
  changePassword: route('PUT', '/security/users/{user}/change-password', { user }),
  remove: route('DELETE', '/security/users/{user}', { user }),
  roles: route('GET', '/security/roles', {}),
}

/**
 * Users with a password of our choice. It is on record, sealed, before Nexus hears of it: after a crash the user that is
 * there gets that password once more, and no second one is needed.
 */
export function nexusDriver(options: NexusOptions, { http, logIn }: NexusDeps): RegistryDriver {
  const { id: registry, roles, longestName, instanceId } = options
  const mark = `pull account of ${instanceId}, `
  const refused = (detail: string) => failures.REGISTRY_REFUSED({ registry, detail })
  const expect = (answer: Answer, what: string): Answer => {
    if (isSuccess(answer)) return answer
    throw refused(`status ${answer.status} to ${what}`)
  }
  const accountOf = (userId: string, token: Secret): Account => ({ username: userId, token })

  async function look(name: string, signal: AbortSignal): Promise<NexusUser | undefined> {
    const query = { userId: name, source: 'default' }
    const answer = await http.call(routes.list(registry, {}), { signal, repeat: 'safe', query })
    return userOf(expect(answer, 'a search').json, name)
  }

  /** Versions differ in what they say to a name that is taken (400, 409, 500): so what is there decides. */
  async function make(wanted: NexusUser, password: Secret, signal: AbortSignal): Promise<Account> {
    const answer = await http.call(routes.create(registry, {}), {
      signal,
      repeat: 'create',
      body: { ...wanted, password: password.reveal() },
    })
    if (isSuccess(answer)) return accountOf(wanted.userId, password)
    if ((answer.status === 400 || answer.status === 409) && (await look(wanted.userId, signal)))
      throw failures.REGISTRY_NAME_TAKEN({ registry, name: wanted.userId })
    throw refused(`status ${answer.status} to a new user`)
  }

  /** Whether the user was there. */
  async function change(wanted: NexusUser, signal: AbortSignal): Promise<boolean> {
    const answer = await http.call(routes.change(registry, { user: wanted.userId }), {
      signal,
      repeat: 'safe',
      body: { ...wanted, source: 'default', readOnly: false, externalRoles: [] },
    })
    if (answer.status === 404) return false
    expect(answer, 'a change of a user')
    return true
  }

  /** The password first: a user that is enabled before would let in whoever has the old one. */
  async function makeOurs(name: string, password: Secret, signal: AbortSignal): Promise<Account | undefined> {
    const answer = await http.call(routes.changePassword(registry, { user: name }), {
      signal,
      repeat: 'safe',
      text: password,
    })
    if (answer.status === 404) return undefined
    expect(answer, 'a new password')
    const isThere = await change(nexusUser(name, `${mark}${randomUUID()}`, roles), signal)
    return isThere ? accountOf(name, password) : undefined
  }

  return {
    id: registry,
    capabilities: { rereadSecret: false, softDelete: false, disable: true, nativeExpiry: false, choosesSecret: true },
    nameFor: (request) => derivedName(request, { registry, longest: longestName }),
    isSafeName: isDerivedName,
    async create({ name, secret }, signal) {
      if (!secret) throw refused('no password was chosen for a new user')
      // Tells the user of this very call from everybody else's, when its answer is lost.
      const wanted = nexusUser(name, `${mark}${randomUUID()}`, roles)
      return await createOnce(
        http,
        {
          create: () => make(wanted, secret, signal),
          async look() {
            const found = await look(name, signal)
            return found && (found.lastName === wanted.lastName ? accountOf(name, secret) : 'unknown')
          },
        },
        signal,
      )
    },
    async find(name, signal) {
      const found = await look(name, signal)
      return found && { name, isDisabled: found.status !== 'active', isOurs: found.lastName.startsWith(mark) }
    },
    async finish({ name }, signal, secret) {
      if (!secret) throw refused('the password on record is missing')
      const account = await makeOurs(name, secret, signal)
      if (!account) throw failures.REGISTRY_UNCERTAIN({ registry, detail: 'a user has gone meanwhile' })
      return account
    },
    async remove({ name }, signal) {
      const answer = await http.call(routes.remove(registry, { user: name }), { signal, repeat: 'safe' })
      if (answer.status !== 404) expect(answer, 'a removal')
    },
    async disable({ name }, signal) {
      await change({ ...nexusUser(name, `${mark}disabled`, roles), status: 'disabled' }, signal)
    },
    enable: ({ name }, signal) => makeOurs(name, Secret.of(randomBytes(32).toString('base64url')), signal),
    validate: logIn,
    async check(signal) {
      const answer = await http.call(routes.roles(registry, {}), { signal, repeat: 'safe' })
      const { json } = expect(answer, 'a list of roles')
      const known = new Set((Array.isArray(json) ? json : []).map((role) => field(role, 'id')))
      const missing = roles.filter((role) => !known.has(role))
      if (missing.length > 0) throw refused(`it has no role ${missing.join(', ')}`)
    },
  }
}
