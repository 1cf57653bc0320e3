import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import type { ConfigMap, Namespace, Secret, ServiceAccount } from 'kubernetes-types/core/v1.d.ts'
import type { ClusterRole } from 'kubernetes-types/rbac/v1.d.ts'
import type { Run } from '../../core/lifecycle.ts'
import type { Informer } from '../../kube/informer.ts'
import { informer, withoutManagedFields } from '../../kube/informer.ts'
import {
  certificateSigningRequests,
  clusterRoles,
  configMaps,
  namespaces,
  secrets,
  serviceAccounts,
} from '../../kube/kinds.ts'
import type { Selectors } from '../../kube/kube.ts'
import type { KubeObject, Resource } from '../../kube/objects.ts'
import { accountTokenType } from './account-tokens.ts'
import { bootstrapTokenType, tokenNamespace } from './bootstrap-token.ts'
import type { ControllerDeps } from './deps.ts'

/** What the controllers follow. Each is followed once, however many ask, and only if somebody does. */
export interface Informers {
  readonly namespaces: Informer<Namespace>
  readonly certificateRequests: Informer<CertificateSigningRequest>
  readonly clusterRoles: Informer<ClusterRole>
  readonly bootstrapTokens: Informer<Secret>
  /** Those that are to hold a token of a service account. */
  readonly accountTokens: Informer<Secret>
  readonly serviceAccounts: Informer<ServiceAccount>
  /** Those of one name, in every namespace. */
  serviceAccountsNamed(name: string): Informer<ServiceAccount>
  configMapsNamed(name: string): Informer<ConfigMap>
  /** Of all that somebody asked for. */
  runs(): Run[]
}

export function informers({ kube, clock, random, log }: Pick<ControllerDeps, 'kube' | 'clock' | 'random' | 'log'>) {
  const asked = new Map<string, Informer<KubeObject>>()
  const follow = <T extends KubeObject>(
    resource: Resource<T>,
    { namespace, ...selectors }: Selectors & { namespace?: string } = {},
  ): Informer<T> => {
    const id = JSON.stringify([resource.plural, namespace, selectors])
    const known = asked.get(id) as Informer<T> | undefined
    if (known) return known
    const options = { clock, random, log, transform: withoutManagedFields<T>, ...selectors }
    const made = informer(kube.of(resource, namespace), options)
    asked.set(id, made as unknown as Informer<KubeObject>)
    return made
  }
  const named = (name: string) => ({ fieldSelector: `metadata.name=${name}` })
  const followed: Informers = {
    get namespaces() {
      return follow(namespaces)
    },
    get certificateRequests() {
      return follow(certificateSigningRequests)
    },
    get clusterRoles() {
      return follow(clusterRoles)
    },
    get bootstrapTokens() {
      return follow(secrets, { namespace: tokenNamespace, fieldSelector: `type=${bootstrapTokenType}` })
    },
    get accountTokens() {
      return follow(secrets, { fieldSelector: `type=${accountTokenType}` })
    },
    get serviceAccounts() {
      return follow(serviceAccounts)
    },
    serviceAccountsNamed: (name) => follow(serviceAccounts, named(name)),
    configMapsNamed: (name) => follow(configMaps, named(name)),
    runs: () => [...asked.values()].map(({ run }) => run),
  }
  return followed
}
