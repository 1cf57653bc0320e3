import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { Secret } from '../../core/secret.ts'
import { checkAccessSettings } from './check-settings.ts'
import type { Access, Authenticator, Identity, Ruling } from './contract.ts'
import { jwtAuthenticator } from './jwt.ts'
import { localAuthenticator } from './local-token.ts'
import { allClustersPermission, operatorPermission, permissionsOf } from './roles.ts'
import type { AccessReview, KubeSource, ResourceRule } from './service-accounts.ts'
import { accessReview, serviceAccountAuthenticator } from './service-accounts.ts'
import type { AccessSettings } from './settings.ts'

export interface AccessDeps {
  settings: AccessSettings
  /** Every permission of the job, by what RBAC calls it. */
  rules: Readonly<Record<string, ResourceRule>>
  /** What an owner has to be allowed, where the API server is asked whose a cluster is. */
  ownerRule: ResourceRule
  clock: Clock
  log: Log
  localToken?: Secret
  /** Needed for service accounts and for ownership by SubjectAccessReview. */
  kube?: KubeSource
}

/** Proofs are tried by what a token looks like: the local one, a JWT of a known issuer, then whatever the API server says. */
export function access(deps: AccessDeps): Access {
  const { settings, rules, ownerRule, clock, log, localToken, kube } = deps
  checkAccessSettings(settings, [...Object.keys(rules), allClustersPermission])
  const ask = kube && accessReview({ kube, clock, log })
  const ways: Authenticator[] = [
    ...(localToken ? [localAuthenticator(localToken)] : []),
    jwtAuthenticator(settings.issuers, { clock, log }),
    ...(kube && settings.serviceAccounts.enabled
      ? [serviceAccountAuthenticator({ kube, audience: settings.serviceAccounts.audience, clock, log })]
      : []),
  ]
  const has = (identity: Identity, ...permissions: string[]): boolean => {
    if (identity.kind === 'local') return true
    const given = permissionsOf(identity, settings.roles)
    return given.has(operatorPermission) || permissions.some((permission) => given.has(permission))
  }
  const claimedOwner = ({ claims }: Identity): string | undefined => {
    const claimed = claims[settings.ownership.claim]
    return typeof claimed === 'string' && claimed !== '' ? claimed : undefined
  }
  return {
    async authenticate(token, signal) {
      if (!token) return { refused: 'none' }
      for (const way of ways) {
        const verdict = await way(token, signal)
        if (verdict) return verdict
      }
      return { refused: 'wrong' }
    },
    async may(identity, permission, cluster, signal) {
      if (identity.kind !== 'serviceaccount') return has(identity, permission) ? 'yes' : 'no'
      return await review(ask, identity, rules[permission], cluster, signal)
    },
    async owns(identity, cluster, signal) {
      // A service account was asked about for this very cluster already.
      if (identity.kind === 'serviceaccount' || has(identity, allClustersPermission)) return 'yes'
      if (settings.ownership.source === 'subjectAccessReview')
        return await review(ask, identity, ownerRule, cluster.id, signal)
      const claimed = claimedOwner(identity)
      return claimed !== undefined && claimed === (await cluster.owner()) ? 'yes' : 'no'
    },
    // What a service account may is asked for a cluster, or for all where none is named.
    reachesAll: (identity) => identity.kind === 'serviceaccount' || has(identity, allClustersPermission),
    ownerName: (identity) =>
      identity.kind === 'jwt' && settings.ownership.source === 'claim' && !has(identity, allClustersPermission)
        ? claimedOwner(identity)
        : undefined,
  }
}

async function review(
  ask: AccessReview | undefined,
  identity: Identity,
  rule: ResourceRule | undefined,
  cluster: string | undefined,
  signal: AbortSignal,
): Promise<Ruling> {
  return ask && rule ? await ask(identity, rule, cluster, signal) : 'no'
}
