import type { Secret as SecretObject } from 'kubernetes-types/core/v1.d.ts'
import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import type { BackoffOptions } from '../../core/backoff.ts'
import type { Checkpoint } from '../../core/checkpoint.ts'
import type { Clock } from '../../core/clock.ts'
import type { ConditionReport } from '../../core/conditions.ts'
import type { KeepFreshOptions, Report } from '../../core/keep-fresh.ts'
import type { Run } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import type { Grant, Keep, Kept } from '../../core/pass.ts'
import type { Random } from '../../core/random.ts'
import type { HubStanza } from '../../fleet/hub-stanza.ts'
import type { Connection } from '../../kube/connection.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'

export type DriverName = 'csr' | 'awsirsa' | 'grpc'

/** The hub's half of a way to join. A hub has one or more, and each cluster comes by the one that `wayOf` names. */
export interface HubDriver {
  readonly name: DriverName
  /** What an accepted cluster gets beyond namespace and RBAC, and loses when it is denied or deleted. */
  readonly grant: Grant<Stored<ManagedCluster>>
  /** Why the hub may accept this new cluster of its own by itself, as the end of a sentence; undefined: it may not. */
  mayAutoAccept(cluster: Stored<ManagedCluster>): string | undefined
  /** That reason does not tell who asks: under a name of before, whoever held that could come back by it. */
  readonly acceptsNewNamesOnly?: true
  /** Whether it could ever say so: where none could, nothing is watched for it. */
  readonly accepts: boolean
  /** Whether what is on record for an earlier cluster of the name is what this one would be given, too. */
  isToHave?(cluster: Stored<ManagedCluster>, earlier: Stored<ManagedCluster>): boolean
  /** Its own controllers, such as the approval of CSRs. */
  readonly run: Run
}

/** What an agent has once it joined a hub, whatever proves there who it is. */
export interface JoinMaterial {
  readonly stanza: HubStanza
}

/** Where an agent keeps it, and for whom. */
export interface HubSecretOptions {
  kube: Kube
  namespace: string
  name: string
  cluster: string
  agent: string
}

export interface JoinOptions<M extends JoinMaterial> {
  cluster: string
  agent: string
  hub: HubStanza
  keep: Keep<M>
  /** For people: where the keep is. */
  keptIn: string
  /** As the bootstrap user; throws when there is none at present. */
  bootstrap(): Promise<Kube>
  /** As the agent itself, with what `held` returns. */
  own(): Kube
  /** Called after each step, once it is saved. */
  report(report: Report): void | Promise<void>
  clock: Clock
  random: Random
  log: Log
  checkpoint: Checkpoint
  /** Between two looks at what nothing tells about. */
  lookAgainMs: number
  /** The hub answered, whatever it said. */
  onAnswer(): void
  retry?: KeepFreshOptions<M>['retry']
}

export interface Join<M extends JoinMaterial> {
  readonly run: Run
  /** Something changed: the Secret, the bootstrap kubeconfig. */
  poke(): void
  /** What is good for this hub, also when its Secret has just been lost. */
  held(): Kept<M> | undefined
  /** The hub does not know what has this fingerprint: the agent joins as if it had never been there. */
  reject(fingerprint: string): void
  /** The hub let the agent in with what it has, or had: a ManagedCluster that is missing was deleted there on purpose. */
  wasLetIn(): boolean
}

/** The agent's half of a way to join. */
export interface AgentDriver<M extends JoinMaterial = JoinMaterial> {
  readonly name: DriverName
  /** On the ManagedCluster when the agent makes it, besides what people want there. */
  readonly clusterAnnotations: Readonly<Record<string, string>>
  /** The agent's Secret as a keep. What is damaged, or for another cluster or agent, counts as absent. */
  keep(options: HubSecretOptions): Keep<M>
  /** Whether the Secret still says what was put there. */
  holds(secret: SecretObject, material: M): boolean
  /** As the agent itself, with what it holds at the moment of each request. */
  connection(hub: HubStanza, held: () => M | undefined): Connection
  join(options: JoinOptions<M>): Join<M>
  /** What the hub is told about what the agent holds; undefined: nothing new. */
  condition(report: Report, cluster: string, held: M | undefined): ConditionReport | undefined
  /** Whether a request failed because the agent has nothing to show at present, and not because of the hub. */
  isUnproven(error: unknown): boolean
  /** Whether the hub may have taken back what the agent holds, so that it should ask anew: nothing piles up by that. */
  isPerhapsTakenBack(error: unknown): boolean
  /** Between two times that what it holds is given up because the hub does not know it. */
  readonly rejectionRetry: BackoffOptions
  /** What stands between the agent and its hub, in a sentence that says what to do. */
  troubleOf(report: Report, cluster: string): string
  /** What the agent holds, in a word for people: certificate, AWS role. */
  readonly holding: string
  /** What the agent does when the hub does not know it, in a clause for people. */
  readonly remedy: string
}
