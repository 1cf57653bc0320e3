import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { conditions } from '../../fleet/names.ts'
import type { Stored } from '../../kube/objects.ts'
import { awsAnnotations, wayOf, writtenAwsRecord } from '../drivers/marks.ts'
import { arnOf } from '../overview/cluster-arn.ts'
import type { Finding } from './causes.ts'
import type { Look } from './hub-look.ts'
import { conditionOf } from './hub-look.ts'

/** The hub could not make its role or its mapping, or does not offer this way to join. */
export const getsNoAccess: Look = ({ cluster }) => {
  const accepted = conditionOf(cluster, conditions.accepted)
  if (wayOf(cluster) !== 'awsirsa' || !cluster.spec?.hubAcceptsClient || accepted?.reason !== 'Error') return undefined
  return { id: 'aws-access-missing', evidence: accepted.message, fix: 'do what it says' }
}

/** Somebody stopped in the middle of letting the cluster in, or had no AWS credentials to put it out with. */
export function leftInAws(cluster: Stored<ManagedCluster>): string {
  const { role } = writtenAwsRecord(cluster) ?? {}
  const { name } = cluster.metadata
  return role === undefined
    ? ''
    : `; its role ${role} is on record in AWS, and goes with \`lanyard deny ${name}\` if the cluster stays out`
}

/** Nobody approves it: what the hub gives a cluster, it gives by the way that is written on it. */
export const asksAnotherWay = (csr: string, made: string): Finding => ({
  id: 'csr-pending',
  evidence: `${made}; its agent asks by csr, while the cluster is marked as one of EKS`,
  fix: `if it is one of EKS, delete the request (\`kubectl delete csr ${csr}\`) and give its agent \`--registration-auth awsirsa\`; else take the annotations ${Object.values(awsAnnotations).join(', ')} off the ManagedCluster`,
})

/** All is ready on the hub, and nobody comes: whatever is wrong is between the pod of the agent and its roles. */
export const staysAway: Look = ({ name, cluster }) => {
  const accepted = conditionOf(cluster, conditions.accepted)
  const isAwaited = cluster.spec?.hubAcceptsClient && accepted?.status === 'True'
  if (wayOf(cluster) !== 'awsirsa' || !isAwaited || conditionOf(cluster, conditions.joined)) return undefined
  const evidence = `accepted since ${accepted.lastTransitionTime}, and no agent of ${arnOf(cluster) ?? 'its EKS cluster'} has come in by its role`
  const fix = `look at the cluster: \`lanyard doctor ${name} --managed-kubeconfig FILE\`; compare its role with what \`lanyard aws prerequisites cluster\` prints`
  return { id: 'aws-agent-not-in', evidence, fix }
}
