import type { Secret as SecretObject } from 'kubernetes-types/core/v1.d.ts'
import { Secret } from '../../core/secret.ts'
import { secrets } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { SecretKey, SecretValue } from './contract.ts'
import { failures } from './failures.ts'

/** Throws SPOKE_SECRET_MISSING, SPOKE_SECRET_KEY_MISSING or, where the hub itself fails, SPOKE_SECRET_UNREADABLE. */
export async function readSecretValue(kube: Kube, wanted: SecretKey, signal?: AbortSignal): Promise<SecretValue> {
  return valueIn(await findSecret(kube, wanted, signal), wanted)
}

/** The first of the keys that holds anything: an empty value is as good as none. */
export function valueIn(secret: Pick<SecretObject, 'data'> | undefined, wanted: SecretKey): SecretValue {
  const { field, namespace, name, keys } = wanted
  if (!secret) throw failures.SPOKE_SECRET_MISSING({ field, namespace, name })
  for (const key of keys) {
    const text = Buffer.from(secret.data?.[key] ?? '', 'base64').toString()
    if (text.trim() !== '') return { text: Secret.of(text), key }
  }
  throw failures.SPOKE_SECRET_KEY_MISSING({ field, namespace, name, keys: keys.join(' or ') })
}

async function findSecret(
  kube: Kube,
  { namespace, name, field }: SecretKey,
  signal: AbortSignal | undefined,
): Promise<SecretObject | undefined> {
  try {
    return await kube.of(secrets, namespace).find(name, signal && { signal })
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    const detail = error instanceof Error ? error.message : String(error)
    throw failures.SPOKE_SECRET_UNREADABLE({ field, namespace, name, detail }, error)
  }
}
