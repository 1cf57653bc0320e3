import type { Secret } from 'kubernetes-types/core/v1.d.ts'
import type { Klusterlet } from '../../apis/operator/klusterlet.ts'
import type { Clock } from '../../core/clock.ts'
import type { ConditionReport } from '../../core/conditions.ts'
import type { Reason } from '../../core/reason.ts'
import { agentSecrets } from '../../fleet/names.ts'
import type { Connection } from '../../kube/connection.ts'
import { secrets } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Env } from '../../kube/kubeconfig/index.ts'
import type { Stored } from '../../kube/objects.ts'
import { bootstrapConnection, textIn } from '../../registration/operations/secret-connection.ts'
import { conditions } from '../names.ts'
import { reasons } from '../reasons.ts'
import { throughAlias } from './host-alias.ts'
import type { HubClients } from './hub-clients.ts'
import { memberIdentity } from './member-identity.ts'
import type { ServedDriver } from './reviews.ts'
import { joinerNeeds, memberNeeds, review } from './reviews.ts'

/** What was found of one credential. */
export interface Finding {
  readonly isFunctional: boolean
  readonly reason: Reason
  readonly message: string
}

export interface Looking {
  klusterlet: Klusterlet
  driver: ServedDriver
  kube: Kube
  clients: HubClients
  clock: Clock
  env: Env
  namespace: string
  signal: AbortSignal
}

const good = (reason: Reason, message: string): Finding => ({ isFunctional: true, reason, message })
const bad = (reason: Reason, message: string): Finding => ({ isFunctional: false, reason, message })

/** The credential of the agent decides; only where it does not work, the bootstrap kubeconfig is looked at besides. */
export async function hubConnection(looking: Looking, severalHubs: boolean): Promise<ConditionReport> {
  const type = conditions.hubConnectionDegraded
  const member = await memberFinding(looking)
  if (member.isFunctional) return { type, status: 'False', reason: member.reason, message: member.message }
  const joiner = severalHubs ? unchecked : await joinerFinding(looking)
  return { type, status: 'True', ...combined(joiner, member) }
}

/** The reason of the field: both, with a comma between them. */
export const combined = (joiner: Finding, member: Finding) => ({
  reason: `${joiner.reason},${member.reason}` as Reason,
  message: `${joiner.message} ${member.message}`,
})

/** For a way to join that this version does not have. */
export const notAvailable = (driver: string): ConditionReport => ({
  type: conditions.hubConnectionDegraded,
  status: 'Unknown',
  reason: reasons.DriverNotAvailable,
  message: `Joining by ${driver} comes with a later version, so there is no such connection to look at.`,
})

/** Of a credential and the way it is used. */
const versionOf = ({ metadata }: Stored<Secret>, { spec }: Klusterlet): string =>
  `${metadata.resourceVersion} ${JSON.stringify(spec?.hubApiServerHostAlias ?? {})}`

const unchecked: Finding = bad(
  reasons.BootstrapSecretUnchecked,
  'The bootstrap Secrets of several hubs are read by the agent alone; its log says how they fare.',
)

async function memberFinding(looking: Looking): Promise<Finding> {
  const { klusterlet, driver, kube, clients, namespace, signal } = looking
  const name = agentSecrets.hubKubeconfig
  const secret: Stored<Secret> | undefined = await kube.of(secrets, namespace).find(name, { signal })
  const where = `Secret ${namespace}/${name}`
  if (!secret)
    return bad(
      reasons.HubKubeConfigSecretMissing,
      `There is no ${where}: the agent has not joined; accept its cluster on the hub.`,
    )
  if (!textIn(secret, 'kubeconfig')) return bad(reasons.HubKubeConfigMissing, `${where} holds no kubeconfig yet.`)
  const cluster = textIn(secret, 'cluster-name')
  if (!cluster) return bad(reasons.ClusterNameMissing, `${where} does not name the cluster.`)
  const identity = await memberIdentity(secret, looking)
  if ('wrong' in identity) return bad(reasons.HubKubeConfigError, `The kubeconfig in ${where} ${identity.wrong}.`)
  const { connection } = identity
  const version = `${versionOf(secret, klusterlet)} ${identity.version}`
  const hub = await clients.get(`${namespace}/${name}`, version, () =>
    throughAlias(connection, klusterlet.spec?.hubApiServerHostAlias),
  )
  const verdict = await review(hub, memberNeeds(cluster, driver), signal)
  switch (verdict.verdict) {
    case 'allowed':
      return good(reasons.HubConnectionFunctional, `The credential in ${where} works on ${connection.server}.`)
    case 'refused':
      return bad(
        reasons.HubKubeConfigUnauthorized,
        `${connection.server} refuses the credential in ${where}: ${verdict.what}.`,
      )
    case 'unknown':
      return bad(reasons.HubKubeConfigError, `${connection.server} could not be asked with ${where}: ${verdict.why}.`)
  }
}

async function joinerFinding(looking: Looking): Promise<Finding> {
  const { klusterlet, driver, kube, clients, clock, namespace, signal } = looking
  const name = agentSecrets.bootstrap
  const where = `Secret ${namespace}/${name}`
  const secret: Stored<Secret> | undefined = await kube.of(secrets, namespace).find(name, { signal })
  if (!secret)
    return bad(
      reasons.BootstrapSecretMissing,
      `There is no ${where}; \`lanyard token\` on the hub tells how to make one.`,
    )
  let connection: Connection
  try {
    connection = await bootstrapConnection(secret, clock)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return bad(reasons.BootstrapSecretError, `${where} holds no usable kubeconfig: ${why}.`)
  }
  const { server } = connection
  const hub = await clients.get(`${namespace}/${name}`, versionOf(secret, klusterlet), () =>
    throughAlias(connection, klusterlet.spec?.hubApiServerHostAlias),
  )
  const verdict = await review(hub, joinerNeeds(driver), signal)
  switch (verdict.verdict) {
    case 'allowed':
      return good(reasons.BootstrapSecretFunctional, `The bootstrap kubeconfig in ${where} may ask ${server} to join.`)
    case 'refused':
      return bad(
        reasons.BootstrapSecretUnauthorized,
        `${server} refuses the bootstrap kubeconfig in ${where}: ${verdict.what}.`,
      )
    case 'unknown':
      return bad(reasons.BootstrapSecretError, `${server} could not be asked with ${where}: ${verdict.why}.`)
  }
}
