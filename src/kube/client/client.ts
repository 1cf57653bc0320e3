import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import { silentLog } from '../../core/log.ts'
import type { Random } from '../../core/random.ts'
import type { Connection } from '../connection.ts'
import type { Collection, Kube, KubeRequest } from '../kube.ts'
import type { KubeObject, Resource } from '../objects.ts'
import { Address } from './address.ts'
import { parseJson } from './answer.ts'
import { Caller, tooLong } from './caller.ts'
import type { Calls } from './calls.ts'
import { ResourceCollection } from './collection.ts'
import type { ClientOptions } from './options.ts'
import { settingsOf } from './options.ts'
import { checkedPath, queryString } from './path.ts'
import { targetOf } from './target.ts'
import { wholeObjects } from './view.ts'

export interface KubeClient extends Kube, AsyncDisposable {
  /** Fails calls and watches under way with KUBE_CLOSED and closes all connections. */
  close(): Promise<void>
}

export interface ClientDeps {
  /** Deadlines, pings and pauses run on it while the network runs in real time: a fake one needs real turns in between. */
  clock: Clock
  random: Random
  log?: Log
  options?: ClientOptions
}

/** A client for one API server. Connects on first use; throws only for a connection that can never work. */
export function connect(
  connection: Connection,
  { clock, random, log = silentLog, options = {} }: ClientDeps,
): KubeClient {
  const target = targetOf(connection)
  const settings = settingsOf(options, { ...target, ...connection })
  const caller = new Caller({ connection, target, settings, clock, random, log })
  return { ...kubeOver(caller, random), close: () => caller.close(), [Symbol.asyncDispose]: () => caller.close() }
}

/** Objects and verbs in terms of calls. */
export const kubeOver = (caller: Calls, random: Random): Kube => ({
  of: <T extends KubeObject>(resource: Resource<T>, namespace?: string): Collection<T> =>
    new ResourceCollection<T>({ caller, random, address: new Address(resource, namespace), view: wholeObjects }),
  request: (request) => requestOn(caller, request),
})

async function requestOn<R>(caller: Calls, request: KubeRequest): Promise<R> {
  const { method = 'GET', query = {}, body, contentType, accept = '*/*' } = request
  const path = checkedPath(request.path)
  const [target = ''] = path.split('?', 1)
  const more = target === path ? queryString(query) : queryString(query).replace('?', '&')
  const call = { ...request, method, path, query: more, target }
  const answer = await caller.call({ ...call, contentType, accept, body: bytesOf(body) })
  const text = await answer.text()
  if (text === '') return undefined as R
  if (answer.isText && text !== undefined) return text as R
  const parsed = parseJson(text)
  if (parsed === undefined)
    throw caller.badAnswer(call, answer.isTooLong ? tooLong : 'the body is neither text nor whole JSON')
  return parsed as R
}

function bytesOf(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined
  if (body instanceof Uint8Array) return Buffer.from(body)
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}
