/** Views as JSON: snake_case, RFC 3339. */
import type { Registries } from '../registries/entry.ts'
import type { CredentialView, PoolView, PullSecret, RegistryProgress, RotationView } from '../service.ts'
import { rotationPath, secretPath } from './paths.ts'

type Json = Record<string, unknown>

export const presentCredential = (view: CredentialView): Json => ({
  kind: 'Credential',
  id: view.id,
  registry_id: view.registryId,
  username: view.username,
  generation: view.generation,
  state: view.state,
  ...times({ created_time: view.createdAt, issued_time: view.issuedAt, expires_time: view.expiresAt }),
})

const presentSecretFacts = (secret: PullSecret): Json => ({
  kind: 'PullSecret',
  id: secret.clusterId,
  href: secretPath(secret.clusterId),
  cluster_id: secret.clusterId,
  generation: secret.generation,
  ...times({ created_time: secret.createdAt, last_rotated_time: secret.lastRotatedAt }),
})

/** The one place where tokens leave. */
export const presentPullSecret = (secret: PullSecret, { withCredentials }: { withCredentials: boolean }): Json => ({
  ...presentSecretFacts(secret),
  pull_secret: JSON.parse(secret.document.json.reveal()),
  ...(withCredentials && { credentials: secret.credentials.map(presentCredential) }),
})

export const presentResumed = (secret: PullSecret): Json => ({
  ...presentSecretFacts(secret),
  credentials: secret.credentials.map(presentCredential),
})

export const isPending = (registries: RegistryProgress): boolean => Object.values(registries).includes('pending')

const presentProgress = (registries: RegistryProgress): Json[] =>
  Object.entries(registries)
    .map(([registry_id, state]) => ({ registry_id, state }))
    .toSorted((a, b) => (a.registry_id < b.registry_id ? -1 : 1))

export const presentDeletion = (cluster: string, registries: RegistryProgress): Json => ({
  kind: 'PullSecretDeletion',
  cluster_id: cluster,
  registries: presentProgress(registries),
})

export const presentSuspension = (cluster: string, registries: RegistryProgress): Json => ({
  kind: 'PullSecretSuspension',
  cluster_id: cluster,
  state: isPending(registries) ? 'suspending' : 'suspended',
  registries: presentProgress(registries),
})

export const presentRotation = (view: RotationView): Json => ({
  kind: 'PullSecretRotation',
  id: view.id,
  href: rotationPath(view.clusterId, view.id),
  cluster_id: view.clusterId,
  status: view.status,
  progress: { ...(view.phase && { phase: view.phase }) },
  reason: view.reason,
  force_immediate: view.forceImmediate,
  requested_by: view.requestedBy,
  ...(view.lastError !== undefined && { last_error: view.lastError }),
  ...times({
    grace_deadline_time: view.graceDeadline,
    confirmed_time: view.confirmedAt,
    completed_time: view.completedAt,
    cancelled_time: view.cancelledAt,
    created_time: view.createdAt,
    updated_time: view.updatedAt,
  }),
})

export const presentPool = (view: PoolView): Json => ({
  kind: 'Pool',
  id: view.registryId,
  registry_id: view.registryId,
  size: view.size,
  high: view.high,
  low: view.low,
  is_low: view.isLow,
})

export const presentRegistries = ({ entries }: Registries): Json[] =>
  entries.map(({ id, name, type, host, credentialSource, required }) => ({
    kind: 'Registry',
    id,
    name,
    type,
    host,
    ...(credentialSource !== undefined && { credential_source: credentialSource }),
    required,
  }))

/** Those that there are. */
export const times = (moments: Readonly<Record<string, Date | null | undefined>>): Json =>
  Object.fromEntries(Object.entries(moments).flatMap(([name, at]) => (at ? [[name, at.toISOString()]] : [])))
