import { AuditConfig } from '../../apis/breakglass/audit-config.ts'
import type { Clock } from '../../core/clock.ts'
import { sleep } from '../../core/clock.ts'
import type { Condition, ConditionReport } from '../../core/conditions.ts'
import { rfc3339, setCondition } from '../../core/conditions.ts'
import type { Run } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import { isConflict, isNotFound } from '../../kube/failures.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'
import type { OutletStanding } from './outlet.ts'
import { reasons } from './reasons.ts'
import type { Route } from './routes.ts'

export type StandingOf = (outlet: string) => OutletStanding | undefined

export interface StatusReports {
  readonly run: Run
  follow(routes: readonly Route[], configs: readonly Stored<AuditConfig>[], standingOf: StandingOf): void
}

type Status = NonNullable<AuditConfig['status']>
/** What was told of a sink so far, by this process. */
interface Told {
  written: number
  dropped: number
}

export const sinksHealthy = 'SinksHealthy'
const lookEveryMs = 5_000
/** Counts alone are no reason to write more often: each write is seen by all who watch. */
const countsEveryMs = 60_000

/** The status of AuditConfigs: how their sinks stand, as this process sees it. Counts of all processes add up. */
export function statusReports({ kube, clock, log }: { kube: Kube; clock: Clock; log: Log }): StatusReports {
  let routes: readonly Route[] = []
  let standingOf: StandingOf = () => undefined
  const told = new Map<string, { at: number; sinks: Map<string, Told>; shown: string }>()

  async function report(name: string, signal: AbortSignal): Promise<void> {
    const own = routes.filter(({ config }) => config === name)
    const standings = own.flatMap(({ sink, outlet }) => {
      const standing = standingOf(outlet)
      return standing ? [{ name: sink.name, standing }] : []
    })
    const before = told.get(name)
    const shown = JSON.stringify(
      standings.map(({ name: sink, standing }) => [sink, standing.isHealthy, standing.lastError]),
    )
    const now = clock.now()
    const hasCounted = standings.some(({ name: sink, standing }) => newSince(before?.sinks.get(sink), standing) > 0)
    const isDue =
      before === undefined || shown !== before.shown || (hasCounted && now.getTime() - before.at >= countsEveryMs)
    if (!isDue) return
    const collection = kube.of(AuditConfig.resource)
    const latest = await collection.find(name, { signal })
    if (!latest) return void told.delete(name)
    const status = statusOf(latest, standings, before?.sinks ?? new Map(), now)
    const body = { metadata: { resourceVersion: latest.metadata.resourceVersion }, status }
    await collection.patch(name, { type: 'merge', body }, { subresource: 'status', signal })
    const sinks = new Map(standings.map(({ name: sink, standing }) => [sink, { ...standing }]))
    told.set(name, { at: now.getTime(), sinks, shown })
  }

  return {
    follow(next, configs, standing) {
      routes = next
      standingOf = standing
      for (const name of told.keys()) if (!configs.some(({ metadata }) => metadata.name === name)) told.delete(name)
    },
    async run(signal) {
      while (!signal.aborted) {
        for (const name of new Set(routes.map(({ config }) => config)))
          await report(name, signal).catch((err: unknown) => {
            if (!signal.aborted && !isConflict(err) && !isNotFound(err))
              log.warn({ err, name }, 'audit status not written')
          })
        await sleep(clock, lookEveryMs, signal).catch(() => {})
      }
    },
  }
}

const newSince = (told: Told | undefined, { written, dropped }: OutletStanding): number =>
  written - (told?.written ?? 0) + dropped - (told?.dropped ?? 0)

/** What the status is to be, from what it is: the counts of this process are added, and conditions of others stay. */
export function statusOf(
  config: Stored<AuditConfig>,
  standings: readonly { name: string; standing: OutletStanding }[],
  told: ReadonlyMap<string, Told>,
  now: Date,
): Partial<Status> {
  const status = config.status ?? {}
  const added = (name: string, standing: OutletStanding, what: keyof Told) =>
    standing[what] - (told.get(name)?.[what] ?? 0)
  const sum = (what: keyof Told) => standings.reduce((all, { name, standing }) => all + added(name, standing, what), 0)
  const last = standings
    .flatMap(({ standing }) => standing.lastSuccess ?? [])
    .sort((a, b) => b.getTime() - a.getTime())[0]
  const conditions = setCondition(
    status.conditions as Condition[] | undefined,
    { ...finding(standings), observedGeneration: config.metadata.generation ?? 0 },
    now,
  )
  return {
    conditions,
    activeSinks: standings.map(({ name }) => name),
    eventsProcessed: (status.eventsProcessed ?? 0) + sum('written'),
    eventsDropped: (status.eventsDropped ?? 0) + sum('dropped'),
    ...(last && { lastEventTime: rfc3339(last) }),
    sinkStatuses: standings.map(({ name, standing }) => ({
      name,
      ready: standing.isHealthy,
      eventsWritten:
        (status.sinkStatuses?.find((sink) => sink.name === name)?.eventsWritten ?? 0) +
        added(name, standing, 'written'),
      ...(standing.lastSuccess && { lastSuccessTime: rfc3339(standing.lastSuccess) }),
      ...(standing.lastError !== undefined && { lastError: standing.lastError }),
    })),
  }
}

function finding(standings: readonly { name: string; standing: OutletStanding }[]): ConditionReport {
  const ill = standings.filter(({ standing }) => !standing.isHealthy)
  if (ill.length === 0)
    return {
      type: sinksHealthy,
      status: 'True',
      reason: reasons.AllSinksOperational,
      message: 'every sink takes events',
    }
  const message = ill.map(({ name, standing }) => `${name}: ${standing.lastError ?? 'it does not answer'}`).join('; ')
  const isDenied = ill.some(({ standing }) => standing.isDenied)
  return {
    type: sinksHealthy,
    status: 'False',
    reason: isDenied ? reasons.EgressDenied : reasons.SinksUnhealthy,
    message,
  }
}
