import { isDeepStrictEqual } from 'node:util'
import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import type { AdmissionRequest, Verdict } from '../../fleet/admission.ts'
import { allowed, badRequest } from '../../fleet/admission.ts'
import type { Mistake } from '../../fleet/mistake.ts'
import { mistake, newOnes, sentenceOf } from '../../fleet/mistake.ts'
import { askedOf, decideRights } from '../../fleet/secret-rights.ts'
import type { Kube } from '../../kube/kube.ts'
import { configMistakes } from './check-config.ts'
import type { ConfigSpec } from './secret-refs.ts'
import { askedOfConfirmation, secretsPutToUse } from './secret-rights.ts'
import { configWarnings } from './warnings.ts'

export interface DecideConfigDeps {
  kube: Kube
  trustsOnFirstUse(): boolean
}

/** Only what changes is looked at: what was stored before may stay, and may be let go of. */
export async function decideConfig(
  { kube, trustsOnFirstUse }: DecideConfigDeps,
  { object, oldObject, userInfo, namespace }: AdmissionRequest<ClusterConfig>,
  signal: AbortSignal,
): Promise<Verdict> {
  if (!object) return allowed
  const confirming = askedOfConfirmation(object, oldObject ?? undefined)
  if (oldObject && isDeepStrictEqual(object.spec, oldObject.spec))
    return decideRights(kube, userInfo, confirming, signal)
  const { spec } = object
  const wrong = sentenceOf(newOnes(configMistakes(object), oldObject ? configMistakes(oldObject) : []))
  if (wrong) return badRequest(wrong)
  const named = namedProviders(spec, oldObject?.spec)
  const [taken, found] = await Promise.all([
    oldObject ? [] : nameTaken(kube, object.metadata?.name, namespace, signal),
    Promise.all([...new Set(named.values())].map((name) => kube.of(IdentityProvider.resource).find(name, { signal }))),
  ])
  const providers = new Map(found.flatMap((provider) => (provider ? [[provider.metadata.name, provider]] : [])))
  const unusable = sentenceOf([...taken, ...providerProblems(named, providers), ...noSecret(spec, named, providers)])
  if (unusable) return badRequest(unusable)
  const provider = providers.get(named.get(inheritsFrom) ?? '')
  const reading = secretsPutToUse(spec, oldObject?.spec, provider).flatMap(askedOf)
  const verdict = await decideRights(kube, userInfo, [...reading, ...confirming], signal)
  if (!verdict.allowed) return verdict
  const context = { trustsOnFirstUse: trustsOnFirstUse(), ...(provider && { provider }) }
  return { allowed: true, warnings: configWarnings(spec, context) }
}

const inheritsFrom = 'spec.oidcFromIdentityProvider.name'

/** The IdentityProviders that a change puts to use, by field. */
export function namedProviders(spec: ConfigSpec, old: ConfigSpec | undefined): Map<string, string> {
  const refs = (spec.identityProviderRefs ?? []).map(
    (name, index) => [`spec.identityProviderRefs[${index}]`, name] as const,
  )
  const from = spec.oidcFromIdentityProvider
  return new Map([
    ...refs.filter(([, name]) => !old?.identityProviderRefs?.includes(name)),
    ...(from && !isDeepStrictEqual(from, old?.oidcFromIdentityProvider) ? ([[inheritsFrom, from.name]] as const) : []),
  ])
}

function providerProblems(
  named: ReadonlyMap<string, string>,
  providers: ReadonlyMap<string, IdentityProvider>,
): Mistake[] {
  return [...named].flatMap(([field, name]) => {
    const provider = providers.get(name)
    if (!provider) return [mistake(field, `there is no IdentityProvider ${name}; make it first`)]
    return provider.spec?.disabled ? [mistake(field, `IdentityProvider ${name} is disabled; enable it first`)] : []
  })
}

/** What `oidcAuth` must have of its own, an IdentityProvider may lend. */
function noSecret(
  { oidcFromIdentityProvider: from }: ConfigSpec,
  named: ReadonlyMap<string, string>,
  providers: ReadonlyMap<string, IdentityProvider>,
): Mistake[] {
  const provider = providers.get(named.get(inheritsFrom) ?? '')
  if (!from || !provider || from.clientSecretRef || provider.spec?.keycloak) return []
  if (from.refreshTokenSecretRef && from.tokenExchange?.enabled !== true) return []
  return [
    mistake(
      'spec.oidcFromIdentityProvider.clientSecretRef',
      `is required, because IdentityProvider ${from.name} has no keycloak.clientSecretRef to lend`,
    ),
  ]
}

/** By name alone: whoever speaks of a cluster gives no namespace. */
async function nameTaken(
  kube: Kube,
  name: string | undefined,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<Mistake[]> {
  if (!name) return []
  const configs = kube.of(ClusterConfig.resource).metadata
  const { items } = await configs.list({ fieldSelector: `metadata.name=${name}`, signal })
  // Compared here as well: an API server may not know the selector.
  const other = items.find(({ metadata }) => metadata.name === name && metadata.namespace !== namespace)
  if (!other) return []
  return [
    mistake(
      'metadata.name',
      `another namespace has a ClusterConfig ${name} already, and names are unique over all namespaces; choose another one`,
    ),
  ]
}
