import type { Command } from 'commander'
import { removeAddonSecrets } from '../addons/operations/remove-secrets.ts'
import type { Step } from '../core/step.ts'
import { agentSecrets } from '../fleet/names.ts'
import { connect } from '../kube/client/index.ts'
import { secrets } from '../kube/kinds.ts'
import type { Kube } from '../kube/kube.ts'
import { removeHandover } from '../reach/operations/remove-handover.ts'
import { failures } from '../registration/operations/failures.ts'
import { removeAgent } from '../registration/operations/remove-agent.ts'
import { textIn } from '../registration/operations/secret-connection.ts'
import { takeOffHub } from '../registration/operations/take-off.ts'
import { leaveHub } from '../registration/operations/unjoin.ts'
import { awsByCaller } from './aws-caller.ts'
import type { AwsCallerOptions } from './aws-caller-flags.ts'
import { openCluster } from './open-cluster.ts'
import type { CommandDeps } from './open-hub.ts'
import type { Settings } from './settings.ts'

export interface Leaving extends AwsCallerOptions {
  command: Command
  settings: Settings
  name?: string
  managedKubeconfig?: string
  managedContext?: string
  agentNamespace: string
  force?: boolean
  timeout: number
}

/**
 * The hub first, while the agent still runs and can clean up; the agent last. Without the hub's kubeconfig the cluster
 * tells the hub with its own identity.
 */
export async function* leaveFleet(leaving: Leaving, deps: CommandDeps): AsyncGenerator<Step> {
  const { settings, name, managedKubeconfig, managedContext, agentNamespace, force = false, timeout } = leaving
  const hasHub = name !== undefined
  const hasCluster = managedKubeconfig !== undefined || managedContext !== undefined
  if (!hasHub && !hasCluster) throw failures.UNJOIN_NOWHERE()
  await using opened = new AsyncDisposableStack()
  const managed = hasCluster
    ? await openCluster({ kubeconfig: managedKubeconfig, context: managedContext }, deps)
    : undefined
  if (managed) opened.use(managed.client)
  if (managed && hasHub && !force) await mustBe(name, managed.client, agentNamespace, deps.signal)
  if (hasHub) {
    const hub = opened.use((await openCluster(settings, deps)).client)
    const aws = opened.use(awsByCaller(hub, leaving.command, { ...leaving, ...deps, hubWithinMs: 0 }))
    yield* leaveHub(name, { force, timeoutMs: timeout * 1_000 }, { ...deps, kube: hub, aws })
  } else if (managed) {
    const tell = takeOffHub(agentNamespace, {
      ...deps,
      kube: managed.client,
      connect: (to) => connect(to, deps),
      env: process.env,
    })
    yield* force ? orGoOn(tell) : tell
  }
  if (managed) {
    const onCluster = { ...deps, kube: managed.client }
    const onceStopped = async function* () {
      yield* removeHandover(agentNamespace, onCluster)
      yield* removeAddonSecrets(agentNamespace, onCluster)
    }
    yield* removeAgent(agentNamespace, onCluster, { timeoutMs: timeout * 1_000, onceStopped })
  } else yield { did: 'the cluster itself was left alone', detail: 'remove its agent with --managed-kubeconfig' }
}

/** Two kubeconfigs are easily mixed up, and both sides would lose a cluster. */
async function mustBe(name: string, managed: Kube, namespace: string, signal: AbortSignal): Promise<void> {
  const secret = await managed.of(secrets, namespace).find(agentSecrets.hubKubeconfig, { signal })
  const own = secret && textIn(secret, 'cluster-name')
  if (own !== undefined && own !== name) throw failures.UNJOIN_OTHER_CLUSTER({ cluster: name, other: own })
}

/** With `--force` a hub that cannot be told is no reason to stay. */
async function* orGoOn(steps: AsyncIterable<Step>): AsyncGenerator<Step> {
  try {
    yield* steps
  } catch (error) {
    yield { did: 'the hub was not told', detail: error instanceof Error ? error.message : String(error) }
  }
}
