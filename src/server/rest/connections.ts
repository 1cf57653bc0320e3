import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

/**
 * Connections of a server that is to stop. Node waits for those on which nobody has asked anything yet, as clients open
 * them in advance, and ends none that has not shaken hands.
 */
export class Connections {
  readonly #open = new Set<Socket>()
  readonly #asked = new WeakSet<Socket>()
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
    server.on('request', ({ socket }: IncomingMessage) => this.#asked.add(socket))
  }

  /** Also those that are only now ready to be used. */
  endUnused(): void {
    this.#isEnding = true
    for (const socket of this.#open) if (this.#isUnused(socket)) socket.destroy()
  }

  endAll(): void {
    for (const socket of this.#open) socket.destroy()
  }

  /** Below TLS there are no requests: there whoever has sent anything is shaking hands, or has. */
  #isUnused(socket: Socket): boolean {
    if (this.#isSecure && !(socket instanceof TLSSocket)) return socket.bytesRead === 0
    return !this.#asked.has(socket)
  }
}
