/** The least of each kind that the API accepts, for tests that care about the kind and not about what it says. */
import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from 'kubernetes-types/admissionregistration/v1.d.ts'
import type { DaemonSet, Deployment, ReplicaSet } from 'kubernetes-types/apps/v1.d.ts'
import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import type { Endpoints, Event, Node, Pod, Service } from 'kubernetes-types/core/v1.d.ts'
import type { Event as NewEvent } from 'kubernetes-types/events/v1.d.ts'
import { resource } from '../../src/kube/objects.ts'
import { createRequest, generateKey } from '../../src/pki/index.ts'
import { base64 } from './kind-scene.ts'

export const endpoints = resource<Endpoints>('v1', 'Endpoints', 'endpoints')
export const daemonSets = resource<DaemonSet>('apps/v1', 'DaemonSet', 'daemonsets')
export const replicaSets = resource<ReplicaSet>('apps/v1', 'ReplicaSet', 'replicasets')
export const newEvents = resource<NewEvent>('events.k8s.io/v1', 'Event', 'events')

const labels = { app: 'sample' }

/** No replicas: a real control plane acts on it otherwise. */
const workload = (image: string) => ({
  selector: { matchLabels: labels },
  template: { metadata: { labels }, spec: { containers: [{ name: 'main', image }] } },
})

export const aPod = (name: string): Pod => ({
  metadata: { name },
  spec: { automountServiceAccountToken: false, containers: [{ name: 'main', image: 'example.com/app:1' }] },
})

export const aDeployment = (name: string, image = 'example.com/app:1'): Deployment => ({
  metadata: { name },
  spec: { replicas: 0, ...workload(image) },
})

export const aReplicaSet = (name: string): ReplicaSet => ({
  metadata: { name },
  spec: { replicas: 0, ...workload('example.com/app:1') },
})

/** Its pods fit no node. */
export const aDaemonSet = (name: string): DaemonSet => {
  const { selector, template } = workload('example.com/app:1')
  return {
    metadata: { name },
    spec: { selector, template: { ...template, spec: { ...template.spec, nodeSelector: { 'no-such': 'node' } } } },
  }
}

export const aHeadlessService = (name: string): Service => ({
  metadata: { name },
  spec: { clusterIP: 'None', selector: labels, ports: [{ port: 80 }] },
})

export const someEndpoints = (name: string): Endpoints => ({
  metadata: { name },
  subsets: [{ addresses: [{ ip: '10.1.2.3' }], ports: [{ port: 80 }] }],
})

export const aNode = (name: string): Node => ({ metadata: { name }, spec: { unschedulable: true } })

export const anEvent = (name: string, namespace: string, event: Partial<Event> = {}): Event => ({
  metadata: { name, namespace },
  involvedObject: { kind: 'Pod', namespace, name: 'web' },
  ...event,
})

export const aNewEvent = (name: string, namespace: string, event: Partial<NewEvent> = {}): NewEvent => ({
  metadata: { name, namespace },
  eventTime: '2026-01-02T03:04:05.000006Z',
  type: 'Normal',
  reason: 'Tested',
  action: 'Test',
  reportingController: 'example.com/tester',
  reportingInstance: 'tester-1',
  regarding: { kind: 'Pod', namespace, name: 'web' },
  ...event,
})

/** Asks a signer that nobody is. */
export async function aSigningRequest(
  name: string,
  spec: Partial<CertificateSigningRequest['spec']> = {},
): Promise<CertificateSigningRequest> {
  const { keyPem } = generateKey()
  const request = base64(await createRequest({ keyPem, subject: { commonName: 'sample' } }))
  return { metadata: { name }, spec: { request, signerName: 'example.com/nobody', usages: ['client auth'], ...spec } }
}

/** Is never asked: nothing is in its group. */
export const aWebhook = {
  name: 'sample.tests.example.com',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  clientConfig: { url: 'https://127.0.0.1:1/never' },
  rules: [{ operations: ['CREATE'], apiGroups: ['nothing.example.com'], apiVersions: ['v1'], resources: ['nothings'] }],
}

export const aValidatingConfiguration = (name: string, ...webhooks: object[]): ValidatingWebhookConfiguration =>
  ({ metadata: { name }, webhooks }) as ValidatingWebhookConfiguration

export const aMutatingConfiguration = (name: string, ...webhooks: object[]): MutatingWebhookConfiguration =>
  ({ metadata: { name }, webhooks }) as MutatingWebhookConfiguration
