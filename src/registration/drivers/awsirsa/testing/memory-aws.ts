import type { Failure } from '../../../../core/failure.ts'
import type { AccessEntry, AuthenticationMode, Eks, Iam, Role } from '../clients/ports.ts'
import { failures } from '../failures.ts'

interface MemoryRole extends Role {
  inline: Map<string, string>
  attached: Set<string>
}

type Operation = `iam.${keyof Iam}` | `eks.${keyof Eks}`

/** IAM and EKS in memory, for unit tests: what is stored, every change in order, and failures on demand. */
export class MemoryAws {
  readonly roles = new Map<string, MemoryRole>()
  readonly entries = new Map<string, AccessEntry>()
  mode: AuthenticationMode = 'API'
  /** Whether there is an EKS cluster of the hub's name at all. */
  knowsHub = true
  /** Those that change something, in the order in which they were asked for. */
  readonly changes: Operation[] = []
  calls = 0
  /** Of the credentials. */
  account = '123456789012'
  /** Milliseconds after which reads show a change. What a test changes by hand is shown only without it. */
  readonly lagMs = { iam: 0, eks: 0 }
  readonly #now: () => Date
  readonly #history: { at: number; roles: Map<string, MemoryRole>; entries: Map<string, AccessEntry> }[] = []
  #planned: { operation: Operation; failure: Failure }[] = []

  constructor(now: () => Date = () => new Date(0)) {
    this.#now = now
  }

  /** The next call of this operation fails, and changes nothing. */
  failNext(operation: Operation, failure: Failure): void {
    this.#planned.push({ operation, failure })
  }

  /** What is stored, without what time and chance put in. */
  get stored(): unknown {
    const roles = [...this.roles.values()].map(({ createdAt: _, inline, attached, ...role }) => ({
      ...role,
      inline: Object.fromEntries(inline),
      attached: [...attached],
    }))
    const entries = [...this.entries.values()].map(({ createdAt: _, ...entry }) => entry)
    return structuredClone({ roles, entries })
  }

  readonly iam: Iam = {
    findRole: async (name) => {
      this.#call('iam.findRole')
      const role = this.#shownBy('iam').roles.get(name)
      return role && { name, arn: role.arn, createdAt: role.createdAt, trust: role.trust, tags: role.tags }
    },
    createRole: async ({ name, trust, tags }) => {
      this.#change('iam.createRole')
      if (this.roles.has(name)) throw alreadyThere('iam:CreateRole')
      const arn = `arn:aws:iam::${this.account}:role/${name}`
      const nothing = { inline: new Map<string, string>(), attached: new Set<string>() }
      this.roles.set(name, { name, arn, createdAt: this.#now(), trust, tags, ...nothing })
      return arn
    },
    updateTrust: async (name, trust) => {
      this.#change('iam.updateTrust')
      this.#role(name).trust = trust
    },
    tagRole: async (name, tags) => {
      this.#change('iam.tagRole')
      const role = this.#role(name)
      role.tags = { ...role.tags, ...tags }
    },
    findPolicy: async (name, policy) => {
      this.#call('iam.findPolicy')
      return this.#shownBy('iam').roles.get(name)?.inline.get(policy)
    },
    putPolicy: async (name, policy, document) => {
      this.#change('iam.putPolicy')
      this.#role(name).inline.set(policy, document)
    },
    policiesOf: async (name) => {
      this.#call('iam.policiesOf')
      const role = this.#shownBy('iam').roles.get(name)
      return { inline: [...(role?.inline.keys() ?? [])], attached: [...(role?.attached ?? [])] }
    },
    deletePolicy: async (name, policy) => {
      this.#change('iam.deletePolicy')
      this.roles.get(name)?.inline.delete(policy)
    },
    detachPolicy: async (name, policyArn) => {
      this.#change('iam.detachPolicy')
      this.roles.get(name)?.attached.delete(policyArn)
    },
    deleteRole: async (name) => {
      this.#change('iam.deleteRole')
      const role = this.roles.get(name)
      if (role && role.inline.size + role.attached.size > 0)
        throw failures.AWS_CONFLICT({ operation: 'iam:DeleteRole', code: 'DeleteConflictException' })
      this.roles.delete(name)
    },
  }

  readonly eks: Eks = {
    authenticationMode: async () => {
      this.#call('eks.authenticationMode')
      if (!this.knowsHub) throw notFound('eks:DescribeCluster')
      return this.mode
    },
    findAccessEntry: async (principalArn) => {
      this.#call('eks.findAccessEntry')
      this.#needAccessEntries('eks:DescribeAccessEntry')
      return structuredClone(this.#shownBy('eks').entries.get(principalArn))
    },
    createAccessEntry: async (entry) => {
      this.#change('eks.createAccessEntry')
      this.#needAccessEntries('eks:CreateAccessEntry')
      const { principalArn } = entry
      if (this.entries.has(principalArn)) throw alreadyThere('eks:CreateAccessEntry')
      if (![...this.roles.values()].some(({ arn }) => arn === principalArn))
        throw failures.AWS_INVALID({ operation: 'eks:CreateAccessEntry', code: 'InvalidParameterException' })
      this.entries.set(principalArn, {
        ...entry,
        type: 'STANDARD',
        arn: `entry of ${principalArn}`,
        createdAt: this.#now(),
      })
    },
    updateAccessEntry: async ({ principalArn, ...mapped }) => {
      this.#change('eks.updateAccessEntry')
      Object.assign(this.#entry(principalArn), mapped)
    },
    tagAccessEntry: async (arn, tags) => {
      this.#change('eks.tagAccessEntry')
      const entry = [...this.entries.values()].find((one) => one.arn === arn)
      if (!entry) throw notFound('eks:TagResource')
      entry.tags = { ...entry.tags, ...tags }
    },
    deleteAccessEntry: async (principalArn) => {
      this.#change('eks.deleteAccessEntry')
      this.#needAccessEntries('eks:DeleteAccessEntry')
      this.entries.delete(principalArn)
    },
  }

  #call(operation: Operation): void {
    this.calls += 1
    const planned = this.#planned.findIndex((one) => one.operation === operation)
    if (planned >= 0) throw this.#planned.splice(planned, 1)[0]?.failure
  }

  #change(operation: Operation): void {
    this.#call(operation)
    // What was until now: the change comes after this, and `#shownBy` looks for the first that is newer than the lag.
    this.#history.push({ at: this.#now().getTime(), ...structuredClone({ roles: this.roles, entries: this.entries }) })
    this.changes.push(operation)
  }

  #shownBy(service: 'iam' | 'eks'): { roles: Map<string, MemoryRole>; entries: Map<string, AccessEntry> } {
    const until = this.#now().getTime() - this.lagMs[service]
    return this.#history.find(({ at }) => at > until) ?? this
  }

  #needAccessEntries(operation: string): void {
    if (this.mode === 'CONFIG_MAP' || this.mode === undefined)
      throw failures.AWS_INVALID({ operation, code: 'InvalidRequestException' })
  }

  #role(name: string): MemoryRole {
    const role = this.roles.get(name)
    if (!role) throw notFound('iam')
    return role
  }

  #entry(principalArn: string): AccessEntry {
    const entry = this.entries.get(principalArn)
    if (!entry) throw notFound('eks')
    return entry
  }
}

const notFound = (operation: string) => failures.AWS_NOT_FOUND({ operation, code: 'NoSuchEntityException' })
const alreadyThere = (operation: string) =>
  failures.AWS_ALREADY_THERE({ operation, code: 'EntityAlreadyExistsException' })
