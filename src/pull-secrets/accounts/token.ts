import type { Secret } from '../../core/secret.ts'
import type { PullDeps } from '../deps.ts'
import { failures } from '../failures.ts'
import type { CredentialRow } from './contract.ts'

export function openToken({ vault }: Pick<PullDeps, 'vault'>, row: CredentialRow): Secret {
  if (!row.token) throw failures.PULL_TOKEN_UNREADABLE({ credential: row.id })
  return vault.open(
    { credentialId: row.id, registryId: row.registry_id, instanceId: row.hyperfleet_instance_id },
    row.token,
  )
}
