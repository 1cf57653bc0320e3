import type { User } from '../authentication/user.ts'
import { system } from '../authentication/user.ts'
import type { RequestInfo } from '../requests/request-info.ts'
import type { Held } from '../shares.ts'
import { Shares } from '../shares.ts'
import { Turns } from './turns.ts'

const megabyte = 1024 * 1024

/**
 * What is under way at present, by identity and flow, as priority and fairness has it on the real server: what one
 * client opens, sends or leaves unread keeps another from nothing. Identities are those that presented credentials,
 * whomever they impersonate.
 */
export class Load {
  /** Requests of which a client may still be sending the body, or an authorizer thinking. */
  readonly underWay = new Shares(2_000)
  /** Requests that are being answered: as many as the real server takes by default. */
  readonly reading = new Shares(400)
  readonly writing = new Shares(200)
  readonly watches = new Shares(10_000)
  /** Bytes of requests. */
  readonly received = new Shares(128 * megabyte)
  /** Bytes of answers that clients have not taken yet. */
  readonly unread = new Shares(128 * megabyte)
  /** Of the requests that begin to be answered. */
  readonly turns = new Turns()

  of(user: User): Account {
    return new Account(this, user)
  }
}

const reads: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head', 'options'])
const endlessly: Held = { set() {}, [Symbol.dispose]() {} }

/** What one request holds of what all share, in the name of its sender. Who can repair the control plane is not held up. */
export class Account implements Disposable {
  readonly #load: Load
  readonly #name: string
  readonly #isExempt: boolean
  readonly #held = new DisposableStack()

  constructor(load: Load, { name, groups }: User) {
    this.#load = load
    this.#name = name
    this.#isExempt = groups.includes(system.masters)
  }

  /** This, and what is taken below, throws 429 where the sender has its share. */
  arrive(headerBytes: number): void {
    this.#take('underWay')
    this.receive(headerBytes)
  }

  receive(bytes: number): void {
    this.#take('received', bytes)
  }

  /** Once all of the request is there. */
  begin({ verb }: RequestInfo): void {
    this.#take(reads.has(verb) ? 'reading' : 'writing')
    this.#take('unread', 0)
  }

  /** Resolves when the request that has begun is to be answered: then, and in no other moment, its work follows. */
  async turn(): Promise<void> {
    if (!this.#isExempt) await this.#load.turns.begin(this.#name)
  }

  /** A watch is no request any more once it has begun. */
  watch(): Disposable {
    return this.#isExempt ? endlessly : this.#load.watches.take(this.#name)
  }

  /** Until it is disposed, which may be long after the request. */
  sending(bytes: number): Held {
    return this.#isExempt ? endlessly : this.#load.unread.hold(this.#name, bytes)
  }

  /** Whether more may be left unread by this client. */
  get maySendMore(): boolean {
    return this.#isExempt || this.#load.unread.hasRoom(this.#name)
  }

  [Symbol.dispose](): void {
    this.#held.dispose()
  }

  #take(what: 'underWay' | 'reading' | 'writing' | 'received' | 'unread', amount = 1): void {
    // What comes of a body once the request has been answered is not kept.
    if (!this.#isExempt && !this.#held.disposed) this.#held.use(this.#load[what].take(this.#name, amount))
  }
}
