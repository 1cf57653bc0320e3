import { rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import type { Checkpoint } from '../core/checkpoint.ts'
import type { Clock } from '../core/clock.ts'
import { isFailure } from '../core/failure.ts'
import type { Run } from '../core/lifecycle.ts'
import { aborted, runTogether } from '../core/lifecycle.ts'
import type { Log } from '../core/log.ts'
import type { Metrics } from '../core/metrics.ts'
import type { Random } from '../core/random.ts'
import { replaceFile } from '../core/replace-file.ts'
import type { Step } from '../core/step.ts'
import type { RestRoute } from '../fleet/rest.ts'
import { pullSecretApi } from '../pull-secrets/api/index.ts'
import type { PullDeps } from '../pull-secrets/deps.ts'
import { eventsAndSinks } from '../pull-secrets/events/index.ts'
import { pullSecrets } from '../pull-secrets/index.ts'
import type { KeyRingFile } from '../pull-secrets/keys/index.ts'
import { tokenVault } from '../pull-secrets/keys/index.ts'
import { clusterLock } from '../pull-secrets/locking/index.ts'
import { runLoop } from '../pull-secrets/loop.ts'
import type { RegistryConfig } from '../pull-secrets/registries/config.ts'
import { openRegistries } from '../pull-secrets/registries/index.ts'
import type { Database } from '../pull-secrets/store/database.ts'
import { readinessChecks } from '../pull-secrets/store/readiness.ts'
import type { Check } from '../server/health.ts'
import type { Address } from '../server/listener.ts'
import { probeServer, restServer } from '../server/rest/index.ts'
import type { Bound, Server } from '../server/server.ts'
import type { CertificateSource } from '../server/serving-certificate.ts'
import { limitsFor, openAccess } from './pull-secrets-access.ts'
import { openRing, openTables, prepareTables, ringPathOf } from './pull-secrets-database.ts'
import type { PullSecretsConfig } from './pull-secrets-schema.ts'
import { pullSettingsOf } from './pull-secrets-settings.ts'

export interface PullServiceOptions {
  /** Everything local of the service. */
  folder: string
  config: PullSecretsConfig
  registries: readonly RegistryConfig[]
  listen: Address
  /** Absent: neither is served. */
  probes?: { health: Address; metrics: Address }
  certificate?: CertificateSource
  /** DATABASE_URL. */
  environmentUrl: string | undefined
  /** Of the process: which identity a cloud has given it. */
  environment: Readonly<Record<string, string | undefined>>
  kubeconfig?: string
  show(step: Step): void
  /** Called once everything is served. */
  onReady(served: Served): void | Promise<void>
}

export interface Served {
  url: string
  healthUrl?: string
  metricsUrl?: string
}

export interface PullServiceDeps {
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
  checkpoint: Checkpoint
}

/** For everything that is to be closed after the requests under way have ended, or had their 15 s. */
const closeMs = 4_500

/** The whole service, as `pullSecrets` of lanyard.yaml describes it. No Kubernetes is needed, or loaded. */
export const pullService =
  (options: PullServiceOptions, given: PullServiceDeps): Run =>
  async (signal) => {
    const deps = { ...given, signal }
    await using opened = new AsyncDisposableStack()
    ringPathOf(options)
    const tables = await openTables(options, deps).catch((error: unknown) => {
      // Ctrl-C on a terminal goes to initdb as well, which ends by it: that is no failure.
      if (isFailure(error, 'POSTGRES_INIT_FAILED')) signal.throwIfAborted()
      throw error
    })
    opened.defer(() => within(deps.clock, closeMs, tables[Symbol.asyncDispose]()))
    await prepareTables(tables.database, options, deps)
    const ring = await openRing(options, tables.database, deps)
    const parts = partsOf(options, deps, { ring, database: tables.database })
    const service = pullSecrets(parts)
    const access = await openAccess(options, deps)
    const { config } = options
    const outside = await eventsAndSinks({ ...parts, env: options.environment, home: homedir() }, service, config)
    const api = pullSecretApi({ ...parts, service, access, version: manifest.version })
    const { clock, log, metrics } = deps
    const drainMs = config.drainSeconds * 1_000
    const work = workUnderWay(clock, drainMs)
    const rest = restServer({
      api: { ...api, routes: [...api.routes, ...outside.routes].map(work.followed) },
      access,
      clock,
      log,
      metrics,
      metricsArea: 'pull',
      listen: options.listen,
      drainMs,
      ...limitsFor(config.limits, clock),
      ...(options.certificate && { certificate: options.certificate }),
    })
    const probes = options.probes ? probesOf(options.probes, parts, signal) : []
    const loops = [...service.loops, ...outside.loops].map((loop) => runLoop(loop, deps))
    const { over } = tables
    const server = serverFile(options.folder)
    opened.defer(() => server.remove())

    const announce: Run = async (until) => {
      const [bound, health, scraped] = await Promise.all([rest.listening, ...probes.map(({ listening }) => listening)])
      await server.write(bound)
      await options.onReady({
        url: bound.url,
        ...(health && { healthUrl: health.url }),
        ...(scraped && { metricsUrl: scraped.url }),
      })
      await aborted(until)
    }
    const working: Run = (until) =>
      runTogether(until, [
        rest.run,
        work.run,
        ring.run,
        announce,
        ...loops,
        ...outside.runs,
        ...(over ? [endsWith(over)] : []),
      ])
    // Whoever watches is answered until the last request was.
    const watched = new AbortController()
    await runTogether(watched.signal, [
      ...probes.map(({ run }) => run),
      async () => {
        try {
          await working(signal)
        } finally {
          watched.abort()
        }
      },
    ])
  }

function partsOf(
  { config, registries, environment }: PullServiceOptions,
  { clock, random, log, metrics, checkpoint }: PullServiceDeps,
  { ring, database }: { ring: KeyRingFile; database: Database },
): PullDeps {
  const settings = pullSettingsOf(config)
  const { instanceId } = settings
  return {
    database,
    lock: clusterLock({ database, log }),
    vault: tokenVault(ring.current),
    registries: openRegistries(registries, { clock, random, log, metrics, instanceId, environment }),
    settings,
    clock,
    random,
    log,
    metrics,
    checkpoint,
  }
}

/** Ready is who can serve: registries are none of it, or one that is down would take everything with it. */
function probesOf(at: { health: Address; metrics: Address }, deps: PullDeps, stopping: AbortSignal): Server[] {
  const { clock, log, metrics, database, vault } = deps
  const checks = readinessChecks(database, vault)
  const ready: Record<string, Check> = {
    running: () => (stopping.aborted ? 'it is being stopped' : undefined),
    database: () => troubleOf(checks.database),
    keys: () => troubleOf(checks.keys),
  }
  return [
    probeServer({ clock, log, listen: at.health, checks: { ready } }),
    probeServer({ clock, log, listen: at.metrics, metrics }),
  ]
}

async function troubleOf(check: () => Promise<void>): Promise<string | undefined> {
  try {
    await check()
    return undefined
  } catch (error) {
    if (isFailure(error)) return error.message
    throw error
  }
}

/** What a request has begun goes on when its client leaves: it has to end, or have its time, before the database does. */
function workUnderWay(clock: Clock, drainMs: number): { followed(route: RestRoute): RestRoute; run: Run } {
  const open = new Set<Promise<unknown>>()
  const idle = async () => {
    while (open.size > 0) await Promise.allSettled(open)
  }
  return {
    followed: (route) => ({
      ...route,
      async handle(request) {
        const handling = route.handle(request)
        open.add(handling)
        try {
          return await handling
        } finally {
          open.delete(handling)
        }
      },
    }),
    async run(signal) {
      await aborted(signal)
      await within(clock, drainMs, idle())
    },
  }
}

/** Commands on this machine look there. */
function serverFile(folder: string) {
  const path = join(folder, 'server.json')
  return {
    write: ({ url }: Bound) => replaceFile(path, JSON.stringify({ url, pid: process.pid })),
    remove: () => rm(path, { force: true }),
  }
}

const endsWith =
  (over: Promise<void>): Run =>
  (signal) =>
    Promise.race([over, aborted(signal)])

/** What takes longer is left: the process ends, and the next start takes up what was half done. */
async function within(clock: Clock, ms: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>()
  using _countdown = clock.countdown(ms, late.resolve)
  await Promise.race([work.catch(() => {}), late.promise])
}
