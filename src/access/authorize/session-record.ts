import type { PolicySession } from '../policies/contract.ts'
import { overridesInForce } from '../policies/overrides.ts'
import type { Escalation, Session, Standing } from '../sessions/contract.ts'
import { standingOf } from '../sessions/standing.ts'
import type { Decision } from './contract.ts'

export interface SessionPlace {
  readonly namespace: string
  readonly name: string
  readonly group: string
}

export interface RecordDeps {
  lastUsed(session: SessionPlace): Date | undefined
  /** By name and uid; undefined where it is gone. */
  ownerOf(session: Session): Escalation | undefined
  /** Another number whenever an escalation changed. */
  escalationsVersion(): number
}

/**
 * A session as requests look at it. What it is good for is asked of `standingOf` once, and again at the moment when
 * that changes by itself: between the two only times are compared.
 */
export class SessionRecord {
  readonly session: Session
  readonly place: SessionPlace
  /** What is answered where it is the one that grants. */
  readonly granted: Decision
  readonly #deps: RecordDeps
  #grants = false
  /** `#grants` holds from the one to the other. */
  #fromMs = Number.POSITIVE_INFINITY
  #untilMs = Number.NEGATIVE_INFINITY
  #prefixes: readonly string[] | undefined
  #groups: readonly string[] = []
  #escalations = -1
  #forPolicies: PolicySession | undefined

  constructor(session: Session, deps: RecordDeps) {
    const { metadata, spec } = session
    this.session = session
    this.#deps = deps
    this.place = { namespace: metadata.namespace ?? '', name: metadata.name, group: spec.grantedGroup }
    this.granted = {
      verdict: 'allowed',
      source: 'session',
      reason: `Session ${metadata.name} allows this.`,
      session: this.place,
    }
  }

  grants(now: Date): boolean {
    const ms = now.getTime()
    if (ms < this.#fromMs || ms >= this.#untilMs) this.#look(now, ms)
    return this.#grants
  }

  /** Whose rights it may stand for: a cluster may know the group with one of these prefixes. */
  groups(prefixes: readonly string[]): readonly string[] {
    if (this.#prefixes === prefixes) return this.#groups
    const { group } = this.place
    this.#prefixes = prefixes
    this.#groups = [...new Set([group, ...prefixes.map((prefix) => `${prefix}${group}`)])]
    return this.#groups
  }

  forPolicies(): PolicySession {
    const version = this.#deps.escalationsVersion()
    if (this.#forPolicies && this.#escalations === version) return this.#forPolicies
    const overrides = overridesOf(this.session, this.#deps.ownerOf(this.session))
    this.#escalations = version
    this.#forPolicies = {
      name: this.place.name,
      denyPolicyRefs: this.session.spec.denyPolicyRefs ?? [],
      ...(overrides && { podSecurityOverrides: overrides }),
    }
    return this.#forPolicies
  }

  /**
   * Use moves the end of an idle session away, never nearer: what was found before is at most too early. But where nothing
   * is on record that it was idle since, the first use gives it that end: looked at again when one of now would.
   */
  #look(now: Date, ms: number): void {
    const lastUsed = this.#deps.lastUsed(this.place)
    const standing = standingOf(this.session, now, lastUsed)
    this.#grants = standing.live && standing.grants
    this.#fromMs = ms
    this.#untilMs = untilOf(standing)
    if (!lastUsed && this.#grants) {
      const used = standingOf(this.session, now, now)
      this.#untilMs = Math.min(this.#untilMs, used.live ? untilOf(used) : ms)
    }
  }
}

const untilOf = (standing: Standing): number =>
  standing.live && standing.until ? standing.until.getTime() : Number.POSITIVE_INFINITY

function overridesOf({ status }: Session, owner: Escalation | undefined): PolicySession['podSecurityOverrides'] {
  if (!owner) return undefined
  const members = (group: string) => owner.status?.approverGroupMembers?.[group] ?? []
  return overridesInForce(owner.spec, status?.approvers ?? [], members)
}
