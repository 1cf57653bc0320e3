/** What the embedded control plane makes of protobuf, beside what a real kube-apiserver makes of the same objects. */
import assert from 'node:assert/strict'
import { request } from 'node:https'
import { test } from 'node:test'
import { resourceFacts } from '../../src/embedded/kinds/facts/facts.ts'
import { parseProtobuf } from '../../src/embedded/kinds/protobuf/decode-protobuf.ts'
import { apiVersionOf } from '../../src/embedded/objects.ts'
import type { ControlPlane } from '../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../support/control-plane.ts'
import { freshNamespace } from '../support/fresh-namespace.ts'
import { kubeClient } from '../support/kube-client.ts'

const template = {
  metadata: { labels: { a: 'b' } },
  spec: {
    terminationGracePeriodSeconds: 0,
    automountServiceAccountToken: false,
    securityContext: { runAsUser: 0, supplementalGroups: [1, 300_000] },
    tolerations: [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 0 }],
    containers: [
      {
        name: 'c',
        image: 'i',
        command: ['', 'x'],
        env: [
          { name: 'A' },
          { name: 'B', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
          { name: 'C', valueFrom: { configMapKeyRef: { name: 'x', key: 'k', optional: false } } },
        ],
        resources: { limits: { cpu: '0.5', memory: '1Gi' } },
        livenessProbe: { tcpSocket: { port: 'web' }, terminationGracePeriodSeconds: 1 },
        readinessProbe: { httpGet: { port: 80, path: '/' } },
      },
    ],
    volumes: [
      { name: 'e', emptyDir: { sizeLimit: '1.5Gi' } },
      { name: 'p', projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 700 } }] } },
    ],
  },
}
const deployment = {
  metadata: { name: 'd' },
  spec: {
    replicas: 0,
    selector: { matchLabels: { a: 'b' } },
    strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } },
    template,
  },
}
const lease = {
  metadata: { name: 'l' },
  spec: { leaseTransitions: 0, acquireTime: '2020-01-01T00:00:00.000001Z', renewTime: '1960-01-01T00:00:00.500000Z' },
}
const configMap = { metadata: { name: 'c' }, data: { a: '', b: 'ü' }, binaryData: { c: '/w==' }, immutable: false }

const protobuf = 'application/vnd.kubernetes.protobuf'

function get({ url, caPem, admin }: ControlPlane, path: string, accept: string): Promise<Buffer> {
  const options = { ca: caPem, cert: admin.certPem, key: admin.keyPem.reveal(), agent: false, headers: { accept } }
  return new Promise((resolve, reject) => {
    const asked = request(new URL(path, url), options, async (answer) =>
      resolve(Buffer.concat(await Array.fromAsync<Buffer>(answer))),
    )
    asked.once('error', reject)
    asked.end()
  })
}

interface Listed {
  items: { metadata: { name: string; namespace?: string; resourceVersion: string } }[]
}

test('what the real one answers in protobuf reads as what it answers in JSON', needsControlPlane, async (t) => {
  const plane = await startControlPlane(t)
  const kube = kubeClient(t, plane.connection())
  const namespace = await freshNamespace(t, kube)
  const create = (path: string, body: object) => kube.request({ method: 'POST', path, body })
  await create(`/apis/apps/v1/namespaces/${namespace}/deployments`, deployment)
  await create(`/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`, lease)
  await create(`/api/v1/namespaces/${namespace}/configmaps`, configMap)
  let compared = 0
  for (const { group, version, name: plural, verbs, namespaced, kind } of resourceFacts()) {
    if (!verbs.includes('list')) continue
    const apiVersion = apiVersionOf(group, version)
    const root = group === '' ? `/api/${version}` : `/apis/${apiVersion}`
    const place = namespaced ? `${root}/namespaces/${namespace}/${plural}` : `${root}/${plural}`
    const { items } = await kube.request<Listed>({ path: place, query: { limit: 20 } })
    for (const { metadata } of items) {
      const path = `${place}/${encodeURIComponent(metadata.name)}`
      const [binary, text] = await Promise.all([get(plane, path, protobuf), get(plane, path, 'application/json')])
      const expected = withoutNulls(JSON.parse(text.toString()))
      const { value } = parseProtobuf(binary, { apiVersion, kind })
      // Another test may have changed or deleted it in between.
      if (versionOf(value) !== versionOf(expected)) continue
      assert.deepEqual(value, expected, path)
      compared++
    }
  }
  assert.ok(compared > 20, `${compared} objects were compared`)
})

const versionOf = (object: unknown): unknown =>
  (object as { metadata?: { resourceVersion?: string } }).metadata?.resourceVersion

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]))
}
