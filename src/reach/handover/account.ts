import type { ServiceAccount } from 'kubernetes-types/core/v1.d.ts'
import type { GrantedToken } from '../../fleet/account-token.ts'
import { requestToken as requestAccountToken } from '../../fleet/account-token.ts'
import { managedBy } from '../../fleet/manifests/manifest.ts'
import { handoverAccount, spokeLabels } from '../../fleet/spoke/names.ts'
import { ensure } from '../../fleet/wanted/ensure.ts'
import type { Named } from '../../fleet/wanted/named.ts'
import { serviceAccounts } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'
import { failures } from './failures.ts'
import { isOurs } from './hub-objects.ts'

/** No pod runs as it, so none should be given its tokens. */
const wanted: Named<ServiceAccount> = {
  metadata: { name: handoverAccount, labels: { ...managedBy, [spokeLabels.handover]: 'true' } },
  automountServiceAccountToken: false,
}

/** Who the hub is on this cluster. Its rights come with the installation: an agent that could give rights could take any. */
export async function ensureAccount(
  spoke: Kube,
  namespace: string,
  seen: Stored<ServiceAccount> | undefined,
  signal: AbortSignal,
): Promise<Stored<ServiceAccount>> {
  const mayTake = (found: Stored<ServiceAccount>) => {
    if (!isOurs(found)) throw failures.HANDOVER_ACCOUNT_TAKEN({ account: `${namespace}/${handoverAccount}` })
  }
  if (seen) mayTake(seen)
  return await ensure(spoke.of(serviceAccounts, namespace), wanted, seen, signal, mayTake)
}

/** Every token of the account ends with it. False where there was none of ours. */
export async function removeAccount(spoke: Kube, namespace: string, signal: AbortSignal): Promise<boolean> {
  const accounts = spoke.of(serviceAccounts, namespace)
  const found = await accounts.find(handoverAccount, { signal })
  if (!found || !isOurs(found)) return false
  return await accounts.delete(handoverAccount, { signal, preconditions: { uid: found.metadata.uid } })
}

export async function requestToken(
  spoke: Kube,
  namespace: string,
  seconds: number,
  signal: AbortSignal,
): Promise<GrantedToken> {
  const granted = await requestAccountToken(spoke, { namespace, name: handoverAccount, seconds }, signal)
  if (!granted) throw failures.HANDOVER_TOKEN_FOREIGN({ account: `${namespace}/${handoverAccount}` })
  return granted
}
