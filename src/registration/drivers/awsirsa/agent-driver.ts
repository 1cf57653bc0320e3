import { isFailure } from '../../../core/failure.ts'
import { isForbidden, isNotFound } from '../../../kube/failures.ts'
import type { AgentDriver } from '../driver.ts'
import type { AwsJoinOptions } from './agent.ts'
import { awsJoin } from './agent.ts'
import { awsJoinAnnotations } from './agent-annotations.ts'
import { awsHubConnection } from './agent-connection.ts'
import type { AwsHubMaterial } from './agent-secret.ts'
import { awsHolds, awsSecretKeep } from './agent-secret.ts'
import { awsTroubleOf } from './agent-trouble.ts'
import { failures } from './token/failures.ts'
import type { TokenSource } from './token/token-source.ts'

export interface AwsAgentOptions extends AwsJoinOptions {
  /** Of the role that the hub makes for the agent. */
  readonly tokens: Pick<TokenSource, 'token'>
}

/** The agent's half of the join by AWS IAM: what it holds is a role on the hub, and no key. */
export const awsAgentDriver = ({ tokens, ...options }: AwsAgentOptions): AgentDriver<AwsHubMaterial> => ({
  name: 'awsirsa',
  holding: 'AWS role',
  remedy: 'the agent looks whether the hub still accepts the cluster',
  clusterAnnotations: awsJoinAnnotations(options.eks.hub, options.eks.managed),
  keep: awsSecretKeep,
  holds: awsHolds,
  connection: (hub) => awsHubConnection(hub, tokens),
  join: (given) => awsJoin(given, options),
  // There is no certificate whose rotation the hub could be told of, and a role needs none.
  condition: () => undefined,
  isUnproven: (error) => isFailure(error) && Object.hasOwn(failures, error.code),
  // AWS says the same of a role that is gone and of one that may not be assumed; an API server may remember for minutes
  // whose a token was. Of an outage of STS the hub knows nothing.
  isPerhapsTakenBack: (error) => isFailure(error, 'AWS_ROLE_REFUSED') || isForbidden(error) || isNotFound(error),
  // Nothing piles up on the hub, so it is asked again soon: a mapping that somebody puts right works within a minute.
  rejectionRetry: { baseMs: 1_000, maxMs: 60_000, factor: 2 },
  troubleOf: awsTroubleOf,
})
