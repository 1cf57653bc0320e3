/** The pull secret service at work: a database of its own, stand-ins for Quay and Red Hat, and a clock that stands still. */
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Checkpoint, CheckpointName } from '../../src/core/checkpoint.ts'
import { passBy } from '../../src/core/checkpoint.ts'
import type { Clock } from '../../src/core/clock.ts'
import { systemClock } from '../../src/core/clock.ts'
import type { Log } from '../../src/core/log.ts'
import { createLog } from '../../src/core/log.ts'
import type { Metrics } from '../../src/core/metrics.ts'
import { createMetrics } from '../../src/core/metrics.ts'
import { systemRandom } from '../../src/core/random.ts'
import { Secret } from '../../src/core/secret.ts'
import type { QuayStandIn, RedhatStandIn, StandIn } from '../../src/demo/registries/index.ts'
import { startQuay, startRedhat } from '../../src/demo/registries/index.ts'
import type { PullSecrets } from '../../src/pull-secrets/index.ts'
import { pullSecrets } from '../../src/pull-secrets/index.ts'
import type { KeyRing } from '../../src/pull-secrets/keys/index.ts'
import { tokenVault } from '../../src/pull-secrets/keys/index.ts'
import type { ClusterLock } from '../../src/pull-secrets/lock.ts'
import { clusterLock } from '../../src/pull-secrets/locking/index.ts'
import type { LoopName } from '../../src/pull-secrets/loop.ts'
import type { RegistryConfig } from '../../src/pull-secrets/registries/config.ts'
import type { Registries } from '../../src/pull-secrets/registries/entry.ts'
import { openRegistries } from '../../src/pull-secrets/registries/index.ts'
import type { PullSecret } from '../../src/pull-secrets/service.ts'
import type { PullSettings } from '../../src/pull-secrets/settings.ts'
import { defaultPullSettings } from '../../src/pull-secrets/settings.ts'
import type { Database } from '../../src/pull-secrets/store/database.ts'
import { openDatabase } from '../../src/pull-secrets/store/database.ts'
import { aCanary } from './canary.ts'
import { FakeClock } from './fake-clock.ts'
import { freshDatabase } from './postgres.ts'
import { assertNothingLeaks, overheard } from './pull-secret-leaks.ts'
import { tempDir } from './temp-dir.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

export const clusterC = { id: '019466a0-8f8e-7abc-9def-0123456789ab', cloudProvider: 'gcp', region: 'us-east1' }
export const tester = { name: 'test' }
export const org = 'redhat-openshift'
export const team = 'hyperfleet-installers'

export interface PullSecretSceneOptions {
  settings?: Partial<PullSettings>
  /** Changes or replaces the default set: quay, cloud-openshift, redhat, redhat-connect. */
  registries?: (standard: RegistryConfig[]) => RegistryConfig[]
  checkpoint?: Checkpoint
  ring?: KeyRing
  /** Of the clients of registries: retries and breakers. Default: the real one, with hasty retries. */
  registryClock?: Clock
  databaseUrl?: string
  /** Where a stand-in of the test's own has to live by it as well. */
  clock?: FakeClock
  /** Changes what the service has of the database, to let it fail. */
  database?: (opened: Database) => Database
}

/** One process of the service. */
export interface Pod {
  service: PullSecrets
  database: Database
  /** Its heartbeats live by real time: a jump of the scene's clock would be a connection that does not answer. */
  lock: ClusterLock
  tick(loop: LoopName): Promise<void>
  metrics: Metrics
  registries: Registries
  settings: PullSettings
  log: Log
}

export interface PullSecretScene extends Pod {
  clock: FakeClock
  quay: QuayStandIn
  redhat: RedhatStandIn
  /** In every secret that the stand-ins mint. */
  canary: string
  /** Calls a stand-in as somebody else would who is let in there. */
  callAsOther(standIn: StandIn, method: string, path: string, body?: unknown): Promise<Response>
  databaseUrl: string
  /** What all pods have logged, at debug. */
  logged(): string
  /** That nothing that was stored, logged, measured, returned or thrown so far shows a token. Runs at the end as well. */
  assertQuiet(): Promise<void>
  /** Another process on the same database. */
  pod(
    options?: Pick<PullSecretSceneOptions, 'settings' | 'checkpoint' | 'ring' | 'registries' | 'database'>,
  ): Promise<Pod>
}

/** What the document says, a host. */
export const authsOf = ({ document }: Pick<PullSecret, 'document'>): Record<string, { auth: string }> =>
  JSON.parse(document.json.reveal()).auths

/** What a client of the registry would log in with. */
export function loginOf(pullSecret: Pick<PullSecret, 'document'>, host: string): [username: string, token: string] {
  const text = Buffer.from(authsOf(pullSecret)[host]?.auth ?? '', 'base64').toString()
  const at = text.indexOf(':')
  return [text.slice(0, at), text.slice(at + 1)]
}

/** A process that ends at this checkpoint: nothing of it goes on after. */
export function diesAt(name: CheckpointName, { afterHits = 0 } = {}): Checkpoint {
  let hits = 0
  let isDead = false
  return (reached) => {
    if (reached === name && hits++ >= afterHits) isDead = true
    if (isDead) throw new Error(`killed at ${name}`)
  }
}

/** Accounts that let somebody in and that no row tells of; and rows that are served and let nobody in. */
export async function strayAccounts({ quay, redhat, database }: PullSecretScene): Promise<string[]> {
  const rows = await database.db
    .selectFrom('registry_credentials')
    .select(['registry_id', 'external_name', 'state'])
    .execute()
  const live = [
    ...quay.accounts().map(({ name }) => `quay ${name}`),
    ...redhat.accounts().map(({ name }) => `redhat ${name}`),
  ]
  const known = new Set(rows.map((row) => `${row.registry_id} ${row.external_name}`))
  const served = rows.filter(({ state }) => ['active', 'staged', 'superseded'].includes(state))
  return [
    ...live.filter((account) => !known.has(account)).map((account) => `${account} has no row`),
    ...served
      .map((row) => `${row.registry_id} ${row.external_name}`)
      .filter((account) => !live.includes(account))
      .map((account) => `${account} is gone outside`),
  ]
}

/** Lets the sweeper take up everything that is left, as often as it takes time to give up waiting. */
export async function sweepAll({ clock, tick }: PullSecretScene, times = 2): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    await clock.advance('1h')
    await tick('sweep')
  }
}

export const aKeyRing = (id = 'key-1'): KeyRing => ({ active: id, keys: new Map([[id, Secret.of(randomBytes(32))]]) })

const endsWith = (t: TestScope, what: AsyncDisposable): void =>
  teardown(t, async () => await what[Symbol.asyncDispose]())

export async function pullSecretScene(t: TestScope, options: PullSecretSceneOptions = {}): Promise<PullSecretScene> {
  const canary = aCanary()
  const clock = options.clock ?? new FakeClock(new Date())
  const dir = tempDir(t)
  const bearer = aCanary()
  const tokenFile = join(dir, 'registry-token')
  writeFileSync(tokenFile, bearer)
  const quay = await startQuay({ canary, bearer, org, team })
  endsWith(t, quay)
  const redhat = await startRedhat({ canary, bearer, partnerCode: 'ocm-service' })
  endsWith(t, redhat)
  const auth = { tokenFile }
  const standard: RegistryConfig[] = [
    {
      id: 'quay',
      type: 'Quay',
      url: 'quay.io',
      orgName: org,
      teamName: team,
      apiBaseUrl: quay.url,
      loginUrl: `http://${quay.host}/v2/auth`,
      auth,
      rate: { rps: 10_000, burst: 10_000 },
    },
    { id: 'cloud-openshift', type: 'Quay', url: 'cloud.openshift.com', credentialSource: 'quay', cloudAlias: true },
    {
      id: 'redhat',
      type: 'Redhat',
      url: 'registry.redhat.io',
      apiBaseUrl: redhat.url,
      loginUrl: `http://${redhat.host}/v2/auth`,
      auth,
      rate: { rps: 10_000, burst: 10_000 },
    },
    { id: 'redhat-connect', type: 'Redhat', url: 'registry.connect.redhat.com', credentialSource: 'redhat' },
  ]
  const lines: string[] = []
  const log = createLog({ level: 'debug', destination: { write: (line) => void lines.push(line) }, clock })
  const ring = options.ring ?? aKeyRing()
  const databaseUrl = options.databaseUrl ?? (await freshDatabase(t))
  const told: string[] = []
  const measured: string[] = []
  const assertQuiet = () =>
    assertNothingLeaks({
      canaries: [canary, bearer],
      databaseUrl,
      logged: () => lines.join(''),
      told,
      metrics: measured,
    })
  teardown(t, assertQuiet)

  const pod: PullSecretScene['pod'] = async (own = {}) => {
    const asked = { ...options, ...own }
    const metrics = await createMetrics()
    const settings = { ...defaultPullSettings, ...asked.settings }
    const opened = openDatabase({ url: databaseUrl, log })
    endsWith(t, opened)
    const database = asked.database?.(opened) ?? opened
    const registries = openRegistries((asked.registries ?? ((set) => set))(standard), {
      clock: options.registryClock ?? systemClock,
      random: systemRandom,
      log,
      metrics,
      instanceId: settings.instanceId,
      retryBaseMs: 1,
      ...(!options.registryClock && { pauseMs: 1 }),
    })
    const lock = clusterLock({ database, log })
    const made = pullSecrets({
      database,
      lock,
      vault: tokenVault(asked.ring ?? ring),
      registries,
      settings,
      clock,
      random: systemRandom,
      log,
      metrics,
      checkpoint: asked.checkpoint ?? passBy,
    })
    // Before the database goes, which some of them count.
    teardown(t, async () => void measured.push(await metrics.text()))
    const service = overheard(made, told)
    return {
      service,
      database,
      lock,
      metrics,
      registries,
      settings,
      log,
      async tick(name) {
        const loop = service.loops.find((one) => one.name === name)
        if (!loop) throw new Error(`there is no loop ${name}`)
        await loop.tick(new AbortController().signal)
      },
    }
  }
  const callAsOther: PullSecretScene['callAsOther'] = (standIn, method, path, body) =>
    fetch(`${standIn.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  return {
    ...(await pod()),
    callAsOther,
    clock,
    quay,
    redhat,
    canary,
    databaseUrl,
    logged: () => lines.join(''),
    assertQuiet,
    pod,
  }
}
