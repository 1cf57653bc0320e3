import type { IncomingMessage } from 'node:http'
import type { Command } from 'commander'
import { sleep } from '../core/clock.ts'
import { AccessRefusal, awayFrom } from './access-client.ts'
import type { OpenAccess } from './access-server.ts'
import { openAccess } from './access-server.ts'
import type { ShowOptions } from './access-show.ts'
import type { EventItem } from './access-words.ts'
import { sessionsPath } from './access-words.ts'
import { printOn, tellOn } from './print-on.ts'
import { printable } from './printable.ts'
import { openCall, readAll } from './rest-call.ts'
import type { StreamedEvent } from './server-sent-events.ts'
import { eventsIn } from './server-sent-events.ts'
import type { Stop } from './stop-signal.ts'

/** Three heartbeats of the hub. */
const silenceMs = 45_000
const againMs = 2_000

/** `lanyard access watch`: what happens to sessions, as it happens, until Ctrl-C. A lost connection is taken up again. */
export async function watch(options: ShowOptions & { count?: number }, command: Command, stop: Stop): Promise<void> {
  let after: string | undefined
  let seen = 0
  let told = false
  let isOpen = false
  while (!stop.signal.aborted) {
    const place = await openAccess(command, stop)
    try {
      const stream = await opened(place, after)
      if (!isOpen) tellOn(command)('Watching. Press Ctrl-C to stop.\n')
      isOpen = true
      for await (const event of eventsIn(stream)) {
        told = false
        if (event.id !== undefined) after = event.id
        if (event.event === 'reset') after = undefined
        if (event.data === undefined) continue
        printOn(command)(line(event, options))
        seen += 1
        if (seen === options.count) return
      }
    } catch (error) {
      if (stop.signal.aborted) return
      if (error instanceof AccessRefusal && error.status < 500 && error.status !== 429) throw error
      // Where it never worked, nobody is helped by waiting.
      if (!isOpen) throw error
      place.deps.log.debug({ err: error }, 'the stream broke')
    }
    if (!told) tellOn(command)('lanyard: the connection was lost; trying again\n')
    told = true
    await sleep(place.deps.clock, againMs, stop.signal).catch(() => {})
  }
}

async function opened(
  { server, ca, token, flags, deps }: OpenAccess,
  after: string | undefined,
): Promise<IncomingMessage> {
  const { signal } = deps
  const headers = { accept: 'text/event-stream', ...(after !== undefined && { 'last-event-id': after }) }
  const call = { method: 'GET' as const, path: `${sessionsPath}/events`, headers, patienceMs: silenceMs }
  const response = await openCall({ server, ca, token, signal }, call).catch((error: NodeJS.ErrnoException) => {
    signal.throwIfAborted()
    throw awayFrom(server, error)
  })
  const { statusCode = 0 } = response
  if (statusCode >= 400)
    throw new AccessRefusal(statusCode, problemIn(await readAll(response)), {
      path: call.path,
      headers: response.headers,
      flags,
    })
  return response
}

function problemIn(text: string): object {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** One event: a sentence for people, an object a line for programs. */
function line({ id, event, data }: StreamedEvent, { output }: ShowOptions): string {
  if (output !== 'table') return `${JSON.stringify({ id, event, ...(data as object) })}\n`
  if (event === 'reset') return 'The hub has forgotten what happened in between; look with: lanyard access list\n'
  const { entry, cluster, user, group, state, ...names } = (data ?? {}) as EventItem
  const name = names.session ?? names.name ?? ''
  const who = entry?.by === undefined ? '' : ` by ${entry.by}`
  const why = entry?.reason === undefined ? '' : ` (${entry.reason})`
  return printable(
    `${entry?.at ?? ''} ${entry?.transition ?? event ?? ''}${who}: ${group} on ${cluster} for ${user}, ${state} ${name}${why}`,
  ).concat('\n')
}
