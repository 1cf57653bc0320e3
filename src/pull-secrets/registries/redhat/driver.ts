import { randomUUID } from 'node:crypto'
import { Secret } from '../../../core/secret.ts'
import { failures } from '../../failures.ts'
import type { LogIn, RegistryHttp } from '../http/index.ts'
import { createOnce, field, isSafeSegment, isSuccess, route, textField } from '../http/index.ts'
import type { Account, Found, NameRequest, RegistryDriver } from '../registry.ts'
import { longestName, nameIn, nameRule, pooledName, serviceAccountName } from './names.ts'

const ruled = { code: nameRule, name: nameRule }
const routes = {
  create: route('POST', '/partners/{code}/service-accounts', { code: nameRule }),
  get: route('GET', '/partners/{code}/service-accounts/{name}', ruled),
  recover: route('POST', '/partners/{code}/service-accounts/{name}', ruled),
  remove: route('DELETE', '/partners/{code}/service-accounts/{name}', ruled),
}

export interface RedhatOptions {
  id: string
  partnerCode: string
  instanceId: string
  maxNameLength?: number
}

/** Service accounts of one partner at Red Hat's registry authorizer. */
export function redhatDriver(
  options: RedhatOptions,
  { http, logIn }: { http: RegistryHttp; logIn: LogIn },
): RegistryDriver {
  const { id, partnerCode: code, instanceId } = options
  const longest = Math.min(options.maxNameLength ?? longestName, longestName)
  const refused = (detail: string) => failures.REGISTRY_REFUSED({ registry: id, detail })

  /** The description is the only place for a mark, and tells installations of one partner apart. */
  const mark = `(instance ${instanceId})`

  function foundOf(json: unknown, name: string): Found {
    const username = textField(json, 'credentials', 'username')
    const password = textField(json, 'credentials', 'password')
    const description = textField(json, 'description')
    const found = { name, ...(description !== undefined && { isOurs: description.endsWith(mark) }) }
    if (username === undefined || password === undefined) return found
    if (nameIn(username) !== name || username.includes(':'))
      throw failures.REGISTRY_UNCERTAIN({
        registry: id,
        detail: 'it answers with another account than it was asked for',
      })
    return { ...found, account: { username, token: Secret.of(password) } }
  }

  async function post(name: string, clusterId: string | undefined, signal: AbortSignal): Promise<Account> {
    const whose = clusterId === undefined ? '' : ` of ${clusterId}`
    const answer = await http.call(routes.create(id, { code }), {
      repeat: 'create',
      signal,
      body: { name, description: `HyperFleet Pull Secret Service cluster credential${whose} ${mark}` },
    })
    if (answer.status === 409) throw failures.REGISTRY_NAME_TAKEN({ registry: id, name })
    if (!isSuccess(answer)) throw refused(`status ${answer.status} to a new account`)
    const { account } = foundOf(answer.json, name)
    if (account) return account
    throw failures.REGISTRY_UNCERTAIN({ registry: id, detail: 'it made an account and did not tell its password' })
  }

  async function find(name: string, signal: AbortSignal): Promise<Found | undefined> {
    const answer = await http.call(routes.get(id, { code, name }), { repeat: 'safe', signal })
    if (answer.status === 404) return undefined
    if (!isSuccess(answer)) throw refused(`status ${answer.status} to a look at an account`)
    if (field(answer.json, 'deleted') === true) return undefined
    return foundOf(answer.json, name)
  }

  function nameFor({ cluster, generation }: NameRequest): string {
    if (!cluster) return pooledName(randomUUID())
    const external = cluster.externalResourceId
    const name = serviceAccountName({ id: external ? external : cluster.id, generation, longest })
    if (name !== undefined) return name
    throw failures.PULL_NAME_IMPOSSIBLE({
      field: external ? 'external_resource_id' : 'cluster_id',
      registry: id,
      detail: 'letters, digits, dots, underscores and hyphens only',
    })
  }

  return {
    id,
    // A look may come without the password; whoever reads `find().account` has to expect that.
    capabilities: { rereadSecret: true, softDelete: true, disable: false, nativeExpiry: false, choosesSecret: false },
    nameFor,
    isSafeName: (name) => isSafeSegment(name, nameRule),
    create: ({ name, cluster }, signal) =>
      createOnce(
        http,
        {
          create: () => post(name, cluster?.id, signal),
          // Names are derived from ids: under this one there may be an account of somebody else's.
          look: async () => {
            const found = await find(name, signal)
            return found && (found.isOurs && found.account ? found.account : 'unknown')
          },
        },
        signal,
      ),
    find,
    async recover(name, signal) {
      const answer = await http.call(routes.recover(id, { code, name }), {
        repeat: 'safe',
        signal,
        body: { recover: true },
      })
      if (answer.status === 404) return undefined
      if (!isSuccess(answer)) throw refused(`status ${answer.status} to a recovery`)
      return foundOf(answer.json, name).account
    },
    async remove({ name }, signal) {
      const answer = await http.call(routes.remove(id, { code, name }), { repeat: 'safe', signal })
      if (!isSuccess(answer) && answer.status !== 404) throw refused(`status ${answer.status} to a removal`)
    },
    validate: logIn,
    /** There is no list to look at: that a name which nobody has is not found tells that we are let in. */
    async check(signal) {
      await find('hyp-check', signal)
    },
  }
}
