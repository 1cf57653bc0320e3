import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { Stored } from '../../kube/objects.ts'
import { clusterConfigOverview } from './cluster-config-overview.ts'

const metadata = {
  ...{ name: 'west', namespace: 'hub', uid: 'u', resourceVersion: '1', generation: 2 },
  creationTimestamp: '2026-01-01T00:00:00Z',
}
const lastTransitionTime = '2026-01-02T00:00:00Z'
const condition = (type: string, status: 'True' | 'False', reason: string) => ({
  ...{ type, status, reason, message: `${reason}.`, lastTransitionTime },
})
const ref = (name: string) => ({ name, namespace: 'hub' })
const looked = (observedGeneration: number, ...conditions: ReturnType<typeof condition>[]) => ({
  ...{ observedGeneration, conditions, server: 'https://west:6443' },
  tls: { source: 'FirstUse' as const, fingerprint: 'AB:CD' },
})
const config = (spec: ClusterConfig['spec'], status?: ClusterConfig['status'], labels = {}): Stored<ClusterConfig> => ({
  metadata: { ...metadata, labels },
  spec,
  ...(status && { status }),
})

test('what the hub found is told once it found it, and not of an older spec', () => {
  const spec = { kubeconfigSecretRef: ref('west') }
  const ready = [condition('Ready', 'True', 'KubeconfigValidated'), condition('PermissionsVerified', 'False', 'X')]
  const now = clusterConfigOverview(config(spec, looked(2, ...ready)))
  assert.deepEqual(
    [now.ready, now.reason, now.permissions, now.auth, now.fingerprint, now.trust],
    ['True', 'KubeconfigValidated', 'False', 'Kubeconfig', 'AB:CD', 'FirstUse'],
  )
  const before = clusterConfigOverview(config(spec, looked(1, ...ready)))
  assert.deepEqual([before.ready, before.reason, before.permissions], ['Unknown', undefined, 'Unknown'])
  assert.equal(clusterConfigOverview(config(spec)).ready, 'Unknown')
})

test('where it leads, by whom, and what it takes is told before anybody looked', () => {
  const oidcAuth = {
    ...{ issuerURL: 'https://idp', clientID: 'hub', server: 'https://east' },
    clientSecretRef: ref('secret'),
    caSecretRef: ref('secret'),
  }
  const found = clusterConfigOverview(config({ oidcAuth }, undefined, { 'lanyard.io/handover': 'true' }))
  assert.deepEqual(
    [found.auth, found.server, found.issuer, found.secrets, found.madeBy],
    ['OIDC', 'https://east', 'https://idp', ['hub/secret'], 'handover'],
  )
})

test('conditions that should not be True are named', () => {
  const spec = { kubeconfigSecretRef: ref('west') }
  const status = looked(2, condition('Throttled', 'True', 'TooManyRequests'), condition('InsecureTLS', 'False', 'X'))
  assert.deepEqual(clusterConfigOverview(config(spec, status)).warnings, ['Throttled'])
})
