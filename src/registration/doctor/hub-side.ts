import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { decisionOn, judgeClusterRequest } from '../../fleet/csr/approval.ts'
import { byAge } from '../../fleet/csr/superseded.ts'
import { annotations, conditions } from '../../fleet/names.ts'
import type { Stored } from '../../kube/objects.ts'
import { wayOf } from '../drivers/marks.ts'
import { graceMs } from '../hub/heartbeats.ts'
import { arnOf } from '../overview/cluster-arn.ts'
import type { Finding } from './causes.ts'
import type { HubSide, Look } from './hub-look.ts'
import { conditionOf } from './hub-look.ts'
import { asksAnotherWay, getsNoAccess, leftInAws, staysAway } from './hub-side-aws.ts'

/** The causes that the hub shows, those that explain the others first. */
export function diagnoseHubSide(side: HubSide, now: Date): Finding[] {
  const { name, cluster } = side
  if (!cluster) {
    const evidence = `there is no ManagedCluster ${name}`
    return [{ id: 'cluster-unknown', evidence, fix: 'look at the cluster itself: add --managed-kubeconfig' }]
  }
  return looks.map((look) => look({ ...side, cluster }, now)).filter((finding) => finding !== undefined)
}

const isLeaving: Look = ({ name, cluster }) =>
  cluster.metadata.deletionTimestamp
    ? {
        id: 'leaving',
        evidence: `deleted at ${cluster.metadata.deletionTimestamp}: ${conditionOf(cluster, conditions.deleting)?.message ?? 'not begun'}`,
        fix: `wait; if nothing moves, look whether \`lanyard hub\` runs, and if the agent is gone for good run \`lanyard unjoin ${name} --force\``,
      }
    : undefined

const isShutOut: Look = ({ name, cluster }) => {
  if (cluster.spec?.hubAcceptsClient) return undefined
  const before = conditionOf(cluster, conditions.accepted)
  const fix = `run \`lanyard accept ${name}\` on the hub`
  return before
    ? {
        id: 'denied',
        evidence: `${before.type} is ${before.status} since ${before.lastTransitionTime}${leftInAws(cluster)}`,
        fix,
      }
    : {
        id: 'not-accepted',
        evidence: `spec.hubAcceptsClient is false${withoutRequest(cluster)}${leftInAws(cluster)}`,
        fix,
      }
}

/** Nobody should look for a certificate request where none is made. */
const withoutRequest = (cluster: Stored<ManagedCluster>): string =>
  wayOf(cluster) === 'awsirsa'
    ? `; it comes by AWS IAM as ${arnOf(cluster) ?? 'an EKS cluster that it does not name'}, so there is no certificate request`
    : ''

const isDuplicated: Look = ({ name, cluster }) => {
  const duplicate = conditionOf(cluster, conditions.duplicateAgent)
  if (duplicate?.status !== 'True') return undefined
  const fix = `if the new agent shall take over, run \`lanyard accept ${name} --replace-agent\`; else stop it, or give its cluster another name, and delete its CSR`
  return { id: 'duplicate-agent', evidence: duplicate.message, fix }
}

const newestRequest = ({ csrs, name }: HubSide) =>
  csrs
    .toSorted(byAge)
    .filter((csr) => {
      const request = judgeClusterRequest(csr)
      return typeof request !== 'string' && request.cluster === name
    })
    .at(-1)

/** No certificate is missed where the agent comes by something else; what was asked for before is over. */
const needsCertificate = (cluster: Stored<ManagedCluster>, now: Date): boolean =>
  wayOf(cluster) === 'csr' && !hasCertificate(cluster, now)

const hasCertificate = ({ metadata }: Stored<ManagedCluster>, now: Date): boolean =>
  new Date(metadata.annotations?.[annotations.certificateExpiresAt] ?? 0) > now

const asksInVain: Look = (side, now) => {
  const csr = newestRequest(side)
  if (!csr) return undefined
  const { name } = csr.metadata
  switch (decisionOn(csr)) {
    case 'none': {
      // Accepting would be refused: the duplicate is what has to be told.
      if (isDuplicated(side, now)) return undefined
      const evidence = `${name} was made by ${csr.spec.username} at ${csr.metadata.creationTimestamp}`
      if (wayOf(side.cluster) !== 'csr') return asksAnotherWay(name, evidence)
      return { id: 'csr-pending', evidence, fix: `run \`lanyard accept ${side.name}\` on the hub` }
    }
    case 'approved': {
      if (csr.status?.certificate || !needsCertificate(side.cluster, now)) return undefined
      const fix = `look whether the hub's kube-controller-manager signs ${csr.spec.signerName}; \`lanyard init\` tries it out`
      return { id: 'csr-not-signed', evidence: `${name} is approved and has no certificate`, fix }
    }
    default: {
      if (!needsCertificate(side.cluster, now)) return undefined
      const why = csr.status?.conditions?.map(({ type, message }) => `${type}: ${message ?? ''}`).join('; ')
      const fix = `its agent asks again with a new key by itself; then run \`lanyard accept ${side.name}\``
      return { id: 'csr-denied', evidence: `${name} ${why}`, fix }
    }
  }
}

/** A leader renews every few seconds; far past that, and past clocks that differ a little, there is none. */
const leaderlessMs = 60_000

const isIgnored: Look = ({ cluster, leader }, now) => {
  const { holderIdentity, renewTime } = leader?.spec ?? {}
  const isLed = holderIdentity && now.getTime() - new Date(renewTime ?? 0).getTime() < leaderlessMs
  if (leader && !isLed) {
    const evidence = `nobody leads: lease ${leader.metadata?.namespace}/${leader.metadata?.name} was last renewed at ${renewTime ?? 'no time'}`
    return { id: 'hub-idle', evidence, fix: 'start `lanyard hub`, or look at its pods and its log' }
  }
  const accepted = conditionOf(cluster, conditions.accepted)
  if (!cluster.spec?.hubAcceptsClient || accepted?.status === 'True' || accepted?.reason === 'Error') return undefined
  const evidence = `it is accepted, and the hub has not said ${conditions.accepted}`
  return { id: 'hub-idle', evidence, fix: 'look whether `lanyard hub` runs and leads' }
}

const lacksRights: Look = ({ cluster, missingRights }) => {
  const accepted = conditionOf(cluster, conditions.accepted)
  if (!cluster.spec?.hubAcceptsClient || !accepted) return undefined
  const said = accepted.reason === 'Error' && wayOf(cluster) === 'csr' ? accepted.message : ''
  if (missingRights.length === 0 && said === '') return undefined
  const evidence = [missingRights.length > 0 && `missing: ${missingRights.join(', ')}`, said].filter(Boolean).join('; ')
  const fix = said ? 'do what it says' : 'the hub restores them by itself; look whether `lanyard hub` runs'
  return { id: 'rights-missing', evidence, fix }
}

const hasSkewedClock: Look = ({ cluster }) => {
  const synced = conditionOf(cluster, conditions.clockSynced)
  if (synced?.status !== 'False') return undefined
  return { id: 'clock-skew', evidence: synced.message, fix: 'set the clocks of both by NTP' }
}

const isSilent: Look = ({ name, cluster, lease }, now) => {
  if (!cluster.spec?.hubAcceptsClient || !conditionOf(cluster, conditions.joined)) return undefined
  const available = conditionOf(cluster, conditions.available)
  const heardAt = new Date(lease?.spec?.renewTime ?? 0)
  // The lease tells the time of the cluster, which is worth nothing where its clock is wrong.
  const isSkewed = conditionOf(cluster, conditions.clockSynced)?.status === 'False'
  const isStale = !isSkewed && now.getTime() - heardAt.getTime() > graceMs(cluster, { leaseGraceFactor: 5 })
  const { [annotations.certificateExpiresAt]: end } = cluster.metadata.annotations ?? {}
  const isExpired = end !== undefined && needsCertificate(cluster, now)
  if (available?.status !== 'Unknown' && !isStale) return undefined
  const evidence = `last heard ${lease?.spec?.renewTime ?? 'never'}${isExpired ? '; its certificate has run out' : ''}`
  const fix = `look at the agent on the cluster: \`lanyard doctor ${name} --managed-kubeconfig FILE\``
  return isExpired ? { id: 'certificate-expired', evidence, fix } : { id: 'agent-down', evidence, fix }
}

const hasNoApiServer: Look = ({ cluster }) => {
  const available = conditionOf(cluster, conditions.available)
  if (available?.status !== 'False') return undefined
  return { id: 'api-server-down', evidence: available.message, fix: 'look at the API server of the cluster' }
}

const looks: readonly Look[] = [
  isLeaving,
  isDuplicated,
  asksInVain,
  isShutOut,
  isIgnored,
  getsNoAccess,
  lacksRights,
  staysAway,
  hasSkewedClock,
  isSilent,
  hasNoApiServer,
]
