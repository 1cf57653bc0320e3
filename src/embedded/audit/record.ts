import type { User } from '../authentication/user.ts'
import type { Attributes, Decision, ResourceAttributes } from '../authorization/attributes.ts'
import { isAboutPath } from '../authorization/attributes.ts'
import type { Rules } from '../kinds/kind.ts'
import type { ApiObject } from '../objects.ts'
import type { Answer, WholeAnswer } from '../requests/answer.ts'
import { isWatchAnswer } from '../requests/answer.ts'
import { ApiFailure } from '../status.ts'
import { StorageFailure } from '../storage/store.ts'
import { answerText, asDeleteOptions, isStatus, sentText, statusOf, withoutManagedFields } from './bodies.ts'
import { decide } from './decide.ts'
import type { EventFacts, ObjectRef } from './event.ts'
import { eventLine, microTime } from './event.ts'
import type { Policy, Stage, Wanted } from './policy.ts'
import { nothing } from './policy.ts'
import { isSensitive, issuedCredential } from './sensitive.ts'

export interface RecordDeps {
  policy: Policy
  write(line: string): void
  /** Running time, in milliseconds. */
  elapsed(): number
}

/** What a request brings before anybody knows who asks. */
export type Asked = Pick<EventFacts, 'id' | 'uri' | 'sourceIps' | 'userAgent'>

const longRunning = new Set(['attach', 'exec', 'proxy', 'log', 'portforward'])

/** One request on its way through the server, told step by step. What the policy does not want costs next to nothing. */
export class RequestRecord {
  readonly #deps: RecordDeps
  readonly #asked: Asked
  readonly #receivedAt: Date
  readonly #startedAt: number
  #wanted: Wanted = nothing
  #attributes: Attributes | undefined
  #facts: EventFacts | undefined
  #body: Buffer | undefined
  #isSensitive = false
  #isStarted = false
  #isOver = false
  #hasPanicked = false

  constructor(deps: RecordDeps, asked: Asked, receivedAt: Date) {
    this.#deps = deps
    this.#asked = asked
    this.#receivedAt = receivedAt
    this.#startedAt = deps.elapsed()
  }

  /** It is known who asks, not yet whether they may. */
  received(attributes: Attributes, annotations: Readonly<Record<string, string>> = {}): void {
    this.#begin(attributes, attributes.user)
    for (const [key, value] of Object.entries(annotations)) this.#annotate(key, value)
    this.#tell('RequestReceived')
  }

  /** By a right that is for this only, and not by the one of old. */
  constrainedBy(impersonationConstraint: string): void {
    if (this.#facts) this.#facts.impersonationConstraint = impersonationConstraint
  }

  impersonates(user: User): void {
    if (this.#facts) this.#facts.impersonatedUser = user
  }

  decided(decision: Decision): void {
    if (!this.#facts) return
    const isUnknown = decision.verdict !== 'allow' && decision.error !== undefined
    if (!isUnknown) this.#annotate('authorization.k8s.io/decision', decision.verdict === 'allow' ? 'allow' : 'forbid')
    this.#annotate('authorization.k8s.io/reason', isUnknown ? 'internal error' : decision.reason)
  }

  /** What is asked for is on its way out. */
  deprecated(): void {
    if (this.#facts) this.#annotate('k8s.io/deprecated', 'true')
  }

  /** The body has arrived. */
  read(bytes: Buffer): Buffer {
    this.#body = bytes
    return bytes
  }

  /** The object in the body, as it was decoded. It is written down with its defaults, and may be changed afterwards. */
  sent(object: ApiObject, { defaults }: Pick<Rules, 'defaults'> = {}): void {
    const facts = this.#facts
    if (!facts) return
    const { name = '', namespace = '', uid = '', resourceVersion = '' } = object.metadata
    const ref = facts.objectRef
    if (ref)
      facts.objectRef = { ...ref, name: ref.name || name, namespace: ref.namespace || namespace, uid, resourceVersion }
    if (!this.#holdsRequest) return
    const { kind, apiVersion, ...rest } = structuredClone(object)
    const whole: ApiObject = { kind, apiVersion, ...rest }
    defaults?.(whole)
    facts.requestObject = this.#shown(JSON.stringify(whole))
  }

  /** In the body of a delete. */
  sentOptions(options: object): void {
    if (this.#facts && this.#holdsRequest) this.#facts.requestObject = JSON.stringify(asDeleteOptions(options))
  }

  /** Instead of an answer, an error. `attributes` are for those who were not even let in. */
  failed(error: unknown, attributes: Attributes): void {
    if (!this.#attributes) this.#begin(attributes, undefined)
    this.#hasPanicked = !(error instanceof ApiFailure || error instanceof StorageFailure)
  }

  /** A watch begins. */
  started(): void {
    if (!this.#facts) return
    this.#facts.responseStatus = { metadata: {}, code: 200 }
    this.#isStarted = true
    this.#tell('ResponseStarted')
  }

  /** There is nothing more to come. */
  completed(answer: Answer): void {
    const facts = this.#facts
    if (!facts || this.#isOver) return
    this.#isOver = true
    if (this.#hasPanicked) facts.responseStatus = panicked
    else if (isWatchAnswer(answer)) facts.responseStatus = { metadata: {}, code: 200 }
    else if (this.#isSensitive) this.#answeredSensitive(facts, answer)
    else this.#answered(facts, answer)
    // The real server writes nothing else of those whom it does not know.
    if (!this.#isStarted && (!facts.user || this.#isLongRunning)) this.#tell('ResponseStarted')
    if (facts.user) this.#tell(this.#hasPanicked ? 'Panic' : 'ResponseComplete')
  }

  #begin(attributes: Attributes, user: User | undefined): void {
    this.#attributes = attributes
    this.#wanted = decide(this.#deps.policy, attributes, user)
    if (this.#wanted.level === 'None') return
    const about = isAboutPath(attributes) ? undefined : attributes
    this.#isSensitive = about !== undefined && isSensitive(about)
    this.#facts = {
      ...this.#asked,
      level: this.#isSensitive ? 'Metadata' : this.#wanted.level,
      verb: attributes.verb,
      user,
      ...(about && { objectRef: refTo(about) }),
    }
  }

  #answered(facts: EventFacts, answer: WholeAnswer): void {
    facts.responseStatus = statusOf(answer)
    if (this.#holdsRequest && this.#body && facts.verb === 'patch') {
      const text = sentText(this.#body)
      if (text !== undefined) facts.requestObject = text
    }
    if (facts.level !== 'RequestResponse' || !(this.#isAboutObjects || isStatus(answer))) return
    const text = answerText(answer)
    if (text !== undefined) facts.responseObject = this.#shown(text)
  }

  /** A message may quote the body that it is about, and so may its details. */
  #answeredSensitive(facts: EventFacts, answer: WholeAnswer): void {
    const status = statusOf(answer)
    const { message: _message, details: _details, ...withoutWords } = status
    facts.responseStatus = this.#body?.length ? withoutWords : status
    const issued = facts.objectRef?.subresource === 'token' ? issuedCredential(answer.body) : undefined
    if (issued) this.#annotate('authentication.kubernetes.io/issued-credential-id', issued)
  }

  #shown(text: string): string {
    return this.#wanted.omitManagedFields ? withoutManagedFields(text) : text
  }

  get #holdsRequest(): boolean {
    return this.#facts !== undefined && this.#facts.level !== 'Metadata'
  }

  /** Paths that lead to objects, and to what tells which there are. */
  get #isAboutObjects(): boolean {
    const path = this.#attributes?.path
    return path === undefined || /^\/apis?(\/|$)/.test(path)
  }

  get #isLongRunning(): boolean {
    const attributes = this.#attributes
    if (!attributes || isAboutPath(attributes)) return false
    return attributes.verb === 'watch' || longRunning.has(attributes.subresource)
  }

  #annotate(key: string, value: string): void {
    if (this.#facts) this.#facts.annotations = { ...this.#facts.annotations, [key]: value }
  }

  #tell(stage: Stage): void {
    if (!this.#facts || this.#wanted.omitStages.has(stage)) return
    const elapsedMs = stage === 'RequestReceived' ? 0 : this.#deps.elapsed() - this.#startedAt
    const [received, now] = [microTime(this.#receivedAt, 0), microTime(this.#receivedAt, elapsedMs)]
    this.#deps.write(eventLine(this.#facts, stage, received, now))
  }
}

const refTo = ({ resource, namespace, name, group, version, subresource }: ResourceAttributes): ObjectRef => ({
  resource,
  namespace,
  name,
  uid: '',
  apiGroup: group,
  apiVersion: version,
  resourceVersion: '',
  subresource,
})

const panicked = {
  metadata: {},
  status: 'Failure',
  message: "APIServer panic'd: see the log of the control plane",
  reason: 'InternalError',
  code: 500,
}
