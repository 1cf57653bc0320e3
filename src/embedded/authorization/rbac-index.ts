import type { ClusterRole, PolicyRule, RoleBinding, Subject } from 'kubernetes-types/rbac/v1.d.ts'
import { goQuote } from '../go-quote.ts'
import { parsed } from '../storage/reading.ts'
import type { Change, Entry, Store } from '../storage/store.ts'
import type { Decision } from './attributes.ts'

const group = 'rbac.authorization.k8s.io'

export const rbacStorage = {
  roles: `roles.${group}`,
  roleBindings: `rolebindings.${group}`,
  clusterRoles: `clusterroles.${group}`,
  clusterRoleBindings: `clusterrolebindings.${group}`,
} as const

/** One subject of one binding. */
export interface Grant {
  /** The namespace it is good for; empty for all and what is in none. */
  readonly namespace: string
  readonly binding: string
  readonly role: { readonly kind: string; readonly name: string }
  /** The answer to whatever its role allows. */
  readonly allowed: Decision
}

/** The grants of one namespace, or of the whole cluster, by who they are for. */
interface Scope {
  readonly users: Map<string, Grant[]>
  readonly groups: Map<string, Grant[]>
}

const noGrants: readonly Grant[] = []
const noRules: readonly PolicyRule[] = []

/** Roles and bindings as an authorizer asks for them, kept current from the store: by subject, never by scanning. */
export class RbacIndex implements Disposable {
  readonly #scopes = new Map<string, Scope>()
  /** By namespace, empty for ClusterRoles, and name. */
  readonly #roles = new Map<string, Map<string, readonly PolicyRule[]>>()
  readonly #subscription: Disposable

  constructor(store: Pick<Store, 'list' | 'subscribe'>) {
    this.#subscription = store.subscribe((changes) => this.#follow(changes))
    for (const storage of Object.values(rbacStorage)) for (const entry of store.list(storage).entries) this.#add(entry)
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]()
  }

  /** Undefined when there is no such role. */
  rules(namespace: string, name: string): readonly PolicyRule[] | undefined {
    return this.#roles.get(namespace)?.get(name)
  }

  rulesOf(grant: Grant): readonly PolicyRule[] | undefined {
    return this.rules(grant.role.kind === 'Role' ? grant.namespace : '', grant.role.name)
  }

  ofUser(namespace: string, user: string): readonly Grant[] {
    return this.#scopes.get(namespace)?.users.get(user) ?? noGrants
  }

  ofGroup(namespace: string, name: string): readonly Grant[] {
    return this.#scopes.get(namespace)?.groups.get(name) ?? noGrants
  }

  #follow(changes: readonly Change[]): void {
    for (const { type, entry, before } of changes) {
      if (!entry.storage.endsWith(group)) continue
      if (before) this.#remove(before)
      if (type !== 'DELETED') this.#add(entry)
    }
  }

  #add(entry: Entry): void {
    const { storage, namespace, name } = entry
    if (storage === rbacStorage.roles || storage === rbacStorage.clusterRoles) {
      inMap(this.#roles, namespace, () => new Map()).set(name, parsed<ClusterRole>(entry).rules ?? noRules)
    } else if (storage === rbacStorage.roleBindings || storage === rbacStorage.clusterRoleBindings) {
      for (const [subject, grant] of grantsOf(entry)) {
        inMap(this.#slot(namespace, subject), subject.key, () => []).push(grant)
      }
    }
  }

  #remove(entry: Entry): void {
    const { storage, namespace, name } = entry
    if (storage === rbacStorage.roles || storage === rbacStorage.clusterRoles) {
      const roles = this.#roles.get(namespace)
      if (roles?.delete(name) && roles.size === 0) this.#roles.delete(namespace)
    } else if (storage === rbacStorage.roleBindings || storage === rbacStorage.clusterRoleBindings) {
      for (const [subject] of grantsOf(entry)) {
        const grants = this.#slot(namespace, subject)
        const left = grants.get(subject.key)?.filter(({ binding }) => binding !== name) ?? []
        if (left.length > 0) grants.set(subject.key, left)
        else grants.delete(subject.key)
      }
      const scope = this.#scopes.get(namespace)
      if (scope && scope.users.size + scope.groups.size === 0) this.#scopes.delete(namespace)
    }
  }

  #slot(namespace: string, { isGroup }: Key): Map<string, Grant[]> {
    const scope = inMap(this.#scopes, namespace, () => ({ users: new Map(), groups: new Map() }))
    return isGroup ? scope.groups : scope.users
  }
}

function inMap<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key)
  if (value === undefined) {
    value = make()
    map.set(key, value)
  }
  return value
}

interface Key {
  readonly isGroup: boolean
  readonly key: string
}

function* grantsOf(entry: Entry): Generator<[Key, Grant]> {
  const { namespace, name } = entry
  const { roleRef, subjects } = parsed<RoleBinding>(entry)
  const kind = namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding'
  const binding = namespace === '' ? name : `${name}/${namespace}`
  for (const subject of subjects ?? []) {
    const key = keyOf(subject, namespace)
    if (!key) continue
    const of = `${roleRef.kind} ${goQuote(roleRef.name)}`
    const reason = `RBAC: allowed by ${kind} ${goQuote(binding)} of ${of} to ${describe(subject, namespace)}`
    yield [key, { namespace, binding: name, role: roleRef, allowed: { verdict: 'allow', reason } }]
  }
}

function keyOf({ kind, name, namespace }: Subject, bindingNamespace: string): Key | undefined {
  switch (kind) {
    case 'User':
      return { isGroup: false, key: name }
    case 'Group':
      return { isGroup: true, key: name }
    case 'ServiceAccount': {
      const home = namespace || bindingNamespace
      return home ? { isGroup: false, key: `system:serviceaccount:${home}:${name}` } : undefined
    }
    default:
      return undefined
  }
}

function describe({ kind, name, namespace }: Subject, bindingNamespace: string): string {
  const whole = kind === 'ServiceAccount' ? `${name}/${namespace || bindingNamespace}` : name
  return `${kind} ${goQuote(whole)}`
}
