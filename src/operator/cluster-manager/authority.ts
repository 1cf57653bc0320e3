import type { Clock } from '../../core/clock.ts'
import { managedBy } from '../../fleet/manifests/manifest.ts'
import { isAlreadyExists } from '../../kube/failures.ts'
import { secrets } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import { createAuthority } from '../../pki/index.ts'
import { hubCaSecret } from '../../registration/manifests/hub-rbac.ts'
import { textIn } from '../../registration/operations/secret-connection.ts'
import { failures } from '../failures.ts'

const tenYearsMs = 10 * 365 * 24 * 3_600_000

/** The certificate of the CA that vouches for the webhooks of the hub; made when there is none, never replaced. */
export async function ensureAuthority(
  kube: Kube,
  namespace: string,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<string> {
  const place = kube.of(secrets, namespace)
  const found = await place.find(hubCaSecret, { signal })
  if (found) {
    const certificate = textIn(found, 'ca.crt')
    if (!certificate || !textIn(found, 'ca.key')) throw failures.HUB_CA_DAMAGED({ secret: hubCaSecret, namespace })
    return certificate
  }
  const made = await createAuthority({ commonName: 'lanyard-hub', clock, lifetimeMs: tenYearsMs })
  const stringData = { 'ca.crt': made.certPem, 'ca.key': made.keyPem.reveal() }
  try {
    await place.create({ metadata: { name: hubCaSecret, labels: { ...managedBy } }, stringData }, { signal })
    return made.certPem
  } catch (error) {
    // Somebody was faster: theirs is the one that webhooks are trusted by.
    if (isAlreadyExists(error)) return await ensureAuthority(kube, namespace, { clock, signal })
    throw error
  }
}
