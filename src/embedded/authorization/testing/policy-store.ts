import type { PolicyRule, Subject } from 'kubernetes-types/rbac/v1.d.ts'
import type { ApiObject } from '../../objects.ts'
import type { Change, Entry, Store } from '../../storage/store.ts'
import { rbacStorage } from '../rbac-index.ts'

const apiGroup = 'rbac.authorization.k8s.io'
const storageOf: Readonly<Record<string, string>> = {
  Role: rbacStorage.roles,
  RoleBinding: rbacStorage.roleBindings,
  ClusterRole: rbacStorage.clusterRoles,
  ClusterRoleBinding: rbacStorage.clusterRoleBindings,
}

/** Roles and bindings in memory, as much of a store as an authorizer asks for. */
export class PolicyStore implements Pick<Store, 'list' | 'subscribe'> {
  readonly #entries = new Map<string, Entry>()
  readonly #listeners = new Set<(changes: readonly Change[]) => void>()
  #revision = 0

  constructor(objects: readonly ApiObject[] = []) {
    for (const object of objects) this.put(object)
  }

  put(object: ApiObject): void {
    const { name = '', namespace = '' } = object.metadata
    const storage = storageOf[object.kind] ?? ''
    const key = [storage, namespace, name].join('/')
    const before = this.#entries.get(key)
    const revision = ++this.#revision
    const entry = { storage, namespace, name, revision, text: JSON.stringify(object), writtenAt: 0 }
    this.#entries.set(key, entry)
    this.#tell({ type: before ? 'MODIFIED' : 'ADDED', revision, entry, before })
  }

  remove(kind: string, name: string, namespace = ''): void {
    const key = [storageOf[kind], namespace, name].join('/')
    const before = this.#entries.get(key)
    if (!before) return
    this.#entries.delete(key)
    this.#tell({ type: 'DELETED', revision: ++this.#revision, entry: before, before })
  }

  list(storage: string) {
    const entries = [...this.#entries.values()].filter((entry) => entry.storage === storage)
    return { entries, revision: this.#revision, remaining: 0 }
  }

  subscribe(listener: (changes: readonly Change[]) => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  get listeners(): number {
    return this.#listeners.size
  }

  #tell(change: Change): void {
    for (const listener of this.#listeners) listener([change])
  }
}

const object = (kind: string, name: string, namespace: string | undefined, fields: object): ApiObject => ({
  apiVersion: `${apiGroup}/v1`,
  kind,
  metadata: { name, ...(namespace && { namespace }) },
  ...fields,
})

export const role = (namespace: string, name: string, ...rules: PolicyRule[]) =>
  object('Role', name, namespace, { rules })
export const clusterRole = (name: string, ...rules: PolicyRule[]) => object('ClusterRole', name, undefined, { rules })

/** `Role/name` or `ClusterRole/name`. */
const roleRef = (ref: string) => {
  const [kind, name] = ref.split('/')
  return { apiGroup, kind, name }
}

export const roleBinding = (namespace: string, name: string, ref: string, ...subjects: Subject[]) =>
  object('RoleBinding', name, namespace, { roleRef: roleRef(ref), subjects })
export const clusterRoleBinding = (name: string, ref: string, ...subjects: Subject[]) =>
  object('ClusterRoleBinding', name, undefined, { roleRef: roleRef(ref), subjects })

export const user = (name: string): Subject => ({ apiGroup, kind: 'User', name })
export const group = (name: string): Subject => ({ apiGroup, kind: 'Group', name })
export const account = (name: string, namespace?: string): Subject => ({
  kind: 'ServiceAccount',
  name,
  ...(namespace && { namespace }),
})
