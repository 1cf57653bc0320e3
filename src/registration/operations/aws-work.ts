import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import type { Step } from '../../core/step.ts'
import { isOnRecord } from '../drivers/marks.ts'

/** What a cluster gets in AWS, and loses: for hubs that leave it to the person who lets clusters in and puts them out. */
export interface AwsWork {
  /** Whose credentials do it: of a hub with a role of its own, that is none of the person's business. */
  by(): Promise<'own' | 'hub'>
  /** How long a hub may take for what it does itself. */
  readonly hubWithinMs: number
  /** Throws where there are no credentials, or those of another account. */
  check(): Promise<void>
  accept(cluster: string): AsyncIterable<Step>
  revoke(cluster: string): AsyncIterable<Step>
}

/** Undefined where the hub sees to it. */
export const workOfCaller = async (aws: AwsWork | undefined): Promise<AwsWork | undefined> =>
  (await aws?.by()) === 'own' ? aws : undefined

/** Asked before anything changes. A cluster without a record has nothing in AWS that anybody knows of. */
export const workToRevoke = async (cluster: ManagedCluster, aws: AwsWork | undefined): Promise<AwsWork | undefined> =>
  isOnRecord(cluster) ? await workOfCaller(aws) : undefined
