import { randomUUID } from 'node:crypto'
import type { Log } from '../../core/log.ts'
import type { Random } from '../../core/random.ts'
import { clusterNameConfigMap } from '../../fleet/names.ts'
import { textOf, writeSecret } from '../../fleet/secret-texts.ts'
import { isAlreadyExists, isForbidden, isNotFound } from '../../kube/failures.ts'
import { configMaps, secrets } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { KubeObject } from '../../kube/objects.ts'
import { resource } from '../../kube/objects.ts'
import type { AgentSettings } from './deps.ts'
import { failures } from './failures.ts'

export interface NameDeps {
  management: Kube
  spoke: Kube
  random: Random
  log: Log
  settings: Pick<AgentSettings, 'namespace' | 'clusterName' | 'agentName' | 'hubKubeconfigSecret'>
}

export interface AgentNames {
  cluster: string
  agent: string
}

interface ClusterVersion extends KubeObject {
  spec?: { clusterID?: string }
}

const clusterVersions = resource<ClusterVersion>('config.openshift.io/v1', 'ClusterVersion', 'clusterversions', {
  namespaced: false,
})
const [clusterKey, agentKey] = ['cluster-name', 'agent-name']

/** What is on record of names: the Secret goes with the certificate, the ConfigMap stays. */
interface NamesOnRecord {
  inSecret: { cluster?: string | undefined; agent?: string | undefined }
  /** Undefined: there is no ConfigMap. */
  inMap: { cluster?: string | undefined; agent?: string | undefined } | undefined
}

/**
 * Who this agent is, the same after every restart and after the loss of either record: what was made up is on record
 * before it is used. Throws a failure for a name that no hub takes.
 */
export async function resolveNames(deps: NameDeps): Promise<AgentNames> {
  const { management, settings } = deps
  const { inSecret, inMap } = await readRecord(deps)
  const given = await givenCluster(deps)
  const cluster = given ?? keptCluster(deps, { inSecret, inMap }) ?? randomUUID()
  const agent = keptAgent(deps, { inSecret, inMap }) ?? deps.random.suffix(5)
  // Only a cluster name that nobody gave: one that was given may change.
  const names = { ...(given === undefined && { [clusterKey]: cluster }), [agentKey]: agent }
  const maps = management.of(configMaps, settings.namespace)
  if (!inMap) {
    try {
      await maps.create({ metadata: { name: clusterNameConfigMap }, data: names })
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
      // Whoever comes second takes what is there.
      return resolveNames(deps)
    }
  } else if (inMap.agent !== agent || (given === undefined && inMap.cluster !== cluster))
    await maps.patch(clusterNameConfigMap, { type: 'merge', body: { data: names } })
  if (settings.agentName === undefined && inSecret.agent !== agent)
    await writeSecret(management, settings.namespace, settings.hubKubeconfigSecret, { [agentKey]: agent })
  return { cluster, agent }
}

async function readRecord({ management, settings }: NameDeps): Promise<NamesOnRecord> {
  const [secret, map] = await Promise.all([
    management.of(secrets, settings.namespace).find(settings.hubKubeconfigSecret),
    management.of(configMaps, settings.namespace).find(clusterNameConfigMap),
  ])
  const data = secret?.data ?? {}
  return {
    inSecret: { cluster: textOf(data, clusterKey), agent: textOf(data, agentKey) },
    inMap: map && { cluster: map.data?.[clusterKey], agent: map.data?.[agentKey] },
  }
}

async function givenCluster(deps: NameDeps): Promise<string | undefined> {
  const { settings } = deps
  if (settings.clusterName !== undefined) return checked(settings.clusterName, 'the setting for the cluster name')
  const id = await openShiftId(deps)
  return id === undefined ? undefined : checked(id, 'the ClusterVersion "version"')
}

/** Undefined where this is no OpenShift, or where the agent may not look. */
async function openShiftId({ spoke, log }: NameDeps): Promise<string | undefined> {
  try {
    return (await spoke.of(clusterVersions).get('version')).spec?.clusterID || undefined
  } catch (error) {
    if (isNotFound(error)) return undefined
    if (!isForbidden(error)) throw error
    log.warn({ err: error }, 'may not read the ClusterVersion, so this counts as no OpenShift cluster')
    return undefined
  }
}

/** An agent of the field kept it in the Secret alone. */
function keptCluster({ settings }: NameDeps, { inSecret, inMap }: NamesOnRecord): string | undefined {
  if (inMap?.cluster !== undefined)
    return checked(inMap.cluster, `the ConfigMap ${settings.namespace}/${clusterNameConfigMap}`)
  return valid(inSecret.cluster)
}

/** The Secret first: the certificate beside it is for that name. */
function keptAgent({ settings: { agentName } }: NameDeps, { inSecret, inMap }: NamesOnRecord): string | undefined {
  if (agentName !== undefined && !isName(agentName))
    throw failures.AGENT_NAME_INVALID({ origin: 'the setting for the agent name', name: JSON.stringify(agentName) })
  return agentName ?? valid(inSecret.agent) ?? valid(inMap?.agent)
}

const valid = (name: string | undefined): string | undefined => (name !== undefined && isName(name) ? name : undefined)

function checked(name: string, origin: string): string {
  if (!isName(name)) throw failures.AGENT_CLUSTER_NAME_INVALID({ origin, name: JSON.stringify(name) })
  return name
}

/** A DNS label: the hub makes a namespace of a cluster's name, and an agent's may have no colon either. */
export const isName = (name: string): boolean => name.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)
