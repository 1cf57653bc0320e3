import type { Command } from 'commander'
import type { Connection } from '../kube/connection.ts'
import type { HandoverAgentSettings } from '../reach/handover/agent.ts'
import type { AgentInstallation } from '../registration/manifests/agent.ts'
import { listOf, wholeNumber } from './flag-values.ts'

/** API servers grant no token of less than ten minutes. */
const leastSeconds = 600
const usualSeconds = 3_600

export interface ReachOfferOptions {
  offerReach?: boolean
  reachTokenExpirationSeconds?: number
  spokeExternalServerUrls?: string[]
}

export const withReachOffer = (command: Command): Command =>
  command
    .option('--offer-reach', 'hand the hub a way into this cluster, once it asks for one')
    .option(
      '--reach-token-expiration-seconds <n>',
      `life of the tokens that are handed over; renewed in time (default: ${usualSeconds})`,
      wholeNumber(leastSeconds),
    )
    .option('--spoke-external-server-urls <urls>', 'how this cluster is reached from outside', listOf)

/** Undefined: none is offered. The first address from outside; where none is given, the one the agent itself uses. */
export function handoverSettingsOf(
  flags: ReachOfferOptions,
  namespace: string,
  { server, tls }: Pick<Connection, 'server' | 'tls'>,
): HandoverAgentSettings | undefined {
  if (!flags.offerReach) return undefined
  const [outside] = flags.spokeExternalServerUrls ?? []
  return {
    namespace,
    server: outside ?? server,
    caPem: tls.ca,
    // It belongs to the address that the agent uses.
    ...(outside === undefined && tls.serverName !== undefined && { tlsServerName: tls.serverName }),
    tokenSeconds: flags.reachTokenExpirationSeconds ?? usualSeconds,
  }
}

/** Of commands that install an agent: what is not given stays out of its Deployment. */
export const installedReach = (options: ReachOfferOptions): Partial<AgentInstallation> => ({
  ...(options.offerReach && { offerReach: true }),
  ...(options.reachTokenExpirationSeconds && { reachTokenExpirationSeconds: options.reachTokenExpirationSeconds }),
  ...(options.spokeExternalServerUrls && { externalServerUrls: options.spokeExternalServerUrls }),
})

/** A pod reaches its API server by an address that nobody else knows. */
export const reachOfferWarning = (options: ReachOfferOptions): string | undefined =>
  options.offerReach && (options.spokeExternalServerUrls ?? []).length === 0
    ? '--offer-reach without --spoke-external-server-urls: the hub is told the address by which the agent itself reaches this cluster'
    : undefined
