import * as Type from 'typebox'
import { after } from '../../core/clock.ts'
import type { RestRequest, RestRoute } from '../../fleet/rest.ts'
import type { PeopleDeps } from './deps.ts'
import { whoCalls } from './deps.ts'
import * as examples from './examples.ts'
import * as schemas from './schemas.ts'
import { sessionsPath } from './session-routes.ts'
import { sessionStream } from './session-stream.ts'
import { StreamPlaces } from './stream-places.ts'

export const eventRoutes = (deps: PeopleDeps): RestRoute[] => [routeOf(deps, new StreamPlaces())]

const routeOf = (deps: PeopleDeps, places: StreamPlaces): RestRoute => ({
  method: 'GET',
  path: `${sessionsPath}/events`,
  operationId: 'watchSessions',
  summary: 'Watch what happens to sessions',
  description: [
    'Server-sent events: one of the kind `session` for everything that happens to a session that the caller may see, once and in order. A comment comes every 15 seconds, whatever happens.',
    'One person may have five of them open at a time, all together 500.',
    'To go on after a loss, send the last `id` as `Last-Event-ID`; what happened in between is told first. An id without data only says where to go on. An event of the kind `reset` says that this is not known any more: list again. The stream ends with the token.',
  ].join('\n\n'),
  tag: 'Sessions',
  headers: { 'Last-Event-ID': 'Where to go on. Absent: from now on.' },
  isStream: true,
  query: Type.Object({}),
  answers: { 200: schemas.sessionEvent },
  example: { answers: { 200: examples.sessionEvent } },
  handle: async ({ caller, headers, signal }: RestRequest) => {
    const over = endOf(caller, deps, signal)
    const { subject, email = '', issuer } = whoCalls(caller, deps)
    places.take(JSON.stringify([issuer, subject ?? email]), over)
    const events = sessionStream(headers['last-event-id'], whoCalls(caller, deps), deps, over)
    return { status: 200, events }
  },
})

/** No stream outlives the token that it was opened with, nor what makes the token good. */
function endOf({ claims, provider }: RestRequest['caller'], deps: PeopleDeps, signal: AbortSignal): AbortSignal {
  const over = new AbortController()
  const { clock, spokeView } = deps
  const expiresAt = new Date(Number(claims['exp']) * 1_000)
  const timer = clock.timer(Number.isNaN(expiresAt.getTime()) ? after(clock.now(), 0) : expiresAt, () => over.abort())
  const opened = JSON.stringify(spokeView.providers.get(provider ?? '')?.spec)
  const watch = spokeView.providers.on(({ type, object }) => {
    if (object.metadata.name === provider && (type === 'deleted' || JSON.stringify(object.spec) !== opened))
      over.abort()
  })
  const both = AbortSignal.any([over.signal, signal])
  const stop = () => {
    timer[Symbol.dispose]()
    watch[Symbol.dispose]()
  }
  both.addEventListener('abort', stop, { once: true })
  return both
}
