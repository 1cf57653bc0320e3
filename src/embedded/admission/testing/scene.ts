import type { Kind } from '../../kinds/kind.ts'
import type { Served } from '../../kinds/registry.ts'
import { Registry } from '../../kinds/registry.ts'
import type { ApiObject } from '../../objects.ts'
import { apiVersionOf, resourceName } from '../../objects.ts'
import { ApiFailure } from '../../status.ts'
import type { Change, Entry, Store } from '../../storage/store.ts'
import type { Admitted } from '../admission.ts'

/** A kind with nothing particular about it. */
export function aKind(
  group: string,
  kind: string,
  plural: string,
  more: Partial<Kind> & { versionNames?: string[] } = {},
): Kind {
  const { versionNames = ['v1'], ...rest } = more
  const apiVersion = apiVersionOf(group, versionNames[0] ?? 'v1')
  return {
    group,
    kind,
    listKind: `${kind}List`,
    plural,
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced: true,
    verbs: [],
    versions: versionNames.map((name) => ({ name, schema: {}, columns: [], selectable: {} })),
    storage: resourceName(group, plural),
    storedAs: { apiVersion, kind },
    rules: {},
    subresources: {},
    decode: (sent) => ({ object: sent as ApiObject, flaws: [] }),
    custom: false,
    ...rest,
  }
}

export const kinds = {
  configMaps: aKind('', 'ConfigMap', 'configmaps'),
  pods: aKind('', 'Pod', 'pods'),
  nodes: aKind('', 'Node', 'nodes', { namespaced: false }),
  namespaces: aKind('', 'Namespace', 'namespaces', { namespaced: false }),
  requests: aKind('certificates.k8s.io', 'CertificateSigningRequest', 'certificatesigningrequests', {
    namespaced: false,
  }),
  localReviews: aKind('authorization.k8s.io', 'LocalSubjectAccessReview', 'localsubjectaccessreviews'),
  webhooks: aKind('admissionregistration.k8s.io', 'MutatingWebhookConfiguration', 'mutatingwebhookconfigurations', {
    namespaced: false,
  }),
  widgets: aKind('example.com', 'Widget', 'widgets', { versionNames: ['v1', 'v2'] }),
}

export const registryOf = (...all: Kind[]): Registry => {
  const registry = new Registry()
  for (const kind of all) registry.set(kind)
  return registry
}

export function served(kind: Kind, versionName?: string): Served {
  const version = kind.versions.find(({ name }) => name === versionName) ?? kind.versions[0]
  if (!version) throw new Error('a kind without versions')
  return { kind, version, apiVersion: apiVersionOf(kind.group, version.name) }
}

export function aWrite(
  kind: Kind,
  write: Partial<Omit<Admitted, 'object' | 'old'>> & { object?: object; old?: object } = {},
): Admitted {
  const found = write.served ?? served(kind)
  const whole = (state: object | undefined) =>
    state && ({ apiVersion: found.apiVersion, kind: kind.kind, metadata: { name: 'x' }, ...state } as ApiObject)
  return {
    operation: 'CREATE',
    served: found,
    subresource: '',
    namespace: kind.namespaced ? 'home' : '',
    name: 'x',
    user: { name: 'jane', groups: ['dev'] },
    dryRun: false,
    options: {},
    warn: () => {},
    ...write,
    object: whole(write.object ?? (write.operation === 'DELETE' ? undefined : {})),
    old: whole(write.old),
  }
}

/** What admission reads of a store, in memory. */
export class MemoryStore {
  readonly #entries = new Map<string, Entry>()
  readonly #listeners = new Set<(changes: readonly Change[]) => void>()
  #revision = 0
  lists = 0

  get listeners(): number {
    return this.#listeners.size
  }

  put(storage: string, object: { metadata: { name: string; namespace?: string } }): this {
    const { name, namespace = '' } = object.metadata
    const revision = ++this.#revision
    const entry = { storage, namespace, name, revision, text: JSON.stringify(object), writtenAt: 0 }
    const before = this.get(storage, namespace, name)
    this.#entries.set(`${storage} ${namespace}/${name}`, entry)
    for (const listener of this.#listeners) listener([{ type: before ? 'MODIFIED' : 'ADDED', revision, entry, before }])
    return this
  }

  get(storage: string, namespace: string, name: string): Entry | undefined {
    return this.#entries.get(`${storage} ${namespace}/${name}`)
  }

  asStore(): Store {
    const list = (storage: string) => {
      this.lists++
      const entries = [...this.#entries.values()].filter((entry) => entry.storage === storage)
      return { entries: entries.sort((a, b) => (a.name < b.name ? -1 : 1)), revision: this.#revision, remaining: 0 }
    }
    const subscribe = (listener: (changes: readonly Change[]) => void) => {
      this.#listeners.add(listener)
      return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
    }
    return { get: this.get.bind(this), list, subscribe } as unknown as Store
  }
}

/** The message of the refusal; `admitted` when there is none. */
export const outcome = async (call: Promise<unknown> | undefined): Promise<string> => {
  try {
    await call
    return 'admitted'
  } catch (error) {
    if (error instanceof ApiFailure) return `${error.code} ${error.reason}: ${error.message}`
    throw error
  }
}
