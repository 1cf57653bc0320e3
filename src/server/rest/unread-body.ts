import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Clock } from '../../core/clock.ts'

/** For the answer to arrive and be read, while its reader is still sending. */
const lingerMs = 4_000

/**
 * A request that is answered before all of its body was read. Node would read on, at any length; to end the connection
 * at once would take the answer from its reader. So nothing more is read, TCP makes the sender wait, and the connection
 * ends a little later. Go's client, and so an API server, ends it itself as soon as it has the answer.
 */
export function leaveUnread(server: Server, clock: Pick<Clock, 'countdown'>): void {
  server.on('request', (request: IncomingMessage, answer: ServerResponse) => {
    // Before Node's own, which begins to read what nobody has begun to read.
    answer.prependOnceListener('finish', () => {
      if (request.complete) return
      request.pause()
      request.read(0)
      const { socket } = request
      const linger = clock.countdown(lingerMs, () => {
        // What was so short that it is here by now is no reason to end it.
        if (request.complete) request.resume()
        else socket.destroy()
      })
      socket.once('close', () => linger[Symbol.dispose]())
    })
  })
}
