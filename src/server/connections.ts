import type { Socket } from 'node:net'

type Peer = string

/** By what a raw socket, its TLS and an HTTP/2 session over it have in common. */
export const peerOf = ({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): Peer =>
  `${remoteAddress} ${remotePort}`

/**
 * The connections of a server. It holds at most `most` of clients that showed no certificate: the one that has waited
 * longest for a request, or for the rest of one, makes room for the next. So a client that holds connections keeps no API
 * server out, and a request that is being answered is never cut off.
 */
export class Connections {
  readonly #most: number
  /** In the order in which they began to wait. */
  readonly #waiting = new Map<Peer, Socket>()
  readonly #answered = new Map<Peer, { socket: Socket; requests: number }>()
  readonly #known = new Map<Peer, Socket>()

  constructor(most: number) {
    this.#most = most
  }

  add(socket: Socket): void {
    const peer = peerOf(socket)
    this.#waiting.set(peer, socket)
    socket.once('close', () => {
      for (const sockets of [this.#waiting, this.#answered, this.#known]) sockets.delete(peer)
    })
    if (this.#waiting.size + this.#answered.size <= this.#most) return
    const [longest] = this.#waiting
    if (!longest) return
    this.#waiting.delete(longest[0])
    longest[1].destroy()
  }

  /** The client has shown who it is. */
  know(peer: Peer): void {
    const socket = this.#waiting.get(peer)
    if (!socket) return
    this.#waiting.delete(peer)
    this.#known.set(peer, socket)
  }

  isKnown(peer: Peer): boolean {
    return this.#known.has(peer)
  }

  /** A request is whole, and is answered until this is disposed of. */
  answering(peer: Peer): Disposable {
    const socket = this.#waiting.get(peer) ?? this.#answered.get(peer)?.socket
    if (!socket || socket.destroyed) return { [Symbol.dispose]: () => {} }
    const entry = this.#answered.get(peer) ?? { socket, requests: 0 }
    entry.requests += 1
    this.#waiting.delete(peer)
    this.#answered.set(peer, entry)
    return {
      [Symbol.dispose]: () => {
        entry.requests -= 1
        if (entry.requests > 0 || !this.#answered.delete(peer)) return
        this.#waiting.set(peer, socket)
      },
    }
  }

  destroyAll(): void {
    for (const socket of [...this.#waiting.values(), ...this.#known.values()]) socket.destroy()
    for (const { socket } of this.#answered.values()) socket.destroy()
  }
}
