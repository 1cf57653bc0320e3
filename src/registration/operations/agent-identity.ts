import type { Secret as SecretObject } from 'kubernetes-types/core/v1.d.ts'
import type { Connection } from '../../kube/connection.ts'
import type { AccountDeps } from '../drivers/awsirsa/account-identity.ts'
import { agentConnection } from './secret-connection.ts'

/**
 * The hub as the agent itself: by the certificate in its Secret, else by the AWS role of its account. Undefined where no
 * agent wrote the Secret.
 */
export async function agentIdentity(
  secret: SecretObject,
  namespace: string,
  deps: AccountDeps,
  signal: AbortSignal,
): Promise<Connection | undefined> {
  const byCertificate = agentConnection(secret)
  if (byCertificate) return byCertificate
  // On demand: most agents come by certificates.
  const { accountIdentity } = await import('../drivers/awsirsa/account-identity.ts')
  return (await accountIdentity(secret, namespace, deps, signal))?.connection
}
