import { passBy } from '../../src/core/checkpoint.ts'
import { systemClock } from '../../src/core/clock.ts'
import { silentLog } from '../../src/core/log.ts'
import { createMetrics } from '../../src/core/metrics.ts'
import { systemRandom } from '../../src/core/random.ts'
import type { QuayStandIn, RedhatStandIn } from '../../src/demo/registries/index.ts'
import { startQuay, startRedhat } from '../../src/demo/registries/index.ts'
import type { PullDeps } from '../../src/pull-secrets/deps.ts'
import type { PullSecrets } from '../../src/pull-secrets/index.ts'
import { pullSecrets } from '../../src/pull-secrets/index.ts'
import type { KeyRing } from '../../src/pull-secrets/keys/index.ts'
import { tokenVault } from '../../src/pull-secrets/keys/index.ts'
import { newKey } from '../../src/pull-secrets/keys/ring.ts'
import { clusterLock } from '../../src/pull-secrets/locking/index.ts'
import type { RegistryConfig } from '../../src/pull-secrets/registries/index.ts'
import { openRegistries } from '../../src/pull-secrets/registries/index.ts'
import type { PullSettings } from '../../src/pull-secrets/settings.ts'
import { defaultPullSettings } from '../../src/pull-secrets/settings.ts'
import { openDatabase } from '../../src/pull-secrets/store/database.ts'
import { clusterName } from './fleet.ts'

export const actor = { name: 'bench' }
const [org, team] = ['acme', 'pullers']
export const dataConnections = 10

/** A Quay and a Red Hat authorizer that answer as slowly as they are told to. */
export interface StandIns extends AsyncDisposable {
  quay: QuayStandIn
  redhat: RedhatStandIn
  setLatency(ms: number): void
  /** So far, together. */
  calls(): number
}

export async function startStandIns(): Promise<StandIns> {
  const quay = await startQuay({ org, team })
  const redhat = await startRedhat({ partnerCode: 'ocm-service' })
  return {
    quay,
    redhat,
    setLatency(ms) {
      quay.latencyMs = ms
      redhat.latencyMs = ms
    },
    calls: () => quay.calls.length + redhat.calls.length,
    async [Symbol.asyncDispose]() {
      await Promise.all([quay[Symbol.asyncDispose](), redhat[Symbol.asyncDispose]()])
    },
  }
}

export interface Rate {
  rps: number
  burst: number
}

const unlimited: Rate = { rps: 100_000, burst: 100_000 }

/** The two of the stand-ins and their aliases; without stand-ins at addresses where nobody listens. */
export function registryConfigs(standIns?: StandIns, rate = unlimited): RegistryConfig[] {
  const nowhere = 'http://127.0.0.1:9'
  const { quay, redhat } = standIns ?? { quay: { url: nowhere }, redhat: { url: nowhere } }
  return [
    {
      id: 'quay',
      type: 'Quay',
      url: 'quay.io',
      orgName: org,
      teamName: team,
      cloudAlias: true,
      apiBaseUrl: quay.url,
      rate,
    },
    { id: 'redhat', type: 'Redhat', url: 'registry.redhat.io', apiBaseUrl: redhat.url, rate },
    { id: 'redhat-connect', type: 'Redhat', url: 'registry.connect.redhat.com', credentialSource: 'redhat' },
  ]
}

/** The service within this process, as a process of its own would have it. */
export interface Pod extends AsyncDisposable {
  deps: PullDeps
  service: PullSecrets
  tick(loop: string): Promise<void>
}

export interface PodOptions {
  url: string
  ring?: KeyRing
  standIns?: StandIns
  rate?: Rate
  settings?: Partial<PullSettings>
}

export async function openPod({ url, ring = newRing(), standIns, rate, settings = {} }: PodOptions): Promise<Pod> {
  const database = openDatabase({ url, log: silentLog, connections: dataConnections })
  const metrics = await createMetrics()
  const common = { clock: systemClock, random: systemRandom, log: silentLog, metrics }
  const deps: PullDeps = {
    ...common,
    database,
    lock: clusterLock({ database, log: silentLog }),
    vault: tokenVault(ring),
    registries: openRegistries(registryConfigs(standIns, rate), { ...common, instanceId: 'default' }),
    settings: { ...defaultPullSettings, ...settings },
    checkpoint: passBy,
  }
  const service = pullSecrets(deps)
  return {
    deps,
    service,
    async tick(name) {
      const loop = service.loops.find((one) => one.name === name)
      await loop?.tick(new AbortController().signal)
    },
    [Symbol.asyncDispose]: async () => await database[Symbol.asyncDispose](),
  }
}

export function newRing(): KeyRing {
  const [id, key] = newKey()
  return { active: id, keys: new Map([[id, key]]) }
}

export const generate = ({ service }: Pod, number: number) =>
  service.issuing.generate({ cluster: { id: clusterName(number), cloudProvider: 'gcp', region: 'us-east1' } }, actor)
