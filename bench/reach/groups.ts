import { isByKubeconfig, issuerOf } from './fleet.ts'

/** The first cluster is busy, and then hangs; the second issuer hangs, for those who have it. The others are watched. */
export type Group = 'hanging cluster' | 'hanging issuer' | 'others'

export const hangingCluster = 0
export const hangingIssuer = 1

/** Of ten calls one goes to the busy cluster, the others to all in turn. */
export function targetOf(number: number, fleet: { clusters: number; issuers: number }) {
  const cluster = number % 10 === 0 ? hangingCluster : (number - Math.ceil(number / 10)) % fleet.clusters
  return { cluster, group: groupOf(cluster, fleet.issuers) }
}

export function groupOf(cluster: number, issuers: number): Group {
  if (cluster === hangingCluster) return 'hanging cluster'
  return !isByKubeconfig(cluster) && issuerOf(cluster, issuers) === hangingIssuer ? 'hanging issuer' : 'others'
}
