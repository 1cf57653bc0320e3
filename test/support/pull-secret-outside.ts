/** What is outside of the pull secret service, for tests: a subscriber to its events, the HyperFleet API, a sink in memory. */
import assert from 'node:assert/strict'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import type { Checkpoint } from '../../src/core/checkpoint.ts'
import { passBy } from '../../src/core/checkpoint.ts'
import type { Clock } from '../../src/core/clock.ts'
import { systemRandom } from '../../src/core/random.ts'
import type { CloudEvent } from '../../src/pull-secrets/events/cloud-event.ts'
import type { Outside, OutsideSettings } from '../../src/pull-secrets/events/index.ts'
import { eventsAndSinks } from '../../src/pull-secrets/events/index.ts'
import type { LoopName } from '../../src/pull-secrets/loop.ts'
import type { Copy, Sink } from '../../src/pull-secrets/sinks/sink.ts'
import { eventually } from './eventually.ts'
import { serverUrl } from './postgres.ts'
import type { Pod, PullSecretScene } from './pull-secret-scene.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

export interface OutsideOptions {
  httpUrl?: string
  apiUrl?: string
  rabbitmq?: Partial<OutsideSettings['events']['rabbitmq']>
  configured?: OutsideSettings['sinks']
  sinks?: readonly Sink[]
  checkpoint?: Checkpoint
  env?: Record<string, string>
}

export interface TestOutside extends Outside {
  tick(loop: LoopName, signal?: AbortSignal): Promise<void>
}

export async function outsideOf(pod: Pod, clock: Clock, options: OutsideOptions = {}): Promise<TestOutside> {
  const { httpUrl, apiUrl, rabbitmq, configured = [], sinks = [], checkpoint = passBy, env = {} } = options
  const deps = { ...pod, clock, random: systemRandom, checkpoint, sinks, env }
  const outside = await eventsAndSinks(deps, pod.service, {
    events: {
      source: 'test-pull-secrets',
      ...(httpUrl && { httpUrl }),
      rabbitmq: { exchange: 'hyperfleet', declare: true, prefetch: 4, ...rabbitmq },
    },
    status: { ...(apiUrl && { apiUrl }) },
    sinks: configured,
  })
  return {
    ...outside,
    async tick(name, signal = new AbortController().signal) {
      const loop = outside.loops.find((one) => one.name === name)
      if (!loop) throw new Error(`there is no loop ${name}`)
      await loop.tick(signal)
    },
  }
}

/** A process that ends at a checkpoint: what it has begun stays as it is. */
export async function killedAt(
  wanted: string,
  work: (checkpoint: Checkpoint, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const end = new AbortController()
  const reason = new Error(`killed at ${wanted}`)
  const checkpoint: Checkpoint = (name) => {
    if (name !== wanted) return
    end.abort(reason)
    throw reason
  }
  await assert.rejects(
    () => work(checkpoint, end.signal),
    (error) => error === reason,
  )
}

/** Nobody gets into the database, and whoever is in is put out and has heard of it, until it is over. */
export async function duringOutage(
  { databaseUrl, database }: Pick<PullSecretScene, 'databaseUrl' | 'database'>,
  work: () => Promise<void>,
): Promise<void> {
  const name = /\/([^/?]+)(\?|$)/.exec(databaseUrl)?.[1]
  const admin = new pg.Client(await serverUrl())
  await admin.connect()
  try {
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
    await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name])
    // A client that hears of its end only later would be handed out when the outage is over.
    await eventually('everybody is out, and knows', async () => {
      const { rows } = await admin.query('SELECT FROM pg_stat_activity WHERE datname = $1', [name])
      return rows.length + database.data.totalCount + database.locks.totalCount === 0
    })
    await work()
  } finally {
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
    await admin.end()
  }
}

export interface Asked {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}
export type Handle = (asked: Asked) => { status: number; body?: unknown }

export async function listening(t: TestScope, handle: Handle): Promise<{ url: string; server: Server }> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url = '', headers } = request
    const { status, body } = handle({ method, url, headers, body: Buffer.concat(chunks).toString() })
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(body === undefined ? undefined : JSON.stringify(body))
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  teardown(t, async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

export interface Subscriber {
  url: string
  events: CloudEvent[]
  /** Bodies as they came, for what must not be in them. */
  bodies: string[]
  /** Clusters whose events it refuses. */
  refuses: Set<string>
}

export async function startSubscriber(t: TestScope): Promise<Subscriber> {
  const events: CloudEvent[] = []
  const bodies: string[] = []
  const refuses = new Set<string>()
  const { url } = await listening(t, ({ body }) => {
    const event = JSON.parse(body) as CloudEvent
    if (refuses.has(event.subject ?? '')) return { status: 503 }
    bodies.push(body)
    events.push(event)
    return { status: 202 }
  })
  return { url, events, bodies, refuses }
}

export interface Report {
  cluster: string
  adapter: string
  observed_generation: number
  observed_time: string
  conditions: { type: string; status: string; reason?: string }[]
  data: Record<string, unknown>
}

export interface HyperfleetStandIn {
  url: string
  clusters: Map<string, { generation: number; deleted_time?: string }>
  reports: Report[]
  bodies: string[]
  /** Instead of an answer of its own. */
  answer: number | undefined
}

/** Takes reports as the HyperFleet API does: without one of the three conditions they are refused. */
export async function startHyperfleet(t: TestScope): Promise<HyperfleetStandIn> {
  const standIn: HyperfleetStandIn = { url: '', clusters: new Map(), reports: [], bodies: [], answer: undefined }
  const { url } = await listening(t, ({ method, url, body }) => {
    if (standIn.answer !== undefined) return { status: standIn.answer }
    const [, id = '', rest] = /^\/api\/hyperfleet\/v1\/clusters\/([^/]+)(\/statuses)?$/.exec(url) ?? []
    const cluster = standIn.clusters.get(id)
    if (!cluster) return { status: 404 }
    if (method === 'GET' && !rest) return { status: 200, body: { id, ...cluster } }
    if (method !== 'PUT' || !rest) return { status: 405 }
    standIn.bodies.push(body)
    const report = JSON.parse(body) as Report
    const types = report.conditions.map(({ type }) => type)
    if (!['Available', 'Applied', 'Health'].every((type) => types.includes(type))) return { status: 400 }
    if (report.adapter !== 'pull-secret' || !report.observed_time) return { status: 400 }
    standIn.reports.push({ ...report, cluster: id })
    return { status: 201, body: report }
  })
  standIn.url = `${url}/api/hyperfleet/v1`
  return standIn
}

export const conditionOf = (report: Report | undefined, type: string): string | undefined => {
  const found = report?.conditions.find((condition) => condition.type === type)
  return found && `${found.status} ${found.reason}`
}

/** Counts what is written to it. */
export class MemorySink implements Sink {
  readonly name: string
  readonly writes: { clusterId: string; hash: string }[] = []
  readonly removals: string[] = []
  readonly copies = new Map<string, { json: string; hash: string }>()
  /** Thrown by every call. */
  failing: Error | undefined

  constructor(name = 'memory') {
    this.name = name
  }

  async put({ clusterId, document }: Copy): Promise<string> {
    if (this.failing) throw this.failing
    this.writes.push({ clusterId, hash: document.hash })
    this.copies.set(clusterId, { json: document.json.reveal(), hash: document.hash })
    return String(this.writes.length)
  }

  async remove(clusterId: string): Promise<void> {
    if (this.failing) throw this.failing
    this.removals.push(clusterId)
    this.copies.delete(clusterId)
  }
}
