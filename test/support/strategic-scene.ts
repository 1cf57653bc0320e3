import type { Deployment } from 'kubernetes-types/apps/v1.d.ts'
import type { Container, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { deployments } from '../../src/kube/kinds.ts'
import type { KubeObject } from '../../src/kube/objects.ts'
import { startControlPlane } from './control-plane.ts'
import { freshNamespace } from './fresh-namespace.ts'
import { kubeClient } from './kube-client.ts'
import type { RawCall } from './raw-call.ts'
import { rawCall } from './raw-call.ts'
import type { TestScope } from './test-scope.ts'

export const strategicType = 'application/strategic-merge-patch+json'

const pod: PodSpec = {
  containers: [
    {
      name: 'first',
      image: 'example.com/first:1',
      args: ['--a', '--b'],
      env: [
        { name: 'ONE', value: '1' },
        { name: 'TWO', value: '2' },
        { name: 'THREE', value: '3' },
      ],
      ports: [{ containerPort: 80 }, { containerPort: 81, name: 'other' }],
      volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }],
    },
    { name: 'second', image: 'example.com/second:1' },
    { name: 'third', image: 'example.com/third:1' },
  ],
  volumes: [
    { name: 'scratch', emptyDir: {} },
    { name: 'settings', configMap: { name: 'settings' } },
  ],
  tolerations: [
    { key: 'a', operator: 'Exists' },
    { key: 'b', operator: 'Exists' },
  ],
}

/** Without replicas and paused, so that no controller acts on it but for its status. */
const app: Deployment = {
  metadata: { name: 'app', labels: { app: 'app', tier: 'back' } },
  spec: {
    replicas: 0,
    paused: true,
    selector: { matchLabels: { app: 'app' } },
    template: { metadata: { labels: { app: 'app' } }, spec: pod },
  },
}

/** A namespace with a Deployment `app` in it. */
export async function strategicScene(t: TestScope) {
  const plane = await startControlPlane(t)
  const admin = kubeClient(t, plane.connection())
  const namespace = await freshNamespace(t, admin)
  const all = admin.of(deployments, namespace)
  const created = await all.create(app, { fieldManager: 'maker' })
  const patch = (body: unknown, options: { dryRun?: boolean; subresource?: string; fieldManager?: string } = {}) =>
    all.patch('app', { type: 'strategic', body }, options)
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments/app`
  const send = (body: unknown, query: RawCall['query'] = {}, at = path) =>
    rawCall(plane, { method: 'PATCH', path: at, body, query, contentType: strategicType })
  return { plane, admin, namespace, all, created, patch, send, path }
}

/** A patch of the pods that a Deployment makes. */
export const ofPods = (spec: object): object => ({ spec: { template: { spec } } })

export const ofContainer = (name: string, container: object): object => ofPods({ containers: [{ name, ...container }] })

export const podOf = ({ spec }: Deployment): PodSpec => spec?.template.spec ?? { containers: [] }

export const containersOf = (deployment: Deployment): Container[] => podOf(deployment).containers

export const namesOf = (items: readonly { name?: string }[] | undefined): string[] =>
  (items ?? []).map(({ name = '' }) => name)

/** All of an object that a patch decides: without what every write changes, and what a controller adds meanwhile. */
export function lasting<T extends KubeObject>(object: T): T {
  const { status: _, ...rest } = object as T & { status?: unknown }
  const {
    resourceVersion: _version,
    managedFields: _fields,
    annotations,
    generation: _generation,
    ...metadata
  } = rest.metadata ?? {}
  const { 'deployment.kubernetes.io/revision': _revision, ...others } = annotations ?? {}
  const hasOthers = Object.keys(others).length > 0
  return { ...rest, metadata: { ...metadata, ...(hasOthers && { annotations: others }) } } as unknown as T
}
