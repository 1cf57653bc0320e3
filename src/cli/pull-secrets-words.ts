/** What the REST API answers, as far as commands show it. */

export interface CredentialItem {
  id: string
  cluster_id?: string
  registry_id: string
  username: string
  generation: number
  state: string
  created_time: string
  issued_time?: string
  expires_time?: string
}

export interface PullSecretItem {
  cluster_id: string
  pull_secret: { auths: Record<string, { auth: string }> }
  credentials?: CredentialItem[]
  generation: number
  created_time: string
  last_rotated_time?: string
}

export interface RotationItem {
  id: string
  cluster_id: string
  status: 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled'
  progress?: { phase?: string }
  reason: string
  force_immediate: boolean
  requested_by?: string
  grace_deadline_time?: string
  last_error?: string
  created_time: string
  completed_time?: string
}

export interface RegistryItem {
  id: string
  name?: string
  type: string
  host: string
  credential_source?: string
  required: boolean
}

export interface PoolItem {
  registry_id: string
  size: number
  high: number
  low: number
  is_low: boolean
}

export interface ClusterItem {
  cluster_id: string
  cloud_provider: string
  region: string
  state: 'active' | 'suspending' | 'suspended' | 'resuming' | 'deleting'
  generation: number
  created_time: string
  last_rotated_time?: string
}

/** Per registry, whether what was asked for has happened outside. */
export interface ProgressItem {
  registries?: { registry_id: string; state: 'done' | 'pending' }[]
}

export const clusterPath = (cluster: string): string => `/clusters/${encodeURIComponent(cluster)}/pull-secrets`
