import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import type { AdmissionRequest, Verdict } from '../../fleet/admission.ts'
import { allowed, badRequest } from '../../fleet/admission.ts'
import { newOnes, sentenceOf } from '../../fleet/mistake.ts'
import { askedOf, decideRights } from '../../fleet/secret-rights.ts'
import type { Kube } from '../../kube/kube.ts'
import { issuerOf, issuerTaken, providerMistakes } from './check-provider.ts'
import {
  askedOfVouching,
  isSameProvider,
  providerSecretsPutToUse,
  redirectsSecrets,
  secretsSentTo,
} from './secret-rights.ts'
import { providerWarnings, severalWarnings } from './warnings.ts'

/** Only what changes is looked at: what was stored before may stay, and may be let go of. */
export async function decideProvider(
  kube: Kube,
  { object, oldObject, userInfo }: AdmissionRequest<IdentityProvider>,
  signal: AbortSignal,
): Promise<Verdict> {
  if (!object || (oldObject && isSameProvider(object, oldObject))) return allowed
  const wrong = sentenceOf(newOnes(providerMistakes(object), oldObject ? providerMistakes(oldObject) : []))
  if (wrong) return badRequest(wrong)
  const { items } = await kube.of(IdentityProvider.resource).list({ signal })
  if (!oldObject || issuerOf(object) !== issuerOf(oldObject)) {
    const taken = sentenceOf(issuerTaken(object, items))
    if (taken) return badRequest(taken)
  }
  const old = oldObject ?? undefined
  const vouching = await decideRights(kube, userInfo, askedOfVouching(object, old), signal)
  if (!vouching.allowed) return vouching
  const own = providerSecretsPutToUse(object, old)
  // Those who wrote the ClusterConfigs were asked about another issuer.
  const others = redirectsSecrets(object, old)
    ? secretsSentTo(object.metadata?.name ?? '', (await kube.of(ClusterConfig.resource).list({ signal })).items)
    : []
  const verdict = await decideRights(kube, userInfo, [...own, ...others].flatMap(askedOf), signal)
  return verdict.allowed
    ? { allowed: true, warnings: [...providerWarnings(object), ...severalWarnings(object, items)] }
    : verdict
}
