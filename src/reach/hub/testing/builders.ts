/** A ClusterConfig and what a look at it came to, with only what a test cares about. */
import type { ClusterConfig } from '../../../apis/breakglass/cluster-config.ts'
import type { Credential, Note, OpenSpoke } from '../../../fleet/spoke/index.ts'
import { spokeReasons } from '../../../fleet/spoke/index.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { CheckFailure, CheckResult } from '../check.ts'

type Spec = ClusterConfig['spec']

export const aConfig = (over: Partial<Stored<ClusterConfig>> & { generation?: number } = {}): Stored<ClusterConfig> => {
  const { generation = 2, metadata, ...rest } = over
  return {
    apiVersion: 'breakglass.t-caas.telekom.com/v1alpha1',
    kind: 'ClusterConfig',
    spec: { kubeconfigSecretRef: { name: 'west-kubeconfig', namespace: 'fleet' } },
    ...rest,
    metadata: { name: 'west', namespace: 'fleet', uid: 'u', resourceVersion: '1', generation, ...metadata },
  }
}

export const byOidc = (over: Partial<NonNullable<Spec['oidcAuth']>> = {}): Spec => ({
  oidcAuth: {
    issuerURL: 'https://issuer.example',
    clientID: 'hub',
    clientSecretRef: { name: 'client', namespace: 'fleet' },
    server: 'https://west.example:6443',
    ...over,
  },
})

export const aCredential = (over: Partial<Credential> = {}): Credential => ({
  issuer: 'https://issuer.example',
  issuedAt: new Date('2026-01-01T00:00:00Z'),
  expiresAt: new Date('2026-01-01T01:00:00Z'),
  fingerprint: 'AA:BB',
  keptIn: 'memory of the hub',
  ...over,
})

const allowed = (verb: string, resource: string, group = '') => ({ group, resource, verb, isAllowed: true })

export const itWorks = (over: Partial<CheckResult> = {}): CheckResult => ({
  by: 'Kubeconfig',
  server: 'https://west.example:6443',
  trust: { source: 'Kubeconfig', fingerprint: 'CC:DD' },
  credential: aCredential(),
  permissions: [allowed('create', 'subjectaccessreviews', 'authorization.k8s.io'), allowed('get', 'namespaces')],
  notes: [],
  ...over,
})

export const itFails = (
  failure: Partial<CheckFailure> & { over?: Partial<CheckResult> } = {},
): CheckResult & { failure: CheckFailure } => {
  const { over, ...rest } = failure
  const byDefault = { reason: spokeReasons.ClusterUnreachable, code: 'SPOKE_UNREACHABLE', message: 'it is away' }
  return { notes: [], ...over, failure: { ...byDefault, ...rest } }
}

export const anOldKey: Note = { kind: 'old-key', key: 'kubeconfig', wanted: 'value', field: 'spec.kubeconfigSecretRef' }

/** A cluster that answers everything, as far as a test does not say otherwise. */
export const aSpoke = (over: Partial<OpenSpoke> = {}): OpenSpoke => ({
  cluster: 'west',
  namespace: 'fleet',
  by: 'Kubeconfig',
  server: 'https://west.example:6443',
  trust: { source: 'Kubeconfig', ca: 'PEM', fingerprint: 'CC:DD' },
  kube: answering(),
  notes: [],
  credential: async () => aCredential(),
  throttledAt: () => undefined,
  ...over,
})

/** Answers `/version`, and every review with yes, until told otherwise. */
export const answering = (
  over: { version?: (signal?: AbortSignal) => Promise<unknown>; review?: () => Promise<unknown> } = {},
): OpenSpoke['kube'] => {
  const { version = async () => ({ gitVersion: 'v1.36.0' }), review = async () => ({ status: { allowed: true } }) } =
    over
  return {
    request: ({ signal }: { signal?: AbortSignal }) => version(signal),
    of: () => ({ create: review }),
  } as unknown as OpenSpoke['kube']
}
