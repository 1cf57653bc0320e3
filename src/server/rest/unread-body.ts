import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Clock } from '../../core/clock.ts'

/** For the answer to arrive and be read, while its reader is still sending. */
const lingerMs = 4_000

/**
 * A request that is answered before all of its body was read. Node would read on, at any length; to end the connection
 * at once would take the answer from its reader. So the answer says that the connection ends, nothing more is read, TCP
 * makes the sender wait, our side ends with the answer, and the other a little later. Without the word, a client that had
 * all of its body in the socket would send its next request where nobody reads: an API server then waits in vain for an
 * answer about somebody else, and goes on without it.
 */
export function leaveUnread(server: Server, clock: Pick<Clock, 'countdown'>): void {
  server.on('request', (request: IncomingMessage, answer: ServerResponse) => {
    if (!hasBody(request)) return
    const { writeHead } = answer
    answer.writeHead = ((...head: Parameters<typeof writeHead>) => {
      if (!request.complete) {
        answer.shouldKeepAlive = false
        answer.setHeader('connection', 'close')
      }
      return writeHead.apply(answer, head)
    }) as typeof writeHead
    // Before Node's own, which begins to read what nobody has begun to read.
    answer.prependOnceListener('finish', () => {
      if (request.complete) return
      request.pause()
      request.read(0)
      const { socket } = request
      // Node would end both sides at once.
      socket.destroySoon = () => void socket.end()
      const linger = clock.countdown(lingerMs, () => socket.destroy())
      socket.once('close', () => linger[Symbol.dispose]())
    })
  })
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
