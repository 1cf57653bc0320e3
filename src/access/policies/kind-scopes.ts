/** Which kinds are in namespaces. A review does not tell: `list` without a namespace may be of all of them or of none. */
import type { Clock } from '../../core/clock.ts'
import type { Kube } from '../../kube/kube.ts'

/** Kinds of Kubernetes itself that are in no namespace, so that listing nodes does not depend on discovery. */
const clusterScoped: Readonly<Record<string, readonly string[]>> = Object.assign(Object.create(null), {
  '': ['componentstatuses', 'namespaces', 'nodes', 'persistentvolumes'],
  'admissionregistration.k8s.io': [
    'mutatingadmissionpolicies',
    'mutatingadmissionpolicybindings',
    'mutatingwebhookconfigurations',
    'validatingadmissionpolicies',
    'validatingadmissionpolicybindings',
    'validatingwebhookconfigurations',
  ],
  'apiextensions.k8s.io': ['customresourcedefinitions'],
  'apiregistration.k8s.io': ['apiservices'],
  'certificates.k8s.io': ['certificatesigningrequests', 'clustertrustbundles'],
  'flowcontrol.apiserver.k8s.io': ['flowschemas', 'prioritylevelconfigurations'],
  'networking.k8s.io': ['ingressclasses', 'ipaddresses', 'servicecidrs'],
  'node.k8s.io': ['runtimeclasses'],
  'rbac.authorization.k8s.io': ['clusterrolebindings', 'clusterroles'],
  'scheduling.k8s.io': ['priorityclasses'],
  'storage.k8s.io': ['csidrivers', 'csinodes', 'storageclasses', 'volumeattachments', 'volumeattributesclasses'],
})

/** Undefined: only the cluster knows. The core group has no kinds but those that Kubernetes gave it. */
export function isKnownNamespaced(group: string, resource: string): boolean | undefined {
  if (clusterScoped[group]?.includes(resource)) return false
  return group === '' ? true : undefined
}

/** A kind may be removed and defined again with another scope. */
const validMs = 60_000
/** What is not served may be from the next moment on, and people may ask for it as often as they like. */
const absentMs = 5_000

const discovery = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

interface GroupDiscoveryList {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string }
    readonly versions?: readonly {
      readonly freshness?: string
      readonly resources?: readonly { readonly resource?: string; readonly scope?: string }[]
    }[]
  }[]
}

/** By `resource.group`. False only where every version of the group was read and none has it in namespaces. */
type Scopes = ReadonlyMap<string, boolean>

export interface KindScopes {
  /** Undefined: the cluster does not say, or serves no such kind. */
  isNamespaced(group: string, resource: string): Promise<boolean | undefined>
}

/** What the cluster's discovery says, read once for all who ask at the time. */
export function kindScopes(kube: Kube, clock: Pick<Clock, 'now'>, signal: AbortSignal): KindScopes {
  let read: { readonly scopes: Scopes; readonly atMs: number } | undefined
  let reading: Promise<Scopes> | undefined

  function readAgain(): Promise<Scopes> {
    reading ??= kube
      .request<GroupDiscoveryList>({ path: '/apis', accept: discovery, signal })
      .then((list) => {
        const scopes = scopesIn(list)
        read = { scopes, atMs: clock.now().getTime() }
        return scopes
      })
      .finally(() => {
        reading = undefined
      })
    return reading
  }

  return {
    async isNamespaced(group, resource) {
      const name = `${resource}.${group}`
      const ageMs = read ? clock.now().getTime() - read.atMs : Number.POSITIVE_INFINITY
      const known = read?.scopes.get(name)
      const isRecent = ageMs >= 0 && ageMs < (known === undefined ? absentMs : validMs)
      return isRecent ? known : (await readAgain()).get(name)
    },
  }
}

function scopesIn({ items = [] }: GroupDiscoveryList): Scopes {
  const scopes = new Map<string, boolean>()
  for (const { metadata, versions = [] } of items) {
    // A version whose server does not answer may have more kinds, and may have them in namespaces.
    const isWhole = versions.every(({ freshness }) => freshness === 'Current')
    for (const { resource = '', scope } of versions.flatMap(({ resources = [] }) => resources)) {
      const name = `${resource}.${metadata?.name ?? ''}`
      if (scope === 'Namespaced') scopes.set(name, true)
      else if (scope === 'Cluster' && isWhole && !scopes.has(name)) scopes.set(name, false)
    }
  }
  return scopes
}
