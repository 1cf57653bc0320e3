import { createHash } from 'node:crypto'
import type { Clock } from '../../src/core/clock.ts'
import { after } from '../../src/core/clock.ts'
import type { Issuance, Keep, Kept, Pass, Pending } from '../../src/core/pass.ts'
import { reasons } from '../../src/core/reasons.ts'
import { isDue, isExpired } from '../../src/core/renewal.ts'
import { Secret } from '../../src/core/secret.ts'

interface Ticket {
  name: string
  state: 'asked' | 'approved' | 'denied'
  token?: string
  notBefore?: Date
  expiresAt?: Date
}

/** An issuer with a desk: requests lie there by name until somebody approves or denies them. */
export class ToyIssuer {
  readonly desk = new Map<string, Ticket>()
  /** Asked for in vain while the issuer is down. */
  down: Error | undefined
  lifeMs = 3_600_000
  backdateMs = 0
  approveAtOnce = false
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  ask(name: string): void {
    if (this.down) throw this.down
    if (this.desk.has(name)) return
    this.desk.set(name, { name, state: 'asked' })
    if (this.approveAtOnce) this.approve(name)
  }

  look(name: string): Ticket | undefined {
    if (this.down) throw this.down
    return this.desk.get(name)
  }

  approve(name = this.#waiting()): void {
    const notBefore = after(this.#clock.now(), -this.backdateMs)
    const expiresAt = after(notBefore, this.lifeMs)
    this.desk.set(name, { name, state: 'approved', token: `token-for-${name}`, notBefore, expiresAt })
  }

  deny(name = this.#waiting()): void {
    this.desk.set(name, { name, state: 'denied' })
  }

  #waiting(): string {
    const waiting = [...this.desk.values()].find((ticket) => ticket.state === 'asked')
    if (!waiting) throw new Error('nothing lies on the desk')
    return waiting.name
  }
}

/** Asks the toy issuer, one effect a call. Request names are drawn from `names` so that a test can tell them apart. */
export function toyIssuance(issuer: ToyIssuer, names: () => string): Issuance<Secret> {
  return {
    async next(now, kept, pending) {
      if (!pending) {
        if (kept && !isDue(kept.pass, now) && !isExpired(kept.pass, now)) return { step: 'granted', ...kept }
        return { step: 'waiting', for: reasons.AwaitingIssuer, pending: { name: names(), createdAt: now } }
      }
      const ticket = issuer.look(pending.name)
      if (!ticket) {
        issuer.ask(pending.name)
        return { step: 'waiting', for: reasons.AwaitingApproval, wake: after(now, 1) }
      }
      if (ticket.state === 'denied') return { step: 'refused', reason: reasons.IssuerDenied }
      if (!ticket.token || !ticket.notBefore) return { step: 'waiting', for: reasons.AwaitingApproval }
      const issuedAt = new Date(Math.max(ticket.notBefore.getTime(), now.getTime()))
      return { step: 'granted', pass: toyPass(ticket, issuedAt), material: Secret.of(ticket.token) }
    },
  }
}

const toyPass = ({ name, token, expiresAt }: Ticket, issuedAt: Date): Pass => ({
  id: 'check/toy',
  kind: 'check',
  holder: 'toy',
  issuer: 'desk',
  issuedAt,
  ...(expiresAt && { expiresAt }),
  keptIn: `memory/${name}`,
  fingerprint: createHash('sha256')
    .update(token ?? '')
    .digest('hex'),
  state: reasons.PassIssued,
})

/** Survives the loop that uses it, as a Secret or a file would. */
export class MemoryKeep<M> implements Keep<M> {
  kept: Kept<M> | undefined
  pending: Pending | undefined
  down: Error | undefined

  async load() {
    if (this.down) throw this.down
    return { ...(this.kept && { kept: this.kept }), ...(this.pending && { pending: this.pending }) }
  }

  async savePending(pending: Pending) {
    if (this.down) throw this.down
    this.pending = pending
  }

  async save(kept: Kept<M>) {
    if (this.down) throw this.down
    this.kept = kept
    this.pending = undefined
  }
}
