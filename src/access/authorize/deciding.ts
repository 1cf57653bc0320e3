import type { PolicyFacts, PolicyRequest, PolicySet, PolicyVerdict } from '../policies/contract.ts'
import { whyNeverGranted } from '../policies/impersonation.ts'
import type { AccessSettings } from '../settings.ts'
import type { ClusterFacts } from './cluster-index.ts'
import type { Decision, DecisionSource, Review, SessionAside } from './contract.ts'
import type { DecideDeps, Phase, Question } from './question.ts'
import type { SessionRecord } from './session-record.ts'
import * as wording from './wording.ts'

/** Of the time for a decision: what is not known by then cannot be known, and is answered as that. */
const factsShare = 0.8
/** For whoever wants no answer but one that is there at once. A promise for each: one for all would keep whoever waits for it. */
const unanswered = () => new Promise<never>(() => {})
const noFacts: PolicyFacts = { namespaceLabels: unanswered, pod: unanswered, isNamespaced: unanswered }

/** What is asked of a cluster is over within its deadline, whether anybody still waits or not: others may. */
const unwatched = new AbortController().signal

type Lost = ReturnType<DecideDeps['touch']['lost']>
type Denied = Extract<PolicyVerdict, { denied: true }>

/** One question that is not answered at a glance. */
export class Deciding {
  readonly #question: Question
  readonly #deps: DecideDeps
  readonly #settings: AccessSettings
  readonly #facts: ClusterFacts
  readonly #held: readonly SessionRecord[]
  readonly #lost: Lost
  readonly #startedMs: number
  #counting: readonly SessionRecord[] = []
  #forbidden: Denied | undefined
  #warnings: string[] = []
  #waitsFor: Phase | undefined
  /** Policies for everybody were evaluated: what is waited for now concerns sessions. */
  #isPastGlobal = false
  /** It was answered without waiting any longer. */
  #isOver = false

  constructor(
    question: Question,
    deps: DecideDeps,
    settings: AccessSettings,
    facts: ClusterFacts,
    held: readonly SessionRecord[],
    lost?: Lost,
  ) {
    this.#question = question
    this.#deps = deps
    this.#settings = settings
    this.#facts = facts
    this.#held = held
    this.#lost = lost
    this.#startedMs = deps.clock.now().getTime()
  }

  /** Whoever holds a session is held to policies; when those cannot be read, by what the installation wants. */
  withoutPolicies(reason = wording.policiesUnread): Decision {
    const isDenied = this.#settings.onPolicyError === 'deny' && this.#held.length > 0
    this.#setAside(this.#held, 'policy')
    return { verdict: isDenied ? 'denied' : 'noOpinion', source: 'policy-error', reason }
  }

  /** Never later than this, whatever is still waited for. */
  within(answer: Decision | Promise<Decision>): Decision | Promise<Decision> {
    if (!(answer instanceof Promise)) return answer
    const late = Promise.withResolvers<Decision>()
    if (this.#question.isAtOnce) return answer
    const timer = this.#deps.clock.countdown(this.#withinMs, () => late.resolve(this.#late()))
    answer.then(late.resolve, late.reject)
    return late.promise.finally(() => timer[Symbol.dispose]())
  }

  get #withinMs(): number {
    return Math.max(0, this.#question.withinMs ?? this.#settings.totalDeadlineMs)
  }

  #timely(): PolicyFacts {
    if (this.#question.isAtOnce) return noFacts
    return this.#facts.facts(this.#startedMs + this.#withinMs * factsShare)
  }

  byPolicies(set: PolicySet, request: PolicyRequest): Decision | Promise<Decision> {
    const theirs = this.#held.filter((record) => this.#whyNotTheirs(record) === undefined)
    const sessions = theirs.map((record) => record.forPolicies())
    const verdict = this.#evaluated(() => set.evaluate(request, this.#timely(), unwatched, sessions))
    return this.#then('policies', verdict, (found) => this.#afterGlobal(found, set, request))
  }

  #afterGlobal(
    verdict: PolicyVerdict | undefined,
    set: PolicySet,
    request: PolicyRequest,
  ): Decision | Promise<Decision> {
    this.#isPastGlobal = true
    if (!verdict) return this.withoutPolicies()
    if (verdict.denied) {
      this.#question.trace?.policy(verdict.policy, verdict.because)
      this.#setAside(this.#held, 'policy')
      return this.#denied(verdict)
    }
    this.#warnings.push(...verdict.warnings)
    const isForSessions = this.#question.scope === 'all' || this.#lost === 'policies'
    if (this.#held.length === 0 || !isForSessions) return this.#nothing('none', wording.noSession)
    return this.bySessions(set, request)
  }

  /** `set`: undefined where no policy can match. */
  bySessions(set: PolicySet | undefined, request: PolicyRequest): Decision | Promise<Decision> {
    this.#isPastGlobal = true
    if (this.#lost) return this.#outOfTouch(this.#lost)
    const { trace } = this.#question
    const never = whyNeverGranted(request)
    if (never !== undefined) {
      this.#setAside(this.#held, 'refused')
      return this.#nothing('none', never)
    }
    let other: SessionRecord | undefined
    this.#counting = this.#held.filter((record) => {
      const aside = this.#whyNotTheirs(record)
      if (aside === undefined) return true
      trace?.session(record, aside)
      other ??= record
      return false
    })
    if (this.#counting.length === 0 && other)
      return this.#nothing('provider-mismatch', wording.otherProvider(other.place.name, this.#facts, this.#settings))
    if (!set) return this.#byCluster()
    const facts = this.#timely()
    const verdicts = this.#counting.map((record) =>
      this.#evaluated(() => set.evaluateFor(record.forPolicies(), request, facts, unwatched)),
    )
    return this.#then('policies', all(verdicts), (found) => this.#afterOwn(found))
  }

  /** What is known of sessions, or of what they are held to, may not be so any more. */
  #outOfTouch(lost: NonNullable<Lost>): Decision {
    if (lost === 'policies') return this.withoutPolicies(wording.outOfTouch)
    this.#setAside(this.#held, 'unverified')
    return this.#warned({ verdict: 'noOpinion', source: 'unverified', reason: wording.outOfTouch })
  }

  /** Whoever it was given to, as far as the cluster tells who asks. */
  #whyNotTheirs({ session: { spec } }: SessionRecord): SessionAside | undefined {
    const { providers, issuers } = this.#facts
    const { issuer } = this.#question.asked
    if (providers && !providers.has(spec.identityProviderName ?? '')) return 'other-provider'
    if (issuer === undefined || issuer === spec.identityProviderIssuer) return undefined
    return spec.allowIDPMismatch && (!providers || issuers.has(issuer)) ? undefined : 'other-issuer'
  }

  #afterOwn(verdicts: readonly (PolicyVerdict | undefined)[]): Decision | Promise<Decision> {
    if (verdicts.includes(undefined)) return this.withoutPolicies()
    this.#counting = this.#counting.filter((record, index) => {
      const verdict = verdicts[index]
      if (!verdict?.denied) {
        this.#warnings.push(...(verdict?.warnings ?? []))
        return true
      }
      this.#question.trace?.policy(verdict.policy, verdict.because, record)
      this.#question.trace?.session(record, 'policy')
      this.#forbidden ??= verdict
      return false
    })
    return this.#byCluster()
  }

  #byCluster(): Decision | Promise<Decision> {
    const [first, ...others] = this.#counting
    if (!first) return this.#nothing('none', wording.noSession)
    const groups = others.reduce((all, record) => all.concat(this.#groupsOf(record)), this.#groupsOf(first))
    return this.#then('review', this.#review(groups), (review) => this.#afterReview(review))
  }

  #groupsOf(record: SessionRecord): readonly string[] {
    const { identityProviderName } = record.session.spec
    return record.groups(this.#facts.groupPrefixes(identityProviderName, this.#settings))
  }

  #review(groups: readonly string[]): Review | Promise<Review> {
    const { cluster, asked, trace } = this.#question
    const review = this.#deps.reviews.ask(cluster, groups, asked, unwatched)
    if (!trace) return review
    const told = (found: Review) => {
      trace.review(groups, found)
      return found
    }
    return review instanceof Promise ? review.then(told) : told(review)
  }

  /** Rights add up, so one answer for all groups is enough for no; for yes it must be known whose they are. */
  #afterReview(review: Review): Decision | Promise<Decision> {
    if (review.answer !== 'allowed' || this.#counting.length === 1)
      return this.#settled(this.#counting.map(() => review))
    const each = this.#counting.map((record) => this.#review(this.#groupsOf(record)))
    return this.#then('review', all(each), (reviews) => this.#settled(reviews))
  }

  #settled(reviews: readonly Review[]): Decision {
    let unknown: Extract<Review, { answer: 'unknown' }> | undefined
    let granted: Decision | undefined
    for (const [index, record] of this.#counting.entries()) {
      const review = reviews[index]
      if (review?.answer === 'unknown') unknown ??= review
      const grant = review?.answer === 'allowed' && !granted ? this.#grant(record) : undefined
      granted ??= grant
      this.#question.trace?.session(record, asideAfter(review))
    }
    if (granted) return granted
    const names = this.#counting.map(({ place }) => place.name)
    if (!unknown) return this.#nothing('none', wording.refusedBy(names))
    return this.#nothing(
      unknown.why === wording.overload ? 'overload' : 'unverified',
      wording.unverified(names, unknown.why),
    )
  }

  /** Looked at once more: it may have ended while the cluster was asked. */
  #grant(record: SessionRecord): Decision | undefined {
    const now = this.#deps.clock.now()
    const current = this.#deps.sessions.current(record)
    if (!current?.grants(now)) return undefined
    if (!this.#question.trace && !this.#isOver) this.#deps.activity.used(current.place, now)
    return this.#warned(current.granted)
  }

  #denied({ policy, because, isError }: Denied, hint?: string): Decision {
    const reason =
      hint === undefined ? wording.deniedBy(policy, because) : `${wording.deniedBy(policy, because)} ${hint}`
    return { verdict: 'denied', source: isError ? 'policy-error' : 'policy', reason, policy }
  }

  /** Nobody grants it. Where a policy was in the way of a session, that is why. */
  #nothing(source: DecisionSource, why: string): Decision {
    const { cluster, asked } = this.#question
    const canAsk = this.#deps.escalations.hasOfferFor(cluster, asked, this.#settings.oidcPrefixes)
    const hint = wording.howToAsk(cluster, canAsk, this.#settings)
    if (this.#forbidden) return this.#warned(this.#denied(this.#forbidden, hint))
    return this.#warned({ verdict: 'noOpinion', source, reason: `${why} ${hint}` })
  }

  #warned(decision: Decision): Decision {
    return this.#warnings.length === 0 ? decision : { ...decision, warnings: this.#warnings }
  }

  #late(): Decision {
    this.#isOver = true
    if (!this.#isPastGlobal) {
      this.#setAside(this.#held, 'policy')
      return { verdict: 'denied', source: 'policy-error', reason: wording.policiesLate }
    }
    if (this.#waitsFor === 'policies') return this.withoutPolicies()
    this.#setAside(this.#counting, 'unverified')
    const names = this.#counting.map(({ place }) => place.name)
    return this.#nothing('unverified', wording.unverified(names, 'the cluster did not answer in time'))
  }

  #setAside(records: readonly SessionRecord[], aside: SessionAside): void {
    for (const record of records) this.#question.trace?.session(record, aside)
  }

  /** Undefined: it failed, so nobody knows what it would have said. */
  #evaluated(
    evaluate: () => PolicyVerdict | Promise<PolicyVerdict>,
  ): PolicyVerdict | undefined | Promise<PolicyVerdict | undefined> {
    try {
      const verdict = evaluate()
      return verdict instanceof Promise ? verdict.catch(() => undefined) : verdict
    } catch {
      return undefined
    }
  }

  #then<T>(phase: Phase, value: T | Promise<T>, next: (value: T) => Decision | Promise<Decision>) {
    if (!(value instanceof Promise)) return next(value)
    this.#waitsFor = phase
    const startedMs = this.#deps.clock.now().getTime()
    return value.then((found) => {
      this.#deps.onPhase(phase, this.#deps.clock.now().getTime() - startedMs)
      return next(found)
    })
  }
}

const asideAfter = (review: Review | undefined): SessionAside | undefined => {
  if (review?.answer === 'allowed') return undefined
  return review?.answer === 'unknown' ? 'unverified' : 'refused'
}

/** At once where nothing is waited for. */
const all = <T>(values: readonly (T | Promise<T>)[]): T[] | Promise<T[]> =>
  values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as T[])
