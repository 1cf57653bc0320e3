import { randomUUID } from 'node:crypto'
import { isFailure } from '../../../core/failure.ts'
import type { Log } from '../../../core/log.ts'
import { failures } from '../../failures.ts'
import type { LogIn, RegistryHttp } from '../http/index.ts'
import { createOnce, isSuccess, route } from '../http/index.ts'
import type { Account, Found, NameRequest, RegistryDriver } from '../registry.ts'
import { markerOf } from './markers.ts'
import { isQuayName, nameRule, pooledRobotName, robotName, usernameOf } from './names.ts'
import { robotOf } from './robot.ts'
import { teamOf } from './team.ts'

const robot = { org: nameRule, robot: nameRule }
const routes = {
  create: route('PUT', '/organization/{org}/robots/{robot}', robot),
  get: route('GET', '/organization/{org}/robots/{robot}', robot),
  remove: route('DELETE', '/organization/{org}/robots/{robot}', robot),
}

export interface QuayOptions {
  id: string
  org: string
  team: string
  instanceId: string
  maxNameLength?: number
}

/** Robots of one organization, each a member of one team, through which it gets its rights. */
export function quayDriver(options: QuayOptions, deps: { http: RegistryHttp; logIn: LogIn; log: Log }): RegistryDriver {
  const { id, org, instanceId } = options
  const { http } = deps
  const team = teamOf(options, deps)
  const refused = (detail: string) => failures.REGISTRY_REFUSED({ registry: id, detail })

  async function find(name: string, signal: AbortSignal): Promise<Found | undefined> {
    const answer = await http.call(routes.get(id, { org, robot: name }), { repeat: 'safe', signal })
    if (isSuccess(answer)) return robotOf(answer.json, { id, org, name, instanceId })
    if (answer.status === 400 && markerOf(answer.json) === 'missing') return undefined
    throw refused(`status ${answer.status} to a look at a robot`)
  }

  async function put(name: string, clusterId: string | undefined, signal: AbortSignal): Promise<Account> {
    const answer = await http.call(routes.create(id, { org, robot: name }), {
      repeat: 'create',
      signal,
      body: {
        description: 'Created by HyperFleet Pull Secret Service',
        unstructured_metadata: { instance_id: instanceId, ...(clusterId !== undefined && { cluster_id: clusterId }) },
      },
    })
    if (answer.status === 400 && markerOf(answer.json) === 'exists')
      throw failures.REGISTRY_NAME_TAKEN({ registry: id, name })
    if (!isSuccess(answer)) throw refused(`status ${answer.status} to a new robot`)
    const { account } = robotOf(answer.json, { id, org, name, instanceId })
    if (account) return account
    throw failures.REGISTRY_UNCERTAIN({ registry: id, detail: 'it made a robot and did not tell its token' })
  }

  async function remove({ name }: { name: string }, signal: AbortSignal): Promise<void> {
    const answer = await http.call(routes.remove(id, { org, robot: name }), { repeat: 'safe', signal })
    if (isSuccess(answer)) return
    const marker = answer.status === 400 ? markerOf(answer.json) : undefined
    if (marker === 'missing') return
    throw refused(marker === 'mirrored' ? 'a mirror uses the robot' : `status ${answer.status} to a removal`)
  }

  /** A robot that is not in its team exists nevertheless: but for REGISTRY_REFUSED, nothing says that it did not happen. */
  const join = (name: string, signal: AbortSignal) =>
    team.join(usernameOf(org, name), signal).catch((error) => {
      if (!isFailure(error) || error.code === 'REGISTRY_REFUSED') throw error
      throw failures.REGISTRY_UNCERTAIN({ registry: id, detail: 'a robot is not in its team yet' }, error)
    })

  /** A robot without its team can pull nothing: it is taken back, and where that fails the record has to stay. */
  async function joinOrTakeBack(name: string, signal: AbortSignal): Promise<void> {
    try {
      await join(name, signal)
    } catch (error) {
      if (!isFailure(error, 'REGISTRY_REFUSED')) throw error
      await remove({ name }, signal).catch((cause) => {
        throw failures.REGISTRY_UNCERTAIN({ registry: id, detail: 'a robot without its team is left' }, cause)
      })
      throw error
    }
  }

  function nameFor({ cluster }: NameRequest): string {
    const uuid = randomUUID()
    const { maxNameLength: longest } = options
    const name = cluster
      ? robotName({
          org,
          provider: cluster.cloudProvider,
          region: cluster.region,
          uuid,
          ...(longest !== undefined && { longest }),
        })
      : pooledRobotName(org, uuid)
    if (name !== undefined) return name
    const field = cluster && cluster.cloudProvider.length > cluster.region.length ? 'cloud_provider' : 'region'
    throw failures.PULL_NAME_IMPOSSIBLE({ field, registry: id, detail: 'it is too long' })
  }

  return {
    id,
    capabilities: { rereadSecret: true, softDelete: false, disable: false, nativeExpiry: false, choosesSecret: false },
    nameFor,
    isSafeName: isQuayName,
    async create({ name, cluster }, signal) {
      const account = await createOnce(
        http,
        {
          create: () => put(name, cluster?.id, signal),
          look: async () => {
            const found = await find(name, signal)
            return found && (found.account ?? 'unknown')
          },
        },
        signal,
      )
      await joinOrTakeBack(name, signal)
      return account
    },
    find,
    async finish(found, signal) {
      const { account } = found
      if (!account) throw refused('a robot came without its token')
      await join(found.name, signal)
      return account
    },
    remove,
    validate: deps.logIn,
    check: team.check,
  }
}
