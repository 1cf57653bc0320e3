import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Clock } from '../../core/clock.ts'
import type { RestAnswer, ServerSentEvent } from '../../fleet/rest.ts'

/** Shorter than what lies between gives a silent connection. */
const heartbeatMs = 15_000

export interface StreamDeps {
  clock: Pick<Clock, 'countdown'>
  /** Aborts when nobody listens any more, or the server stops. */
  signal: AbortSignal
}

/** Events as they come; the next one is asked for when the last one is on its way, so that a slow reader slows nobody else. */
export async function sendEvents(reply: FastifyReply, { status, events, headers = {} }: RestAnswer, deps: StreamDeps) {
  reply
    .code(status)
    .headers(headers)
    // Proxies that would hold events back until there is more are told not to. The connection ends with the stream: kept
    // alive, it would hold up a server that stops.
    .headers({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      connection: 'close',
    })
  return await reply.send(Readable.from(framesOf(events ?? none(), deps), { objectMode: false }))
}

/** The first is a comment, so that the head of the answer leaves at once. */
export async function* framesOf(
  events: AsyncIterable<ServerSentEvent>,
  { clock, signal }: StreamDeps,
): AsyncGenerator<string> {
  const source = events[Symbol.asyncIterator]()
  const over = stopOf(signal)
  yield ': here\n\n'
  try {
    let next = source.next()
    for (;;) {
      const found = await sooner(next, over, clock)
      if (found === 'over') return
      if (found === 'silence') yield ': still here\n\n'
      else if (found.done) return
      else {
        yield frameOf(found.value)
        next = source.next()
      }
    }
  } finally {
    // Not waited for: it may be waiting itself, and learns by its own signal that it is over.
    source.return?.().catch(() => {})
  }
}

async function sooner<T>(
  next: Promise<T>,
  over: Promise<'over'>,
  clock: Pick<Clock, 'countdown'>,
): Promise<T | 'over' | 'silence'> {
  const silence = Promise.withResolvers<'silence'>()
  using _countdown = clock.countdown(heartbeatMs, () => silence.resolve('silence'))
  return await Promise.race([over, next, silence.promise])
}

const stopOf = (signal: AbortSignal): Promise<'over'> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve('over')
    else signal.addEventListener('abort', () => resolve('over'), { once: true })
  })

/** JSON has no line breaks of its own, and ids and names of events are ours: one line each. */
export const frameOf = ({ id, event, data }: ServerSentEvent): string =>
  `${line('id', id)}${line('event', event)}${line('data', data === undefined ? undefined : JSON.stringify(data))}\n`

const line = (name: string, value: string | undefined): string => (value === undefined ? '' : `${name}: ${value}\n`)

async function* none(): AsyncGenerator<never> {}
