import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { Connection, Credentials } from '../connection.ts'
import type { Identity } from './identity.ts'
import { identityOf, isSameIdentity, secureContextOf } from './identity.ts'
import type { Settings } from './options.ts'
import { Pool } from './pool.ts'
import type { Target } from './target.ts'
import type { Lost, Transport } from './transport.ts'

export interface EndpointDeps {
  connection: Connection
  target: Target
  settings: Settings
  clock: Clock
  log: Log
}

interface Generation {
  identity: Identity
  /** When its credentials were asked for: later askers may not bring back what an earlier one found. */
  asked: number
  transport: Transport
}

/** The server under whichever TLS identity is current. A change moves new requests over and lets the old ones finish. */
export class Endpoint {
  readonly #deps: EndpointDeps
  #current: Generation | undefined
  #unusable: Identity | undefined
  readonly #retired = new Set<Transport>()

  constructor(deps: EndpointDeps) {
    this.#deps = deps
  }

  /** `asked` counts the moments at which credentials were asked for. */
  transportFor(credentials: Credentials | undefined, asked: number): Transport {
    const current = this.#current
    const identity = identityOf(this.#deps.connection, credentials)
    if (current) {
      if (isSameIdentity(current.identity, identity)) {
        current.asked = Math.max(current.asked, asked)
        return current.transport
      }
      if (asked < current.asked || (this.#unusable && isSameIdentity(this.#unusable, identity)))
        return current.transport
    }
    return this.#adopt(identity, asked)
  }

  async destroy(lost: Lost): Promise<void> {
    const all = [...this.#retired, ...(this.#current ? [this.#current.transport] : [])]
    await Promise.all(all.map((transport) => transport.destroy(lost)))
  }

  #adopt(identity: Identity, asked: number): Transport {
    const current = this.#current
    try {
      const transport = this.#makeTransport(identity)
      this.#current = { identity, asked, transport }
      if (current) {
        this.#deps.log.info({ server: this.#deps.target.shown }, 'TLS identity changed')
        this.#retired.add(current.transport)
        current.transport.retire().then(() => this.#retired.delete(current.transport))
      }
      return transport
    } catch (error) {
      if (!current) throw error
      // Half-written files look like this. The old identity still works, so it stays until a usable one follows.
      this.#unusable = identity
      this.#deps.log.warn(
        { server: this.#deps.target.shown, error },
        'new TLS identity cannot be used, keeping the old one',
      )
      return current.transport
    }
  }

  #makeTransport(identity: Identity): Transport {
    const { connection, target, settings, clock, log } = this.#deps
    const { serverName, insecureSkipVerify = false } = connection.tls
    return new Pool({
      settings,
      clock,
      log,
      dialing: {
        target,
        context: target.secure ? secureContextOf(identity) : undefined,
        serverName,
        insecure: insecureSkipVerify,
        proxyCa: connection.proxyCa,
        egress: connection.egress,
      },
    })
  }
}
