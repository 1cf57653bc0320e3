import { randomUUID } from 'node:crypto'
import type { Log } from '../../core/log.ts'
import type { Random } from '../../core/random.ts'
import { clusterNameConfigMap } from '../../fleet/names.ts'
import { isAlreadyExists, isForbidden, isNotFound } from '../../kube/failures.ts'
import { configMaps, secrets } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { KubeObject } from '../../kube/objects.ts'
import { resource } from '../../kube/objects.ts'
import type { AgentSettings } from './deps.ts'
import { failures } from './failures.ts'
import { textOf, writeSecret } from './hub-secret.ts'

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
const nameKey = 'cluster-name'

/**
 * Who this agent is, the same after every restart: what was made up is on record before it is used. Throws a failure
 * for a name that no hub takes.
 */
export async function resolveNames(deps: NameDeps): Promise<AgentNames> {
  const { management, settings } = deps
  const secret = await management.of(secrets, settings.namespace).find(settings.hubKubeconfigSecret)
  const data = secret?.data ?? {}
  const cluster = await clusterName(deps, textOf(data, nameKey))
  const agent = await agentName(deps, textOf(data, 'agent-name'))
  return { cluster, agent }
}

async function clusterName(deps: NameDeps, inSecret: string | undefined): Promise<string> {
  const { settings } = deps
  if (settings.clusterName !== undefined) return checked(settings.clusterName, 'the setting for the cluster name')
  const id = await openShiftId(deps)
  if (id !== undefined) return checked(id, 'the ClusterVersion "version"')
  return keptName(deps, inSecret)
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

/** From the ConfigMap, which is made once: whoever comes second takes what is there. */
async function keptName({ management, settings }: NameDeps, inSecret: string | undefined): Promise<string> {
  const maps = management.of(configMaps, settings.namespace)
  const origin = `the ConfigMap ${settings.namespace}/${clusterNameConfigMap}`
  const found = await maps.find(clusterNameConfigMap)
  if (found) return checked(found.data?.[nameKey] ?? '', origin)
  // An agent of the field kept it in the Secret alone.
  const name = inSecret !== undefined && isName(inSecret) ? inSecret : randomUUID()
  try {
    await maps.create({ metadata: { name: clusterNameConfigMap }, data: { [nameKey]: name } })
    return name
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    return checked((await maps.get(clusterNameConfigMap)).data?.[nameKey] ?? '', origin)
  }
}

async function agentName({ management, random, settings }: NameDeps, kept: string | undefined): Promise<string> {
  const given = settings.agentName
  if (given !== undefined && !isName(given)) {
    throw failures.AGENT_NAME_INVALID({ origin: 'the setting for the agent name', name: JSON.stringify(given) })
  }
  if (given !== undefined) return given
  if (kept !== undefined && isName(kept)) return kept
  const name = random.suffix(5)
  await writeSecret(management, settings.namespace, settings.hubKubeconfigSecret, { 'agent-name': name })
  return name
}

function checked(name: string, origin: string): string {
  if (!isName(name)) throw failures.AGENT_CLUSTER_NAME_INVALID({ origin, name: JSON.stringify(name) })
  return name
}

/** A name that a namespace can have, because the hub makes one of it; an agent's may have no colon either. */
export const isName = (name: string): boolean => name.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)
