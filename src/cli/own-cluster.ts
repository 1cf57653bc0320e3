import { join } from 'node:path'
import type { AddonSettings } from '../addons/agent/deps.ts'
import { defaultAddonSettings } from '../addons/agent/deps.ts'
import { addonAgent } from '../addons/agent/index.ts'
import { spokeKinds } from '../apis/fleet-kinds.ts'
import { passBy } from '../core/checkpoint.ts'
import type { Run } from '../core/lifecycle.ts'
import { aborted, runTogether } from '../core/lifecycle.ts'
import type { Metrics } from '../core/metrics.ts'
import type { Secret } from '../core/secret.ts'
import type { Embedded, EmbeddedOptions } from '../embedded/index.ts'
import { startEmbedded } from '../embedded/index.ts'
import { agentNamespace } from '../fleet/names.ts'
import { connect } from '../kube/client/index.ts'
import { emptyKubeconfig, formatKubeconfig, withContext } from '../kube/kubeconfig/index.ts'
import type { AgentSettings } from '../registration/agent/deps.ts'
import { defaultAgentSettings } from '../registration/agent/deps.ts'
import { registrationAgent } from '../registration/agent/index.ts'
import { agentNamespaceManifest, bootstrapSecretManifest } from '../registration/manifests/agent.ts'
import { addonNamespaceManifests } from '../registration/manifests/agent-addons.ts'
import { crdManifests } from '../registration/manifests/crds.ts'
import { applyManifests } from './apply-manifests.ts'
import { untilServed } from './init-steps.ts'
import type { CommandDeps } from './open-hub.ts'

/** A managed cluster in this process, from a folder of its own. */
export interface OwnCluster extends AsyncDisposable {
  readonly name: string
  readonly dir: string
  readonly plane: Embedded
}

/** How its API server knows and judges people. */
export type OwnClusterOptions = Pick<EmbeddedOptions, 'oidc' | 'authorizationConfig'>

export async function startOwnCluster(
  dir: string,
  name: string,
  deps: CommandDeps,
  options: OwnClusterOptions = {},
): Promise<OwnCluster> {
  const plane = await startEmbedded({ ...deps, dir: join(dir, 'kube'), ...options })
  return { name, dir, plane, [Symbol.asyncDispose]: () => plane.close() }
}

/** How the agents of our own clusters find the hub. */
export interface OwnInvitation {
  server: string
  caPem: string
  token: Secret
}

/** The agent of such a cluster. It talks to its own API server without the network, to the hub over it. */
export const agentOn =
  ({ name, dir, plane }: OwnCluster, invitation: OwnInvitation, deps: CommandDeps & { metrics: Metrics }): Run =>
  async (signal) => {
    const { kube } = plane
    const crds = crdManifests(spokeKinds)
    const kubeconfig = bootstrapKubeconfig(invitation).reveal()
    const places = [agentNamespaceManifest(agentNamespace), ...addonNamespaceManifests({ namespace: agentNamespace })]
    await applyManifests(kube, [...crds, ...places], signal)
    await applyManifests(kube, [bootstrapSecretManifest(agentNamespace, kubeconfig)], signal)
    await untilServed(crds, { ...deps, kube, signal, timeoutMs: 30_000 })
    const parts = { ...deps, management: kube, spoke: kube, checkpoint: passBy }
    const addons = addonAgent({ ...parts, settings: addonSettings })
    const agent = registrationAgent(
      { ...parts, connect: (connection) => connect(connection, deps), settings: settingsOf(name, dir) },
      { alongside: addons.on },
    )
    await runTogether(signal, [agent.run, (stop) => Promise.race([plane.over, aborted(stop)])])
  }

const bootstrapKubeconfig = ({ server, caPem, token }: OwnInvitation): Secret =>
  formatKubeconfig(
    withContext(emptyKubeconfig, {
      cluster: { server, certificateAuthorityData: caPem },
      user: { token },
      names: { cluster: 'hub', user: 'bootstrap', context: 'bootstrap' },
    }),
  )

/** By tokens of an hour, so that they are seen to be renewed. */
const addonSettings: AddonSettings = {
  ...defaultAddonSettings,
  namespace: agentNamespace,
  kubeClientDriver: 'token',
  tokenExpirationSeconds: 3_600,
}

const settingsOf = (clusterName: string, dir: string): AgentSettings => ({
  ...defaultAgentSettings,
  clusterName,
  hubKubeconfigDir: join(dir, 'hub-kubeconfig'),
  bootstrapKubeconfigs: [],
})
