import { join } from 'node:path'
import { passBy } from '../core/checkpoint.ts'
import { isFailure } from '../core/failure.ts'
import type { Run } from '../core/lifecycle.ts'
import { aborted, runTogether } from '../core/lifecycle.ts'
import { createMetrics } from '../core/metrics.ts'
import type { Step } from '../core/step.ts'
import type { DemoRegistries } from '../demo/registries/demo-set.ts'
import { startDemoRegistries } from '../demo/registries/demo-set.ts'
import type { CommandDeps } from './open-hub.ts'
import type { PullClient } from './pull-secrets-client.ts'
import { pullClient, tokenIn } from './pull-secrets-client.ts'
import type { PullSecretsConfig } from './pull-secrets-schema.ts'
import { pullFolder } from './pull-secrets-server.ts'
import { pullService } from './pull-secrets-service.ts'
import type { PullSecretItem } from './pull-secrets-words.ts'
import { clusterPath } from './pull-secrets-words.ts'

export interface OwnPullSecrets {
  client: PullClient
  registries: DemoRegistries
}

interface OwnOptions {
  data: string
  config: PullSecretsConfig
  show(step: Step): void
  onReady(own: OwnPullSecrets): void
}

/** The pull secret service in this process, with registries that are made up, from this folder. */
export const ownPullSecrets =
  ({ data, config, show, onReady }: OwnOptions, deps: CommandDeps): Run =>
  async (signal) => {
    const folder = pullFolder(data)
    await using registries = await startDemoRegistries(join(folder, 'stand-ins'))
    const metrics = await createMetrics()
    await pullService(
      {
        folder,
        config: { ...config, loops: { ...config.loops, rotation: 1, sweep: 5 } },
        registries: registries.configs,
        listen: { host: '127.0.0.1', port: 0 },
        environmentUrl: undefined,
        environment: {},
        show,
        async onReady({ url }) {
          const token = await tokenIn(join(folder, 'operator-token'), '--token-file')
          onReady({ client: pullClient({ server: url, token, signal }), registries })
        },
      },
      { ...deps, metrics, checkpoint: passBy },
    )(signal)
  }

/** `lanyard up`: the service, and a pull secret for the first cluster, so that there is something to look at. */
export function pullSecretsOfFleet(
  { data, config, show }: Pick<OwnOptions, 'data' | 'config' | 'show'>,
  deps: CommandDeps,
): { run: Run; onJoined(cluster: string): void } {
  const ready = Promise.withResolvers<OwnPullSecrets>()
  ready.promise.catch(() => {})
  const first = Promise.withResolvers<string>()
  const quiet = (step: Step) => deps.log.debug({ step }, 'starting the pull secret service')
  const serving = ownPullSecrets({ data, config, show: quiet, onReady: ready.resolve }, deps)
  const give: Run = async (signal) => {
    const { client } = await orAbort(ready.promise, signal)
    show({ did: 'the pull secret service is ready', detail: `${client.server}, with registries that are made up` })
    const cluster = await orAbort(first.promise, signal)
    const hosts = await hostsOf(client, cluster)
    show({
      did: `${cluster} got its pull secret for ${hosts.length} registries`,
      detail: `lanyard pull-secrets get ${cluster} --reveal${data === '.lanyard' ? '' : ` --data ${data}`}`,
    })
    await aborted(signal)
  }
  /** It is one part of many: where it cannot run, the rest still does. */
  const run: Run = async (signal) => {
    try {
      await runTogether(signal, [serving, give])
    } catch (error) {
      if (!isFailure(error) || signal.aborted) throw error
      show({ did: 'the pull secret service is left out', detail: `${error.message} (${error.code})` })
      await aborted(signal)
    }
  }
  return { run, onJoined: (cluster: string) => first.resolve(cluster) }
}

async function hostsOf(client: PullClient, cluster: string): Promise<string[]> {
  const body = { cloud_provider: 'gcp', region: 'us-east1' }
  const answer = await client.call<PullSecretItem>('POST', clusterPath(cluster), { body })
  return Object.keys(answer.body.pull_secret.auths)
}

function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const stopped = aborted(signal).then(() => Promise.reject(signal.reason as Error))
  stopped.catch(() => {})
  return Promise.race([work, stopped])
}
