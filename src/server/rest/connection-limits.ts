import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { BlockList, isIP, isIPv6 } from 'node:net'
import type { Clock } from '../../core/clock.ts'
import { rateLimiter } from './limiter.ts'

/** Of one address, of which nobody has shown who they are: a fleet behind one address that comes back all at once. */
const mostUnknown = 256
/**
 * The same where a caller is known from that address: an API server opens a connection for each question under way, and
 * takes one that is ended for "no opinion". So there the young ones stay; who has said nothing for longer than an API
 * server waits for an answer makes room, as everywhere.
 */
const mostYoung = 2_048
const youngMs = 4_000
/** For how long an address is one of known callers after the last of their connections has ended. */
const rememberedMs = 600_000
/** For TLS, and a first call by somebody who is known. */
const knownWithinMs = 20_000
/**
 * Handshakes of one address, a millisecond's work each: so many after a pause, and so many a second from then on. Where
 * a known caller has a connection from there, they begin at once: an API server that is asked much opens many, and one
 * that waits for the hub longer than its deadline goes on without it.
 */
const handshakes = { burst: 256, perMinute: 3_000 }
/** From where a caller is known: more than an API server opens, and no more than leaves time for their questions. */
const trustedHandshakes = { burst: 2_048, perMinute: 30_000 }
const handshakeEveryMs = 60_000 / handshakes.perMinute
/** Addresses that are remembered before those of nobody are looked for. */
const mostAddresses = 1_000
/** API servers open one for each question under way. */
const mostOfCaller = 2_048

/** Counts a connection as this caller's. False: they have too many. */
export type Claim = (socket: Socket, caller: string) => boolean

interface Connection {
  readonly socket: Socket
  readonly begin: () => void
  readonly from: Address | undefined
  readonly metAtMs: number
  caller?: string
}

interface Address {
  /** The oldest first. */
  readonly unknown: Set<Connection>
  /** How many connections of known callers come from there. */
  known: number
  /** Until when it is remembered that there were some. */
  knownUntilMs: number
  /** Those whose handshake has to wait, the newest last. */
  readonly waiting: Set<Connection>
  isReleasing: boolean
}

export interface ConnectionLimitsDeps {
  clock: Pick<Clock, 'now' | 'countdown'>
  /** Connections of a proxy are those of many: it has to hold them to something itself. */
  isProxy(address: string): boolean
  /** Of one caller. */
  most?: number
}

/**
 * Whom connections belong to. As long as nobody has shown on one who they are, it counts to its address: there are not
 * many of them, they begin at a pace, the oldest makes room for the newest, and each is ended after a while. Afterwards
 * it is its caller's, and nobody else can take its place.
 */
export class ConnectionLimits {
  readonly #deps: ConnectionLimitsDeps
  readonly #mayBegin: ReturnType<typeof rateLimiter>
  readonly #mayBeginTrusted: ReturnType<typeof rateLimiter>
  #scanAtSize = mostAddresses
  readonly #addresses = new Map<string, Address>()
  /** By the address and port of the peer: below TLS there is another socket than above. */
  readonly #open = new Map<string, Connection>()
  readonly #ofCaller = new Map<string, number>()
  readonly #beginning: Connection[] = []
  #isBeginning = false

  constructor(deps: ConnectionLimitsDeps) {
    this.#deps = deps
    this.#mayBegin = rateLimiter(deps.clock, handshakes)
    this.#mayBeginTrusted = rateLimiter(deps.clock, trustedHandshakes)
  }

  /** How many are open. */
  get size(): number {
    return this.#open.size
  }

  /** Stands between a server and its connections, before anything is done for one. */
  guard(server: Server): void {
    const begins = server.listeners('connection')
    server.removeAllListeners('connection')
    server.on('connection', (socket: Socket) =>
      this.#meet(socket, () => {
        for (const begin of begins) begin.call(server, socket)
      }),
    )
  }

  readonly claim: Claim = (socket, caller) => {
    const connection = this.#open.get(peerOf(socket))
    if (!connection || connection.caller === caller) return true
    const theirs = this.#ofCaller.get(caller) ?? 0
    if (theirs >= (this.#deps.most ?? mostOfCaller)) return false
    this.#leave(connection)
    this.#ofCaller.set(caller, theirs + 1)
    connection.caller = caller
    if (connection.from) connection.from.known += 1
    return true
  }

  #meet(socket: Socket, begin: () => void): void {
    const { remoteAddress } = socket
    // Its peer is gone already.
    if (remoteAddress === undefined) return void socket.destroy()
    const from = this.#deps.isProxy(plain(remoteAddress)) ? undefined : this.#addressOf(remoteAddress)
    const metAtMs = this.#nowMs()
    const connection: Connection = { socket, begin, from, metAtMs }
    const peer = peerOf(socket)
    this.#open.set(peer, connection)
    const patience = this.#deps.clock.countdown(knownWithinMs, () => {
      if (connection.caller === undefined) socket.destroy()
    })
    socket.once('close', () => {
      patience[Symbol.dispose]()
      this.#open.delete(peer)
      this.#leave(connection)
      if (from && this.#isForgotten(from)) this.#addresses.delete(remoteAddress)
    })
    // As long as it waits nobody else takes its errors.
    socket.on('error', () => {})
    if (from && !this.#isNext(connection, from, remoteAddress)) {
      from.waiting.add(connection)
      this.#release(from, remoteAddress)
    } else this.#begin(connection)
  }

  /** One a turn of the event loop: those who come together must not keep it from everybody else with their handshakes. */
  #begin(connection: Connection): void {
    this.#beginning.push(connection)
    if (!this.#isBeginning) this.#beginNext()
  }

  #beginNext(): void {
    const next = this.#beginning.shift()
    this.#isBeginning = next !== undefined
    if (!next) return
    if (!next.socket.destroyed) next.begin()
    setImmediate(() => this.#beginNext())
  }

  /** Makes room for it, and says whether it may begin at once. */
  #isNext(connection: Connection, from: Address, address: string): boolean {
    const { unknown } = from
    const isTrusted = this.#isOfCallers(from)
    for (const oldest of unknown) {
      if (unknown.size < mostUnknown) break
      const isYoung = connection.metAtMs - oldest.metAtMs < youngMs
      if (isTrusted && isYoung && unknown.size < mostYoung) break
      this.#leave(oldest)
      oldest.socket.destroy()
    }
    unknown.add(connection)
    return this.#hasTurn(address, isTrusted)
  }

  #hasTurn(address: string, isTrusted: boolean): boolean {
    return (isTrusted ? this.#mayBeginTrusted : this.#mayBegin)(address).isAllowed
  }

  #nowMs(): number {
    return this.#deps.clock.now().getTime()
  }

  #isOfCallers({ known, knownUntilMs }: Address): boolean {
    return known > 0 || this.#nowMs() < knownUntilMs
  }

  #isForgotten(from: Address): boolean {
    return from.unknown.size === 0 && !this.#isOfCallers(from)
  }

  #addressOf(address: string): Address {
    const known = this.#addresses.get(address)
    if (known) return known
    const made: Address = { unknown: new Set(), known: 0, knownUntilMs: 0, waiting: new Set(), isReleasing: false }
    this.#addresses.set(address, made)
    if (this.#addresses.size > this.#scanAtSize) this.#forgetAddresses()
    return made
  }

  /** Those that nobody has a connection from, and has not had for a while. */
  #forgetAddresses(): void {
    for (const [address, from] of this.#addresses) if (this.#isForgotten(from)) this.#addresses.delete(address)
    // Where most are still in use, not again for each that comes.
    this.#scanAtSize = Math.max(mostAddresses, this.#addresses.size * 2)
  }

  /** The newest first: who came before it may have given up. */
  #release(from: Address, address: string): void {
    if (from.isReleasing || from.waiting.size === 0) return
    from.isReleasing = true
    this.#deps.clock.countdown(handshakeEveryMs, () => {
      from.isReleasing = false
      const newest = [...from.waiting].reverse()
      const isTrusted = this.#isOfCallers(from)
      for (const next of isTrusted ? newest : newest.slice(0, 1)) {
        if (!this.#hasTurn(address, isTrusted)) break
        from.waiting.delete(next)
        this.#begin(next)
      }
      this.#release(from, address)
    })
  }

  #leave(connection: Connection): void {
    const { from, caller } = connection
    from?.unknown.delete(connection)
    from?.waiting.delete(connection)
    if (caller === undefined) return
    if (from) {
      from.known -= 1
      from.knownUntilMs = this.#nowMs() + rememberedMs
    }
    const left = (this.#ofCaller.get(caller) ?? 1) - 1
    if (left > 0) this.#ofCaller.set(caller, left)
    else this.#ofCaller.delete(caller)
  }
}

const peerOf = ({ remoteAddress = '', remotePort = 0 }: Socket): string => `${remoteAddress} ${remotePort}`

/** An IPv4 address as IPv6 has it is that address. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')

/** Whether an address is in one of these networks: `10.0.0.0/8`, `192.0.2.7`, `fd00::/8`. What is no address is none. */
export function inNetworks(networks: readonly string[]): (address: string) => boolean {
  const listed = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    if (isIP(address) === 0) continue
    if (bits === undefined) listed.addAddress(address, familyOf(address))
    else listed.addSubnet(address, Number(bits), familyOf(address))
  }
  return (address) => isIP(plain(address)) !== 0 && listed.check(plain(address), familyOf(plain(address)))
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')
