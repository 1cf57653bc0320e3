import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { awsAnnotations } from '../drivers/marks.ts'

/** Which EKS cluster it is, as its agent wrote it: to be shown, and never to be believed. */
export const arnOf = ({ metadata }: ManagedCluster): string | undefined =>
  metadata?.annotations?.[awsAnnotations.arn] ?? metadata?.annotations?.[awsAnnotations.fieldArn]
