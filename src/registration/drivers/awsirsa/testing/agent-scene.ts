import { join } from 'node:path'
import { eventually } from '../../../../../test/support/eventually.ts'
import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import { kubeFailure, MemoryKube } from '../../../../../test/support/memory-kube.ts'
import { tempDir } from '../../../../../test/support/temp-dir.ts'
import type { TestScope } from '../../../../../test/support/test-scope.ts'
import { teardown } from '../../../../../test/support/test-scope.ts'
import { ManagedCluster } from '../../../../apis/cluster/managed-cluster.ts'
import { passBy } from '../../../../core/checkpoint.ts'
import { aborted } from '../../../../core/lifecycle.ts'
import { silentLog } from '../../../../core/log.ts'
import { noMetrics } from '../../../../core/metrics.ts'
import { systemRandom } from '../../../../core/random.ts'
import { Secret } from '../../../../core/secret.ts'
import type { KubeClient } from '../../../../kube/client/index.ts'
import type { Connection } from '../../../../kube/connection.ts'
import { secrets } from '../../../../kube/kinds.ts'
import { emptyKubeconfig, formatKubeconfig, withContext } from '../../../../kube/kubeconfig/index.ts'
import { defaultAgentSettings } from '../../../agent/deps.ts'
import type { RegistrationAgent } from '../../../agent/index.ts'
import { registrationAgent } from '../../../agent/index.ts'
import type { AgentDriver } from '../../driver.ts'

const namespace = 'here'
const bootstrapToken = 'bootstrap'

/** A whole agent on clusters in memory. Its hub lets in the bootstrap token, and whoever `knows` says. */
export function wholeAgent(t: TestScope, knows: (token: string) => boolean, clock = new FakeClock()) {
  const [hub, home] = [new MemoryKube(clock), new MemoryKube(clock)]
  const clusters = hub.of(ManagedCluster.resource)
  const bootstrap = { isGood: true }
  const dir = join(tempDir(t), 'hub')
  const isKnown = (token: string) => (token === bootstrapToken ? bootstrap.isGood : knows(token))

  /** As the real client does it: after a 401, once more with what is fresh. */
  const connect = ({ credentials }: Connection): KubeClient => {
    const kube = hub.through(async (_call, proceed) => {
      for (const refresh of [false, true]) {
        const { authorization } = (await credentials?.({ refresh })) ?? {}
        if (authorization && isKnown(authorization.reveal())) return proceed()
      }
      throw kubeFailure(401, 'Unauthorized')
    })
    const close = async () => {}
    return { ...kube, close, [Symbol.asyncDispose]: close }
  }

  let stop = async () => {}
  let agent: RegistrationAgent
  const start = (driver?: AgentDriver) => {
    const settings = {
      ...defaultAgentSettings,
      namespace,
      clusterName: 'west',
      agentName: 'a1',
      hubKubeconfigDir: dir,
      bootstrapKubeconfigs: [],
    }
    const machine = { clock, random: systemRandom, log: silentLog, metrics: noMetrics, checkpoint: passBy }
    agent = registrationAgent(
      { ...machine, management: home, spoke: home, connect, settings },
      { ...(driver && { driver }), member: () => aborted },
    )
    const over = new AbortController()
    const running = agent.run(over.signal)
    stop = () => {
      over.abort()
      return running
    }
  }
  teardown(t, () => stop())

  return {
    clock,
    hub,
    home,
    clusters,
    bootstrap,
    dir,
    start,
    stop: () => stop(),
    state: () => agent.state(),
    /** As an administrator of the agent's cluster would. */
    async invite() {
      const config = withContext(emptyKubeconfig, {
        cluster: { server: 'https://hub.example.com' },
        user: { token: Secret.of(bootstrapToken) },
        names: { cluster: 'hub' },
      })
      const kubeconfig = Buffer.from(formatKubeconfig(config).reveal()).toString('base64')
      const name = defaultAgentSettings.bootstrapKubeconfigSecret
      await home.of(secrets, namespace).create({ metadata: { name }, data: { kubeconfig } })
    },
    /** What the hub says of the cluster, as its controllers do. */
    async setAccepted(hubAcceptsClient: boolean) {
      const lastTransitionTime = clock.now().toISOString()
      const status = hubAcceptsClient ? ('True' as const) : ('False' as const)
      const accepted = { type: 'HubAcceptedManagedCluster', status, reason: 'X', message: '', lastTransitionTime }
      const body = { spec: { hubAcceptsClient }, status: { conditions: [accepted] } }
      await clusters.patch('west', { type: 'merge', body })
    },
    secret: () => home.of(secrets, namespace).find(defaultAgentSettings.hubKubeconfigSecret),
    deleteSecret: () => home.of(secrets, namespace).delete(defaultAgentSettings.hubKubeconfigSecret),
    /** Time passes until it is so. */
    until: (what: string, isSo: () => boolean | Promise<boolean>) =>
      eventually(what, async () => {
        if (await isSo()) return true
        await clock.advance('5s')
        return await isSo()
      }),
  }
}
