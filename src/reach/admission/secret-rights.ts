import { isDeepStrictEqual } from 'node:util'
import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import { IdentityProvider as IdentityProviders } from '../../apis/breakglass/identity-provider.ts'
import { providerAnnotations } from '../../fleet/names.ts'
import type { Asked, NamedSecret } from '../../fleet/secret-rights.ts'
import { grant } from '../../fleet/secret-rights.ts'
import { pinSecret, spokeAnnotations } from '../../fleet/spoke/names.ts'
import type { Stored } from '../../kube/objects.ts'
import type { ConfigSpec } from './secret-refs.ts'
import { blocks, secretsOf } from './secret-refs.ts'

/**
 * The Secrets that a change puts to use. The hub reads them, and sends what they hold where the same block says: so all
 * of a block's count as soon as anything in it changes. Otherwise whoever may write a ClusterConfig could have a client
 * secret that they may not read sent to an issuer of their own.
 */
export function secretsPutToUse(
  spec: ConfigSpec,
  old: ConfigSpec | undefined,
  provider?: IdentityProvider,
): NamedSecret[] {
  const changed = blocks.filter((block) => spec[block] && !isDeepStrictEqual(spec[block], old?.[block]))
  const own = changed.flatMap((block) => secretsOf(spec, block))
  const inherited = provider?.spec?.keycloak?.clientSecretRef
  const from = changed.includes('oidcFromIdentityProvider') && spec.oidcFromIdentityProvider
  if (!from || from.clientSecretRef || !inherited) return own
  const elsewhere = `the Secret that IdentityProvider ${from.name} names`
  return [...own, { field: 'spec.oidcFromIdentityProvider.name', ref: inherited, elsewhere }]
}

/** So of an IdentityProvider, whose authority and base URL are where its secret goes. */
export function providerSecretsPutToUse(provider: IdentityProvider, old: IdentityProvider | undefined): NamedSecret[] {
  const { oidc, keycloak } = provider.spec ?? {}
  const isSame = isDeepStrictEqual(oidc, old?.spec?.oidc) && isDeepStrictEqual(keycloak, old?.spec?.keycloak)
  const isPutToUse = !isSame || isEnabled(provider, old)
  return keycloak && isPutToUse ? [{ field: 'spec.keycloak.clientSecretRef', ref: keycloak.clientSecretRef }] : []
}

const isEnabled = ({ spec }: IdentityProvider, old: IdentityProvider | undefined): boolean =>
  old?.spec?.disabled === true && spec?.disabled !== true

/** Whether the secrets of ClusterConfigs that name it go elsewhere by this change, or go there again. */
export function redirectsSecrets(provider: IdentityProvider, old: IdentityProvider | undefined): boolean {
  const destination = ({ spec }: IdentityProvider) => [
    ...[spec?.oidc.authority, spec?.oidc.certificateAuthority],
    spec?.keycloak,
  ]
  return !old || isEnabled(provider, old) || !isDeepStrictEqual(destination(provider), destination(old))
}

/**
 * Who says of people what they are called and which groups they are in makes them approvers: whoever writes that gives
 * away what no escalation could. Asked where it is new or another one, and where it is taken up again.
 */
export function askedOfVouching(provider: IdentityProvider, old: IdentityProvider | undefined): Asked[] {
  if (old && !isEnabled(provider, old) && isDeepStrictEqual(vouching(provider), vouching(old))) return []
  const { group, plural: resource } = IdentityProviders.resource
  return [
    {
      field: 'spec.oidc',
      right: { verb: 'escalate', group, resource, name: '' },
      because: `as by what it says of people they become approvers; ${grant}`,
    },
  ]
}

const vouching = ({ metadata, spec }: IdentityProvider) => [
  ...[spec?.oidc, spec?.issuer, spec?.groupSyncProvider, spec?.keycloak],
  ...Object.values(providerAnnotations).map((annotation) => metadata?.annotations?.[annotation]),
]

/** Nothing of it that the hub goes by is changed: its labels, other annotations and status are anybody's who may write them. */
export const isSameProvider = (provider: IdentityProvider, old: IdentityProvider): boolean =>
  isDeepStrictEqual(provider.spec, old.spec) && isDeepStrictEqual(vouching(provider), vouching(old))

/** What of these ClusterConfigs the issuer is sent, which their IdentityProvider names. */
export const secretsSentTo = (provider: string, configs: readonly Stored<ClusterConfig>[]): NamedSecret[] =>
  configs.flatMap(({ spec }) => {
    const from = spec.oidcFromIdentityProvider
    if (from?.name !== provider) return []
    return secretsOf(spec, 'oidcFromIdentityProvider')
      .filter(({ ref }) => ref !== from.caSecretRef)
      .map((secret) => ({ ...secret, field: 'spec', elsewhere: 'each Secret that ClusterConfigs send to this issuer' }))
  })

/**
 * What a confirmed fingerprint asks for: by it the hub replaces what a Secret keeps. Asked where it is new, and where
 * the Secret may be another one than when it was given.
 */
export function askedOfConfirmation(config: ClusterConfig, old: ClusterConfig | undefined): Asked[] {
  const annotation = spokeAnnotations.trustedFingerprint
  const block = oidcBlockOf(config)
  const confirmed = config.metadata?.annotations?.[annotation]
  if (!block || confirmed === undefined) return []
  const isAsBefore = confirmed === old?.metadata?.annotations?.[annotation]
  if (old && isAsBefore && isDeepStrictEqual(block, oidcBlockOf(old))) return []
  const { namespace = '', name = '' } = config.metadata ?? {}
  const place = block.caSecretRef ?? { namespace, name: pinSecret(name) }
  return [
    {
      field: `metadata.annotations[${annotation}]`,
      right: { verb: 'update', group: '', resource: 'secrets', name: place.name, namespace: place.namespace },
      because: `in which the hub would replace the CA of the cluster for them; ${grant}`,
    },
  ]
}

const oidcBlockOf = ({ spec }: ClusterConfig) => spec.oidcAuth ?? spec.oidcFromIdentityProvider
