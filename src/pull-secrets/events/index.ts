/** What the service tells the world, and what the world tells it: CloudEvents, reports, copies of documents. */
import { readFile } from 'node:fs/promises'
import type { Run } from '../../core/lifecycle.ts'
import { aborted } from '../../core/lifecycle.ts'
import type { RestRoute } from '../../fleet/rest.ts'
import type { Environment } from '../ambient-identity.ts'
import type { PullDeps } from '../deps.ts'
import type { Loop } from '../loop.ts'
import type { PullSecretService } from '../service.ts'
import { delivery } from '../sinks/delivery.ts'
import { httpCaller } from '../sinks/http-call.ts'
import { openSinks } from '../sinks/open.ts'
import type { SinkConfig } from '../sinks/settings.ts'
import type { Sink } from '../sinks/sink.ts'
import { hyperfleet } from './hyperfleet.ts'
import { intake } from './intake.ts'
import { intakeRoute } from './intake-route.ts'
import { outboxLoops } from './loops.ts'
import type { Publisher } from './publisher.ts'
import { httpPublisher } from './publisher.ts'
import type { EventSettings, StatusSettings } from './settings.ts'

export { sinkSettings } from '../sinks/settings.ts'
export { eventSettings, statusSettings } from './settings.ts'

export interface OutsideSettings {
  events: EventSettings
  status: StatusSettings
  sinks: readonly SinkConfig[]
}

export interface OutsideDeps extends Omit<PullDeps, 'lock' | 'vault'> {
  /** Of the process: which identity the platform has given it. */
  env: Environment
  /** Of the user, for the kubeconfig of a sink. */
  home?: string
  /** Besides those of the configuration. */
  sinks?: readonly Sink[]
}

export interface Outside {
  loops: readonly Loop[]
  /** Connections that last. */
  runs: readonly Run[]
  routes: readonly RestRoute[]
}

/** Throws when the configuration cannot be used; that something outside does not answer is no reason not to start. */
export async function eventsAndSinks(
  deps: OutsideDeps,
  service: PullSecretService,
  { events, status, sinks }: OutsideSettings,
): Promise<Outside> {
  const { clock, log, random } = deps
  const call = httpCaller(clock)
  const api = status.apiUrl
    ? hyperfleet({ baseUrl: status.apiUrl, call, ...tokenFrom(status.tokenFile), ...(await caFrom(status.caFile)) })
    : undefined
  const taking = intake({ ...deps, service, ...(api && { api }) })

  const publishers: Publisher[] = []
  const runs: Run[] = []
  if (events.httpUrl)
    publishers.push(httpPublisher({ url: events.httpUrl, call, ...(await caFrom(events.httpCaFile)) }))
  const { url, queue, prefetch, deadLetterExchange, caFile, ...topology } = events.rabbitmq
  if (url) {
    const { rabbitConsumer, rabbitPublisher } = await import('./rabbit.ts')
    const link = { url, ...topology, ...(await caFrom(caFile)), clock, log }
    const publisher = rabbitPublisher(link)
    publishers.push(publisher)
    runs.push(publisher.run)
    const consumer = { ...link, prefetch, random, ...(deadLetterExchange && { deadLetterExchange }) }
    if (queue) runs.push(rabbitConsumer({ ...consumer, queue }, taking))
  }
  const opened = [...openSinks(sinks, deps), ...(deps.sinks ?? [])]
  if (opened.length > 0)
    runs.push(async (signal) => {
      await aborted(signal)
      await Promise.all(opened.map((sink) => sink.close?.()))
    })
  return {
    loops: [
      ...outboxLoops(deps, { publishers, source: events.source, ...(api && { api }) }),
      ...(opened.length > 0 ? [delivery(deps, service.issuing, { sinks: opened })] : []),
    ],
    runs,
    routes: [intakeRoute(taking)],
  }
}

const caFrom = async (file: string | undefined) => (file ? { ca: await readFile(file, 'utf8') } : {})

const tokenFrom = (file: string | undefined) =>
  file ? { token: async () => (await readFile(file, 'utf8')).trim() } : {}
