import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

/**
 * Connections of a server that is to stop. Node waits for those on which nobody has asked anything yet, as clients open
 * them in advance, and ends none that has not shaken hands. It also waits for those that were busy when it was told to
 * stop, however long ago they have had their answer: their clients keep them for the next request.
 */
export class Connections {
  readonly #open = new Set<Socket>()
  /** The answer to what was asked last. */
  readonly #answers = new WeakMap<Socket, ServerResponse>()
  readonly #isSecure: boolean
  #isEnding = false

  constructor(server: Server) {
    this.#isSecure = 'setSecureContext' in server
    const add = (socket: Socket) => {
      if (this.#isEnding) return void socket.destroy()
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
    }
    server.on('connection', add)
    server.on('secureConnection', add)
    server.on('request', ({ socket }: IncomingMessage, answer: ServerResponse) => {
      this.#answers.set(socket, answer)
      if (this.#isEnding) sayLast(answer)
      answer.once('close', () => {
        if (this.#isEnding && this.#answers.get(socket) === answer) socket.destroySoon()
      })
    })
  }

  /** Those that nobody has used at once, also when they are ready only now; each other one with its last answer. */
  endUnused(): void {
    this.#isEnding = true
    for (const socket of this.#open) {
      const answer = this.#answers.get(socket)
      // Its client is sending what nobody will read.
      const isLeft = answer?.writableFinished && !answer.req.complete
      if (isLeft || this.#isUnused(socket)) socket.destroy()
      if (answer) sayLast(answer)
    }
  }

  endAll(): void {
    for (const socket of this.#open) socket.destroy()
  }

  /** Below TLS there are no requests: there whoever has sent anything is shaking hands, or has. */
  #isUnused(socket: Socket): boolean {
    if (this.#isSecure && !(socket instanceof TLSSocket)) return socket.bytesRead === 0
    return !this.#answers.has(socket)
  }
}

/** So that its client does not ask again where nobody will answer. */
function sayLast(answer: ServerResponse): void {
  if (!answer.headersSent) answer.setHeader('connection', 'close')
}
