/** What is taken, and yet worth a word to whoever writes it. Short: API servers cut warnings after 256 characters. */
import type { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import { providerAnnotations } from '../../fleet/names.ts'
import type { Stored } from '../../kube/objects.ts'
import type { ConfigSpec, OidcBlock } from './secret-refs.ts'
import { oidcBlocks } from './secret-refs.ts'

export interface WarningContext {
  /** Whether the installation trusts a CA that it sees first, where a ClusterConfig does not say. */
  trustsOnFirstUse: boolean
  /** The one that is named. */
  provider?: IdentityProvider
}

export const configWarnings = (spec: ConfigSpec, context: WarningContext): string[] => [
  ...oidcBlocks.flatMap((block) => oidcWarnings(spec, block, context)),
  ...inheritanceWarnings(spec, context),
  ...(spec.constrainedImpersonation
    ? ['spec.constrainedImpersonation: has no effect, because Lanyard impersonates nobody']
    : []),
]

function oidcWarnings(spec: ConfigSpec, block: OidcBlock, { trustsOnFirstUse }: WarningContext): string[] {
  const oidc = spec[block]
  if (!oidc) return []
  const { insecureSkipTLSVerify, allowTOFU = trustsOnFirstUse, caSecretRef, tokenExchange, fallbackPolicy } = oidc
  const at = `spec.${block}`
  const warnings: string[] = []
  if (insecureSkipTLSVerify)
    warnings.push(
      `${at}.insecureSkipTLSVerify: whoever answers at the address of the cluster is believed, and is sent the credentials of the hub; give caSecretRef instead`,
    )
  else if (!caSecretRef && allowTOFU)
    warnings.push(
      `${at}.caSecretRef: is absent, so a CA that the system does not know is trusted when first seen; compare status.tls.fingerprint with that of the cluster`,
    )
  if (tokenExchange && tokenExchange.enabled !== true)
    warnings.push(`${at}.tokenExchange.enabled: is not true, so no token is exchanged`)
  const another = block === 'oidcFromIdentityProvider' || oidc.clientSecretRef || tokenExchange?.enabled
  if (fallbackPolicy !== undefined && fallbackPolicy !== 'None' && !another)
    warnings.push(
      `${at}.fallbackPolicy: has no effect without a clientSecretRef, by which another grant could be tried`,
    )
  return warnings
}

/** A client id of one's own with the secret of another client. */
function inheritanceWarnings({ oidcFromIdentityProvider: from }: ConfigSpec, { provider }: WarningContext): string[] {
  const keycloak = provider?.spec?.keycloak
  if (!from?.clientID || from.clientSecretRef || from.refreshTokenSecretRef || !keycloak) return []
  if (from.clientID === keycloak.clientID) return []
  return [
    `spec.oidcFromIdentityProvider.clientID: is used with the secret of another client, that of IdentityProvider ${from.name}; give clientSecretRef`,
  ]
}

export function providerWarnings({ spec }: IdentityProvider): string[] {
  const warnings: string[] = []
  if (spec?.keycloak && spec.groupSyncProvider === undefined)
    warnings.push(
      'spec.groupSyncProvider: is absent, so no groups are read from spec.keycloak, whose client serves clusters only; say Keycloak to read them',
    )
  if (spec && spec.oidc.expectedAudience === undefined)
    warnings.push('spec.oidc.expectedAudience: is absent, so tokens must be for spec.oidc.clientID')
  if (spec?.primary !== undefined) warnings.push('spec.primary: has no effect; leave it out')
  return warnings
}

/** What becomes of mail addresses and groups once there is another provider, or only one is left. */
export function severalWarnings(
  { metadata, spec }: IdentityProvider,
  providers: readonly Stored<IdentityProvider>[],
): string[] {
  const others = providers.filter((other) => other.metadata.name !== metadata?.name && !other.spec?.disabled)
  const [first, ...more] = others
  if (!first) return []
  if (spec?.disabled)
    return more.length > 0
      ? []
      : [
          `spec.disabled: ${first.metadata.name} is the only identity provider then, so its mail addresses count also where tokens do not say email_verified, and all access.oidcPrefixes are taken off its groups`,
        ]
  const { mailTrusted, groupsPrefix } = providerAnnotations
  return [
    `of several identity providers a mail address counts only from tokens that say email_verified, or with the annotation ${mailTrusted}: "true" on the provider`,
    `of several identity providers each has the prefix of its annotation ${groupsPrefix} taken off its groups, or none: access.oidcPrefixes no longer counts`,
  ]
}
