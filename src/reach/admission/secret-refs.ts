import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { SecretKeyReference } from '../../apis/breakglass/common.ts'
import type { NamedSecret } from '../../fleet/secret-rights.ts'

export type ConfigSpec = ClusterConfig['spec']

/** The three ways to say how the hub gets into a cluster. */
export const blocks = ['kubeconfigSecretRef', 'oidcAuth', 'oidcFromIdentityProvider'] as const
export type Block = (typeof blocks)[number]
export type OidcBlock = Exclude<Block, 'kubeconfigSecretRef'>
export const oidcBlocks = ['oidcAuth', 'oidcFromIdentityProvider'] as const

/** Every Secret that a block names, in use or not. */
export function secretsOf(spec: ConfigSpec, block: Block): NamedSecret[] {
  if (block === 'kubeconfigSecretRef') {
    const ref = spec.kubeconfigSecretRef
    return ref ? [{ field: 'spec.kubeconfigSecretRef', ref }] : []
  }
  const oidc = spec[block]
  if (!oidc) return []
  const { insecureSkipTLSVerify, allowTOFU, rotatedRefreshTokenKey, tokenExchange } = oidc
  const keepsFirstUse = insecureSkipTLSVerify !== true && allowTOFU !== false
  const named: [path: string, ref: SecretKeyReference | undefined, isWrittenUnless?: string | false][] = [
    ['clientSecretRef', oidc.clientSecretRef],
    ['caSecretRef', oidc.caSecretRef, keepsFirstUse && 'set allowTOFU to false'],
    [
      'refreshTokenSecretRef',
      oidc.refreshTokenSecretRef,
      Boolean(rotatedRefreshTokenKey) && 'leave rotatedRefreshTokenKey out',
    ],
    ['tokenExchange.subjectTokenSecretRef', tokenExchange?.subjectTokenSecretRef],
    ['tokenExchange.actorTokenSecretRef', tokenExchange?.actorTokenSecretRef],
  ]
  return named.flatMap(([path, ref, isWrittenUnless]) =>
    ref ? [{ field: `spec.${block}.${path}`, ref, ...(isWrittenUnless && { isWrittenUnless }) }] : [],
  )
}
