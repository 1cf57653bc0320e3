import type { TLSSocket } from 'node:tls'
import { connect } from 'node:tls'
import type { HubFacts } from './tasks.ts'

/** No answer takes this long: one that does not come is a failure, and not a benchmark that never ends. */
const longestMs = 10_000

/**
 * A connection that asks one thing at a time. By hand: a client of Node takes longer for a request than the server that
 * is to be measured, and would be the only thing that was measured.
 */
export class Wire {
  readonly #socket: TLSSocket
  #received = ''
  #waiting: { resolve(answer: string): void; reject(error: Error): void } | undefined

  private constructor(socket: TLSSocket) {
    this.#socket = socket
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => this.#take(chunk))
    socket.on('close', () => this.#waiting?.reject(new Error('the connection was closed')))
    socket.on('error', (error) => this.#waiting?.reject(error))
  }

  static open({ url, caPem }: HubFacts): Promise<Wire> {
    return new Promise((resolve, reject) => {
      const { port } = new URL(url)
      const socket = connect({ host: '127.0.0.1', port: Number(port), ca: caPem, ALPNProtocols: ['http/1.1'] })
      socket.setNoDelay(true)
      socket.setTimeout(longestMs, () => socket.destroy(new Error(`nothing came for ${longestMs} ms`)))
      socket.once('error', reject)
      socket.once('close', () => reject(new Error('the connection was closed')))
      socket.once('secureConnect', () => resolve(new Wire(socket)))
    })
  }

  /** The server closes what was not used for a while. */
  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.writable
  }

  /** The whole answer, head and body. */
  ask(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      if (!this.isOpen) return reject(new Error('the connection was closed'))
      this.#waiting = { resolve, reject }
      this.#socket.write(text)
    })
  }

  close(): void {
    this.#waiting = undefined
    this.#socket.destroy()
  }

  #take(chunk: string): void {
    this.#received += chunk
    const end = this.#received.indexOf('\r\n\r\n')
    if (end < 0) return
    const at = this.#received.slice(0, end).toLowerCase().indexOf('content-length:')
    if (at < 0) return void this.#socket.destroy(new Error(`no length: ${this.#received.slice(0, end)}`))
    const length = Number.parseInt(this.#received.slice(at + 15, end), 10)
    if (this.#received.length < end + 4 + length) return
    const answer = this.#received
    this.#received = ''
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.resolve(answer)
  }
}
