import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import type { Manifest } from '../../fleet/manifests/manifest.ts'
import { rule, serviceAccount } from '../../fleet/manifests/rbac.ts'
import { handoverAccount } from '../../fleet/spoke/names.ts'
import { spokeRbacManifests } from '../../fleet/spoke/rbac.ts'
import type { AgentInstallation } from './agent.ts'

type Wish = Pick<AgentInstallation, 'namespace' | 'offerReach'>

/**
 * In its own namespace: the account that the hub gets in by, and no other. It may not give that account any right: those
 * come with the installation. Without the offer it may only end what an earlier one began.
 */
export const agentReachRules = ({ offerReach = false }: Wish): PolicyRule[] =>
  offerReach
    ? [
        // Create cannot be limited to names. An account that nobody bound may do nothing.
        rule('', ['serviceaccounts'], ['create']),
        rule('', ['serviceaccounts'], ['get', 'list', 'watch', 'patch', 'delete'], [handoverAccount]),
        rule('', ['serviceaccounts/token'], ['create'], [handoverAccount]),
      ]
    : [rule('', ['serviceaccounts'], ['get', 'delete'], [handoverAccount])]

/** What the hub may do on the cluster, by the account of this agent. */
export const agentReachManifests = ({ namespace, offerReach = false }: Wish): Manifest[] =>
  offerReach ? spokeRbacManifests(serviceAccount(namespace, handoverAccount)) : []

/** What an agent had that offers no way in any more. The role may be somebody else's too. */
export const formerReachManifests = ({ namespace, offerReach = false }: Wish): Manifest[] =>
  offerReach ? [] : agentReachManifests({ namespace, offerReach: true }).slice(1)
