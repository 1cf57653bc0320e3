/** What the reference page shows. A test checks each by its schema. */
import { rotationPath, secretPath } from './paths.ts'

export const clusterId = '019466a0-8f8e-7abc-9def-0123456789ab'
export const rotationId = '019a1b2c-3d4e-7f60-8a9b-0c1d2e3f4a5b'
const at = '2026-01-15T10:30:00.000Z'

export const generateBody = { cloud_provider: 'gcp', region: 'us-east1' }

const username = 'redhat-openshift+hyperfleet_gcp_useast1_a1b2c3d4e5f64789'
// The worked value of the format: a user and the word TOKEN, no secret of anybody's.
const auth = Buffer.from(`${username}:TOKEN`).toString('base64')

export const credential = {
  kind: 'Credential',
  id: '019a1b2c-0000-7000-8000-000000000001',
  cluster_id: clusterId,
  registry_id: 'quay',
  username,
  generation: 0,
  state: 'active',
  created_time: at,
  issued_time: at,
}

const facts = {
  kind: 'PullSecret',
  id: clusterId,
  href: secretPath(clusterId),
  cluster_id: clusterId,
  generation: 1,
  created_time: at,
}

export const pullSecret = {
  ...facts,
  pull_secret: { auths: { 'cloud.openshift.com': { auth }, 'quay.io': { auth } } },
  credentials: [credential],
}

export const resumed = { ...facts, generation: 2, credentials: [{ ...credential, generation: 1 }] }

const registries = (redhat: string) => [
  { registry_id: 'quay', state: 'done' },
  { registry_id: 'redhat', state: redhat },
]
export const deletion = { kind: 'PullSecretDeletion', cluster_id: clusterId, registries: registries('pending') }
const suspensionOf = (state: string, redhat: string) => ({
  kind: 'PullSecretSuspension',
  cluster_id: clusterId,
  state,
  registries: registries(redhat),
})
export const suspension = suspensionOf('suspended', 'done')
export const suspending = suspensionOf('suspending', 'pending')

export const rotation = {
  kind: 'PullSecretRotation',
  id: rotationId,
  href: rotationPath(clusterId, rotationId),
  cluster_id: clusterId,
  status: 'in_progress',
  progress: { phase: 'dual' },
  reason: 'manual',
  force_immediate: false,
  requested_by: 'someone@example.com',
  grace_deadline_time: '2026-01-22T10:30:00.000Z',
  created_time: at,
  updated_time: at,
}

export const cluster = {
  kind: 'PullSecretCluster',
  id: clusterId,
  href: secretPath(clusterId),
  cluster_id: clusterId,
  cloud_provider: 'gcp',
  region: 'us-east1',
  owner: 'org-1',
  state: 'active',
  generation: 1,
  created_time: at,
  updated_time: at,
}

export const registry = {
  kind: 'Registry',
  id: 'cloud-openshift',
  name: 'OpenShift cloud',
  type: 'Quay',
  host: 'cloud.openshift.com',
  credential_source: 'quay',
  required: true,
}

export const pool = { kind: 'Pool', id: 'quay', registry_id: 'quay', size: 80, high: 100, low: 25, is_low: false }

export const listOf = (kind: string, item: unknown) => ({ kind, page: 1, size: 1, total: 1, items: [item] })
