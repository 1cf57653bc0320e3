import type { Environment } from '@marcbachmann/cel-js'
import type { User } from '../authentication/user.ts'
import { serviceAccountGroups, serviceAccountName } from '../authentication/user.ts'
import type { Attributes, Decision, ResourceAttributes } from '../authorization/attributes.ts'
import { dnsLabelFlaws, dnsSubdomainFlaws } from '../kinds/names.ts'

/** Expressions cannot wait: a decision is there at once, or this throws. */
export type Decide = (attributes: Attributes) => Decision

/** What a request is about, without what is done to it. */
export type RequestResource = Pick<ResourceAttributes, 'group' | 'resource' | 'subresource' | 'namespace' | 'name'>

/** The value of a variable of the type `authorizer`: it tells what this user may do. */
export class CelAuthorizer {
  readonly user: User
  readonly decide: Decide
  /** A field of the variable alone: of who asks, not of a service account asked about instead. */
  readonly requestResource: ResourceCheck | undefined

  constructor(user: User, decide: Decide, resource?: RequestResource) {
    this.user = user
    this.decide = decide
    this.requestResource = resource && new ResourceCheck({ user, version: '*', ...resource }, decide)
  }
}

class PathCheck {
  readonly #about: { readonly user: User; readonly path: string }
  readonly #decide: Decide

  constructor({ user, decide }: CelAuthorizer, path: string) {
    this.#about = { user, path }
    this.#decide = decide
  }

  check(verb: string): AccessDecision {
    return new AccessDecision(this.#decide({ ...this.#about, verb }))
  }
}

class GroupCheck {
  readonly asker: CelAuthorizer
  readonly group: string

  constructor(asker: CelAuthorizer, group: string) {
    this.asker = asker
    this.group = group
  }
}

type AboutResource = Omit<ResourceAttributes, 'verb'>

class ResourceCheck {
  readonly #about: AboutResource
  readonly #decide: Decide

  constructor(about: AboutResource, decide: Decide) {
    this.#about = about
    this.#decide = decide
  }

  with(part: Partial<AboutResource>): ResourceCheck {
    return new ResourceCheck({ ...this.#about, ...part }, this.#decide)
  }

  check(verb: string): AccessDecision {
    return new AccessDecision(this.#decide({ ...this.#about, verb }))
  }
}

class AccessDecision {
  readonly allowed: boolean
  readonly reason: string
  readonly error: string | undefined

  constructor(decision: Decision) {
    this.allowed = decision.verdict === 'allow'
    this.reason = decision.reason
    this.error = decision.verdict === 'allow' ? undefined : decision.error
  }
}

const inAuthorization = <T extends string>(name: T) => `kubernetes.authorization.${name}` as const
const types = {
  authorizer: inAuthorization('Authorizer'),
  path: inAuthorization('PathCheck'),
  group: inAuthorization('GroupCheck'),
  resource: inAuthorization('ResourceCheck'),
  decision: inAuthorization('Decision'),
}

/** The name of the type that variables which are an authorizer have. */
export const authorizerType = types.authorizer

/** Without fields declared, the library would let expressions read the members of the classes. */
const noFields = {}

export function addAuthorizer(environment: Environment): void {
  environment.registerType(types.resource, { ctor: ResourceCheck, fields: noFields })
  environment.registerType(types.authorizer, { ctor: CelAuthorizer, fields: { requestResource: types.resource } })
  environment.registerType(types.path, { ctor: PathCheck, fields: noFields })
  environment.registerType(types.group, { ctor: GroupCheck, fields: noFields })
  environment.registerType(types.decision, { ctor: AccessDecision, fields: noFields })
  addQuestions(environment)
  addAnswers(environment)
}

function addQuestions(environment: Environment): void {
  environment.registerFunction(
    `${types.authorizer}.serviceAccount(string, string): ${types.authorizer}`,
    ({ decide }: CelAuthorizer, namespace: string, name: string) =>
      new CelAuthorizer(serviceAccount(namespace, name), decide),
  )
  environment.registerFunction(
    `${types.authorizer}.path(string): ${types.path}`,
    (asker: CelAuthorizer, path: string) => new PathCheck(asker, notBlank('path', path)),
  )
  environment.registerFunction(
    `${types.authorizer}.group(string): ${types.group}`,
    (asker: CelAuthorizer, group: string) => new GroupCheck(asker, group),
  )
  environment.registerFunction(
    `${types.group}.resource(string): ${types.resource}`,
    ({ asker: { user, decide }, group }: GroupCheck, resource: string) =>
      new ResourceCheck({ user, version: '*', group, resource: notBlank('resource', resource), ...whole }, decide),
  )
  for (const part of ['subresource', 'namespace', 'name', 'fieldSelector', 'labelSelector'] as const)
    environment.registerFunction(
      `${types.resource}.${part}(string): ${types.resource}`,
      (resource: ResourceCheck, value: string) => resource.with({ [part]: value }),
    )
}

const whole = { subresource: '', namespace: '', name: '' }

function addAnswers(environment: Environment): void {
  for (const type of [types.path, types.resource])
    environment.registerFunction(
      `${type}.check(string): ${types.decision}`,
      (asked: PathCheck | ResourceCheck, verb: string) => asked.check(verb),
    )
  const answer = (signature: string, read: (decision: AccessDecision) => boolean | string) =>
    environment.registerFunction(`${types.decision}.${signature}`, read)
  answer('allowed(): bool', ({ allowed }) => allowed)
  answer('reason(): string', ({ reason }) => reason)
  answer('errored(): bool', ({ error }) => error !== undefined)
  answer('error(): string', ({ error = '' }) => error)
}

function notBlank(what: string, text: string): string {
  if (text.trim() === '') throw new Error(`${what} must not be empty`)
  return text
}

/** Of the groups of one that is authenticated only its own, as Kubernetes has it. */
function serviceAccount(namespace: string, name: string): User {
  if (dnsSubdomainFlaws(name).length > 0) throw new Error('Invalid service account name')
  if (dnsLabelFlaws(namespace).length > 0) throw new Error('Invalid service account namespace')
  return { name: serviceAccountName(namespace, name), groups: serviceAccountGroups(namespace) }
}
