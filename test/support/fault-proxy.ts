import type { AddressInfo, Socket } from 'node:net'
import { connect, createServer } from 'node:net'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

/** A network that can be broken at will, on the way to a server. TLS passes through, so 127.0.0.1 must be in its certificate. */
export interface FaultProxy {
  readonly port: number
  /** The target's address with this port in place of its own. */
  readonly url: string
  /** Connections open at present. */
  readonly connections: number
  /** Connections accepted since the start, refused ones not counted. */
  readonly accepted: number
  /** Ends every connection in an orderly way (FIN to both sides). */
  dropAll(): void
  /** Breaks every connection (RST to both sides). */
  resetAll(): void
  /** Forwards nothing either way and closes nothing, as a dead network would; new connections are accepted and stall. */
  halfOpen(on?: boolean): void
  /** Milliseconds that each byte takes longer, each way. */
  delay(ms: number): void
  /** Resets new connections at once. Open ones go on. */
  refuse(on?: boolean): void
  /** Ends each connection once this many more bytes have come from the server, in the midst of an answer if need be. */
  cutAfterBytes(bytes: number): void
  /** Takes every fault away. What stalled goes on. */
  heal(): void
}

/** Real time and real sockets; everything on loopback. */
export async function startFaultProxy(t: TestScope, target: string): Promise<FaultProxy> {
  const { hostname, port } = new URL(target)
  const proxy = new TcpFaultProxy(target)
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, (client) =>
    proxy.accept(client, () => connect({ host: hostname, port: Number(port), allowHalfOpen: true, noDelay: true })),
  )
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  proxy.port = (server.address() as AddressInfo).port
  teardown(t, async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    proxy.resetAll()
    await closed
  })
  return proxy
}

class TcpFaultProxy implements FaultProxy {
  port = 0
  accepted = 0
  readonly faults: Faults = { stalled: false, delayMs: 0, refusing: false, bytesLeft: Number.POSITIVE_INFINITY }
  readonly #target: string
  readonly #links = new Set<Link>()

  constructor(target: string) {
    this.#target = target
  }

  get url(): string {
    const url = new URL(this.#target)
    url.hostname = '127.0.0.1'
    url.port = String(this.port)
    return url.href.replace(/\/$/, '')
  }

  get connections(): number {
    return this.#links.size
  }

  accept(client: Socket, dial: () => Socket): void {
    if (this.faults.refusing) {
      reset(client)
      return
    }
    this.accepted++
    const link = new Link(client, dial(), this.faults, () => this.#links.delete(link))
    this.#links.add(link)
  }

  dropAll(): void {
    for (const link of this.#links) link.end()
  }

  resetAll(): void {
    for (const link of this.#links) link.reset()
  }

  halfOpen(on = true): void {
    this.faults.stalled = on
    for (const link of this.#links) link.flow()
  }

  delay(ms: number): void {
    this.faults.delayMs = ms
  }

  refuse(on = true): void {
    this.faults.refusing = on
  }

  cutAfterBytes(bytes: number): void {
    this.faults.bytesLeft = bytes
    for (const link of this.#links) link.bytesLeft = bytes
  }

  heal(): void {
    this.delay(0)
    this.refuse(false)
    this.cutAfterBytes(Number.POSITIVE_INFINITY)
    this.halfOpen(false)
  }
}

interface Faults {
  stalled: boolean
  delayMs: number
  refusing: boolean
  /** What each new connection starts with. */
  bytesLeft: number
}

/** One connection through the proxy. */
class Link {
  bytesLeft: number
  readonly #client: Socket
  readonly #server: Socket
  readonly #lanes: Lane[]
  readonly #faults: Faults

  constructor(client: Socket, server: Socket, faults: Faults, onClose: () => void) {
    this.bytesLeft = faults.bytesLeft
    this.#client = client
    this.#server = server
    this.#faults = faults
    const onDrain = () => this.flow()
    this.#lanes = [
      new Lane(client, server, faults, { onDrain, send: (chunk) => server.write(chunk) }),
      new Lane(server, client, faults, { onDrain, send: (chunk) => this.#sendToClient(chunk) }),
    ]
    let open = 2
    const onClosed = () => --open === 0 && onClose()
    client.on('error', () => reset(server)).on('close', onClosed)
    server.on('error', () => reset(client)).on('close', onClosed)
    this.flow()
  }

  /** Reads from both sides, or from none while stalled: what was sent then stays in the kernel's buffers. */
  flow(): void {
    for (const socket of [this.#client, this.#server]) {
      if (this.#faults.stalled) socket.pause()
      else socket.resume()
    }
    for (const lane of this.#lanes) lane.deliver()
  }

  end(): void {
    this.#client.destroySoon()
    this.#server.destroySoon()
  }

  reset(): void {
    reset(this.#client)
    reset(this.#server)
  }

  #sendToClient(chunk: Buffer): boolean {
    const flushed = this.#client.write(chunk.subarray(0, this.bytesLeft))
    this.bytesLeft -= chunk.length
    if (this.bytesLeft <= 0) this.end()
    return flushed
  }
}

/** One that has sent its end cannot be reset any more: Node 24 fails to, and then closes it neither way. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}

interface LaneActions {
  /** False when the receiver lags behind. */
  send(chunk: Buffer): boolean
  /** The receiver has caught up. */
  onDrain(): void
}

/** One direction of a connection. A latency, not a rate: each chunk is due the delay after it came, none overtakes. */
class Lane {
  readonly #waiting: { dueAt: number; chunk?: Buffer }[] = []
  readonly #to: Socket
  readonly #from: Socket
  readonly #faults: Faults
  readonly #actions: LaneActions
  #timer: NodeJS.Timeout | undefined

  constructor(from: Socket, to: Socket, faults: Faults, actions: LaneActions) {
    this.#from = from
    this.#to = to
    this.#faults = faults
    this.#actions = actions
    from.on('data', (chunk) => this.#add({ chunk })).on('end', () => this.#add({}))
    to.on('drain', () => actions.onDrain())
  }

  /** Sends on what is due, unless the network stands still. */
  deliver(): void {
    clearTimeout(this.#timer)
    for (let next = this.#waiting[0]; next && !this.#faults.stalled; next = this.#waiting[0]) {
      const leftMs = next.dueAt - performance.now()
      if (leftMs > 0) {
        this.#timer = setTimeout(() => this.deliver(), leftMs)
        return
      }
      this.#waiting.shift()
      if (!this.#to.writable) continue
      if (next.chunk === undefined) this.#to.end()
      else if (!this.#actions.send(next.chunk)) this.#from.pause()
    }
  }

  #add(item: { chunk?: Buffer }): void {
    this.#waiting.push({ ...item, dueAt: performance.now() + this.#faults.delayMs })
    this.deliver()
  }
}
