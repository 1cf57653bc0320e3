import type { Step } from '../../core/step.ts'
import { addonSecretsConfigMap } from '../../fleet/names.ts'
import { isForbidden } from '../../kube/failures.ts'
import { configMaps, secrets } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { RecordedSecret } from '../agent/secret-record.ts'
import { secretRecord } from '../agent/secret-record.ts'

export interface SecretRemoval {
  kube: Kube
  signal: AbortSignal
  /** Of each that may not be removed. */
  onLeft?(secret: RecordedSecret): void
}

/**
 * The credentials of add-ons on a cluster that leaves: those that its agent wrote down as its own, and no others. The
 * agent has to be stopped before. One that may not be removed is told and left: the agent writes down what it has yet to
 * make, also where it has no rights, and that must hold up nobody. @param namespace of the agent
 */
export async function* removeAddonSecrets(
  namespace: string,
  { kube, signal, onLeft }: SecretRemoval,
): AsyncGenerator<Step> {
  let removed = 0
  for (const secret of (await secretRecord(kube, namespace, signal)).list()) {
    if (await removeIfAllowed(kube, secret, signal)) {
      removed += 1
      continue
    }
    onLeft?.(secret)
    yield { did: 'a credential of an add-on is left, if it was made', detail: whyLeft(secret) }
  }
  await kube.of(configMaps, namespace).delete(addonSecretsConfigMap, { signal })
  if (removed > 0) yield { did: 'the credentials of add-ons are removed', detail: `${removed} Secrets` }
}

export const whyLeft = ({ namespace, name }: RecordedSecret): string =>
  `no right to remove the Secret ${namespace}/${name}; look whether it is there`

async function removeIfAllowed(kube: Kube, { namespace, name }: RecordedSecret, signal: AbortSignal): Promise<boolean> {
  try {
    await kube.of(secrets, namespace).delete(name, { signal })
    return true
  } catch (error) {
    if (isForbidden(error)) return false
    throw error
  }
}
