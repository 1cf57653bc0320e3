import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { Clock } from '../../core/clock.ts'
import type { EgressRules } from '../../core/egress.ts'
import { everywhere } from '../../core/egress.ts'
import type { Log } from '../../core/log.ts'
import type { Random } from '../../core/random.ts'
import type { KubeClient, RequestSample } from '../../kube/client/index.ts'
import { connect } from '../../kube/client/index.ts'
import type { Connection } from '../../kube/connection.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'
import type { KubeconfigWay, Note, OidcWay, OpenSpoke, SecretKey, SpokeSettings, Trust, Way } from './contract.ts'
import { credentialIn, credentialOfToken } from './credential.ts'
import { SpokeGuard } from './guard.ts'
import { connectionIn, trustIn } from './kubeconfig-way.ts'
import { effectiveServer } from './loopback.ts'
import type { TokenSources } from './oidc/index.ts'
import { readSecretValue } from './secret-value.ts'
import type { TrustDeps } from './trust/index.ts'
import { explainDistrust, trustOf } from './trust/index.ts'

/**
 * A cluster's API server is trusted for that cluster only: what it answers must not fill the hub. A page of namespaces is
 * below 2 MiB, an object below 3; namespaces are kept with their labels alone, so that these are some 12,000. A cluster
 * that has more is asked about each.
 */
const spokeLimits = { mostAnswerBytes: 8 * 2 ** 20, mostLineBytes: 4 * 2 ** 20, mostKeptBytes: 8 * 2 ** 20 }

export interface OpenDeps {
  /** The hub; what is read through it is what the client depends on. */
  kube: Kube
  /** Of this client: the Secrets of its tokens are read when one is asked for, and it depends on them as well. */
  tokens: Pick<TokenSources, 'of'>
  clock: Clock
  random: Random
  log: Log
  settings(): SpokeSettings
  onRequest(sample: RequestSample): void
  onThrottled(cluster: string): void
  /** See there. */
  roots?: TrustDeps['roots']
  checkpoint?: TrustDeps['checkpoint']
}

export interface Opened {
  readonly spoke: OpenSpoke
  readonly client: KubeClient
  readonly guard: SpokeGuard
  /** Whether calls would go where they go now if it were opened again. */
  goesTheSameWay(): boolean
}

/** Makes the client of a cluster. Nothing is asked of the cluster itself but, where nobody vouches for it, what it shows. */
export const openSpoke = (
  config: Stored<ClusterConfig>,
  way: Way,
  deps: OpenDeps,
  signal: AbortSignal,
): Promise<Opened> =>
  way.by === 'Kubeconfig' ? byKubeconfig(config, way, deps, signal) : byOidc(config, way, deps, signal)

async function byKubeconfig(
  config: Stored<ClusterConfig>,
  way: KubeconfigWay,
  deps: OpenDeps,
  signal: AbortSignal,
): Promise<Opened> {
  const { kubeconfig } = way
  const { text, key } = await readSecretValue(deps.kube, kubeconfig, signal)
  const found = await connectionIn(text, `key ${key} of Secret ${kubeconfig.namespace}/${kubeconfig.name}`, deps.clock)
  const { egress } = deps.settings()
  const server = effectiveServer(found.server, deps.settings())
  // Its own API server is what the hub names, and not the user.
  const isOwn = server !== found.server
  const connection: Connection = {
    ...found,
    server,
    egress: { server: isOwn ? everywhere : egress, proxy: egress },
  }
  const facts = { by: way.by, trust: trustIn(found), notes: oldKey(kubeconfig, key) }
  return {
    ...opened(config, connection, facts, deps, {
      credential: () => credentialIn(found, way),
    }),
    goesTheSameWay: () =>
      effectiveServer(found.server, deps.settings()) === server && isSame(egress, deps.settings().egress),
  }
}

async function byOidc(
  config: Stored<ClusterConfig>,
  way: OidcWay,
  deps: OpenDeps,
  signal: AbortSignal,
): Promise<Opened> {
  const { egress } = deps.settings()
  const { trust, notes } = await trustOf(config, way, deps, signal)
  const oldKeys = way.clientSecret ? await oldKeyOf(way.clientSecret, deps.kube, signal) : []
  const source = deps.tokens.of(way)
  const connection: Connection = {
    server: way.server,
    egress: { server: egress, proxy: egress },
    tls: {
      ...(trust.ca !== undefined && { ca: trust.ca }),
      ...(trust.source === 'Insecure' && { insecureSkipVerify: true }),
    },
    credentials: async (options) => ({ authorization: (await source.current(options)).value }),
  }
  return {
    ...opened(config, connection, { by: way.by, trust, notes: [...notes, ...oldKeys] }, deps, {
      credential: async (until) => credentialOfToken(way, await source.current(until && { signal: until })),
      isDiscovering: () => source.isDiscovering(),
      explainDistrust: (until) => explainDistrust(config, way, trust, deps, until),
    }),
    goesTheSameWay: () => isSame(egress, deps.settings().egress),
  }
}

const isSame = (one: EgressRules, other: EgressRules): boolean => JSON.stringify(one) === JSON.stringify(other)

function opened(
  config: Stored<ClusterConfig>,
  connection: Connection,
  facts: { by: Way['by']; trust: Trust; notes: readonly Note[] },
  deps: OpenDeps,
  answers: Pick<OpenSpoke, 'credential' | 'isDiscovering' | 'explainDistrust'>,
): Omit<Opened, 'goesTheSameWay'> {
  const { name: cluster, namespace = '' } = config.metadata
  const settings = deps.settings()
  const guard = new SpokeGuard(connection.server, deps)
  const client = connect(connection, {
    ...{ clock: deps.clock, random: deps.random, log: deps.log.child({ cluster }) },
    options: {
      ...spokeLimits,
      qps: config.spec.qps ?? settings.qps,
      burst: config.spec.burst ?? settings.burst,
      admit: () => guard.admit(),
      onRequest(sample) {
        guard.note(sample)
        if (sample.code === 429) deps.onThrottled(cluster)
        deps.onRequest(sample)
      },
    },
  })
  const { server } = connection
  const throttledAt = () => guard.throttledAt
  return { spoke: { cluster, namespace, server, kube: client, throttledAt, ...facts, ...answers }, client, guard }
}

/** One that cannot be read is for those to tell who ask for a token. */
const oldKeyOf = (wanted: SecretKey, kube: Kube, signal: AbortSignal): Promise<Note[]> =>
  readSecretValue(kube, wanted, signal).then(
    ({ key }) => oldKey(wanted, key),
    () => [],
  )

const oldKey = ({ keys: [wanted = ''], field }: SecretKey, key: string): Note[] =>
  key === wanted ? [] : [{ kind: 'old-key', key, wanted, field }]
