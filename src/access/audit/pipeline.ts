import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { AuditConfig } from '../../apis/breakglass/audit-config.ts'
import type { Run } from '../../core/lifecycle.ts'
import { aborted, runTogether } from '../../core/lifecycle.ts'
import { informer, withoutManagedFields } from '../../kube/informer.ts'
import type { AccessHubDeps } from '../hub/deps.ts'
import { sendingPosts } from '../outgoing/post.ts'
import type { AccessView } from '../view.ts'
import { anchoring } from './anchoring.ts'
import type { Gap } from './backlog.ts'
import { Chain } from './chain.ts'
import type { Audit, AuditEvent, AuditInput } from './contract.ts'
import type { Driver } from './driver.ts'
import { eventsDriver } from './events-driver.ts'
import { isDrawn, reaches, typeReaches } from './filter.ts'
import { severityOf } from './kinds.ts'
import { logDriver } from './log-driver.ts'
import type { OutletDeps } from './outlet.ts'
import { Outlet } from './outlet.ts'
import type { Route } from './routes.ts'
import { eventsOutlet, limitOf, logOutlet, routesOf } from './routes.ts'
import { statusReports } from './status.ts'
import { webhookDriver } from './webhook-driver.ts'

export interface RunningAudit extends Audit {
  readonly run: Run
}

export interface AuditDeps extends AccessHubDeps {
  view: Pick<AccessView, 'sessions'>
  /** Where the log goes that has no file. Default: standard output. */
  stdout?: Pick<NodeJS.WritableStream, 'write'>
}

/** How long `recordSurely` waits for sinks. What it waited for goes on. */
const surelyMs = 5_000
/** What is told before the AuditConfigs are known. */
const mostEarly = 10_000

interface Kept {
  readonly outlet: Outlet
  driver: Driver
  /** What the driver was made of. */
  made: unknown
  stop?: AbortController
  over?: Promise<void>
}

/** An event that somebody wants to be sure of, on its way. */
interface Telling {
  readonly outlets: readonly Outlet[]
  readonly isSettled: Promise<boolean>
}

export function createAudit(deps: AuditDeps): RunningAudit {
  const { kube, clock, random, replica, settings, stdout = process.stdout } = deps
  const log = deps.log.child({ part: 'audit' })
  const configs = informer(kube.of(AuditConfig.resource), { ...deps, log, transform: withoutManagedFields })
  const post = sendingPosts(deps)
  const counted = deps.metrics.counter(
    'lanyard_access_audit_events_total',
    'Events for audit sinks, by what became of them',
    {
      sink: ['log', 'kubernetes', 'webhook'],
      outcome: ['written', 'dropped'],
    },
  )
  const outlets = new Map<string, Kept>()
  const reports = statusReports({ kube, clock, log })
  const anchors = anchoring({ ...deps, log })
  let routes: readonly Route[] = []
  let early: { event: AuditEvent; over?: (isSettled: boolean) => void }[] | undefined = []
  const tellings = new Map<string, Telling>()
  let isRunning = false
  let ids = 0

  const driverFor = ({ outlet, sink }: Route): Driver => {
    if (outlet === logOutlet) return logDriver({ path: () => settings().auditFile, stdout })
    if (outlet === eventsOutlet) return eventsDriver(deps)
    if (!sink.webhook) throw new Error(`the sink ${sink.name} has no webhook`)
    return webhookDriver(sink.webhook, { ...deps, post })
  }

  function outletFor(route: Route): Kept {
    const kind = route.outlet === logOutlet || route.outlet === eventsOutlet ? route.outlet : 'webhook'
    const gapEvent = (gap: Gap) => completed(gapInput(gap))
    const onWritten = (by: number) => {
      counted.inc({ sink: kind, outcome: 'written' }, by)
      anchors.poke()
    }
    const onDropped = (by: number) => counted.inc({ sink: kind, outcome: 'dropped' }, by)
    const own = log.child({ sink: route.outlet })
    const driver = driverFor(route)
    const writer = writerOf(replica, route.outlet)
    const isAtRest = () => outlet.chain.head.seq === outlet.delivered.seq
    // Events of Kubernetes show no chain.
    const introduce: OutletDeps['introduce'] = async (delivered, signal) =>
      kind === eventsOutlet ? undefined : anchors.introduce({ sink: route.outlet, writer, delivered, isAtRest }, signal)
    const told = { introduce, gapEvent, onWritten, onDropped }
    const outlet = new Outlet(new Chain(writer), driver, { clock, random, log: own, ...told })
    return { outlet, driver, made: route.sink.webhook }
  }

  /** An outlet that nobody needs any more ends with what waits for it; its chain is kept, and goes on if it is back. */
  function reconfigure(): void {
    routes = routesOf(configs.list())
    for (const route of routes) {
      const kept = outlets.get(route.outlet) ?? outletFor(route)
      outlets.set(route.outlet, kept)
      if (!isDeepStrictEqual(kept.made, route.sink.webhook) && route.sink.webhook) {
        kept.driver = driverFor(route)
        kept.made = route.sink.webhook
      }
      kept.outlet.configure(kept.driver, limitOf(routes, route.outlet))
      if (isRunning && !kept.stop) start(kept)
    }
    const used = new Set(routes.map(({ outlet }) => outlet))
    for (const [key, kept] of outlets) if (!used.has(key)) stop(kept)
    reports.follow(routes, configs.list(), (key) => outlets.get(key)?.outlet.standing)
  }

  function start(kept: Kept): void {
    const ending = new AbortController()
    kept.stop = ending
    // One that was stopped may still have something to tell.
    kept.over = (kept.over ?? Promise.resolve()).then(() => kept.outlet.run(ending.signal))
  }

  function stop(kept: Kept): void {
    kept.stop?.abort()
    delete kept.stop
  }

  function completed(input: AuditInput): AuditEvent {
    const { id, severity, timestamp, ...rest } = input
    ids += 1
    return {
      id: id ?? `${replica}-${ids}`,
      severity: severity ?? severityOf(input.type),
      timestamp: (timestamp ?? clock.now()).toISOString(),
      ...rest,
    }
  }

  function outletsFor(event: AuditEvent): string[] {
    const wanting = routes.filter(
      ({ spec, sink }) => reaches(event, spec, sink) && isDrawn(event.type, spec.sampling, random),
    )
    return [...new Set(wanting.map(({ outlet }) => outlet))]
  }
  const outletsAt = (keys: readonly string[]): Outlet[] => keys.flatMap((key) => outlets.get(key)?.outlet ?? [])

  async function tell(event: AuditEvent, keys = outletsFor(event)): Promise<boolean> {
    const ends = keys.map(async (key) => {
      const isSettled = (await outlets.get(key)?.outlet.offerSurely(event)) ?? true
      // A sink that is no longer there is waited for by nobody.
      return isSettled || !routes.some(({ outlet }) => outlet === key)
    })
    return (await Promise.all(ends)).every(Boolean)
  }

  /** One that is under way is joined: sinks that have it already would get it again each time. */
  function telling(event: AuditEvent): Telling {
    const found = tellings.get(event.id)
    if (found) return found
    const waiting = early
    const keys = outletsFor(event)
    const isSettled = waiting ? new Promise<boolean>((over) => void waiting.push({ event, over })) : tell(event, keys)
    const begun = { outlets: outletsAt(keys), isSettled }
    tellings.set(event.id, begun)
    void isSettled.then(() => tellings.delete(event.id))
    return begun
  }

  /** What came before it was known who wants what. */
  function openUp(): void {
    const waiting = early ?? []
    early = undefined
    for (const { event, over } of waiting) void tell(event).then(over)
  }

  return {
    record(input) {
      try {
        const event = completed(input)
        if (!early) for (const outlet of outletsAt(outletsFor(event))) outlet.offer(event)
        else if (early.length < mostEarly) early.push({ event })
        else log.error({ type: event.type }, 'audit event let go before sinks were known')
      } catch (err) {
        log.error({ err, type: input.type }, 'audit event not recorded')
      }
    },
    async recordSurely(input) {
      const { outlets: through, isSettled } = telling(completed(input))
      const over = Promise.withResolvers<boolean>()
      using held = new DisposableStack()
      held.use(clock.countdown(surelyMs, () => over.resolve(false)))
      for (const outlet of through) held.use(outlet.onDown(() => over.resolve(false)))
      void isSettled.then(over.resolve)
      return await over.promise
    },
    wants: (type) => early !== undefined || routes.some(({ spec, sink }) => typeReaches(type, spec, sink)),
    async run(signal) {
      isRunning = true
      const main: Run = async (own) => {
        await configs.synced(own)
        using _ = configs.on(reconfigure)
        reconfigure()
        openUp()
        await aborted(own)
      }
      try {
        await runTogether(signal, [configs.run, main, reports.run, anchors.run])
      } finally {
        isRunning = false
        for (const kept of outlets.values()) stop(kept)
        await Promise.all([...outlets.values()].map(({ over }) => over))
        await anchors.last()
      }
    },
  }
}

/** The log is what people prove, so it has the name of the replica; other places have chains of their own beside it. */
const writerOf = (replica: string, outlet: string): string =>
  outlet === logOutlet ? replica : `${replica}.${createHash('sha256').update(outlet).digest('hex').slice(0, 10)}`

const gapInput = ({ since, until, dropped }: Gap): AuditInput => ({
  type: 'audit.gap',
  actor: { user: '' },
  target: { kind: 'Audit', name: '' },
  details: { since: since.toISOString(), until: until.toISOString(), dropped },
  requestContext: {},
})
