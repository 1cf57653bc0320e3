/** The join by AWS IAM, as a hub's process has it. Loads the driver: import it only where the driver is asked for. */
import type { Clock } from '../core/clock.ts'
import type { Run } from '../core/lifecycle.ts'
import { aborted } from '../core/lifecycle.ts'
import type { Log } from '../core/log.ts'
import type { Step } from '../core/step.ts'
import { isEks } from '../fleet/eks.ts'
import { arnMatcher } from '../registration/drivers/awsirsa/arn-patterns.ts'
import { openOwnAws } from '../registration/drivers/awsirsa/clients/open-own.ts'
import type { AwsHubDeps } from '../registration/drivers/awsirsa/hub.ts'
import { awsHubDriver } from '../registration/drivers/awsirsa/hub.ts'
import type { Wrong } from '../registration/drivers/awsirsa/names.ts'
import { parseEksArn } from '../registration/drivers/awsirsa/names.ts'
import { parseTags } from '../registration/drivers/awsirsa/tags.ts'
import type { HubDriverFactory } from '../registration/hub/index.ts'
import { failures } from './failures.ts'
import type { HubAwsFlags } from './hub-drivers.ts'

export interface HubAwsDeps {
  clock: Clock
  log: Log
  show(step: Step): void
  /** What the hub's API server says of itself, once it answers. */
  serverVersion(): Promise<string>
}

export type AwsWish = Pick<AwsHubDeps, 'hub' | 'tags' | 'autoApprovedArns'>

export interface HubAws extends Disposable {
  readonly driver: HubDriverFactory
  /** In every replica: says at the start with which account it works, or why it cannot. */
  readonly run: Run
}

/** What the flags say. Throws for what could not be meant. */
export function awsWishOf(flags: HubAwsFlags): AwsWish {
  const hub = right(parseEksArn(flags.hubClusterArn), '--hub-cluster-arn')
  const { tags } = right(parseTags(flags.awsResourceTags), '--aws-resource-tags')
  const autoApprovedArns = right(arnMatcher(flags.autoApprovedArnPatterns), '--auto-approved-arn-patterns')
  return { hub, tags, ...(flags.autoApprovedArnPatterns.length > 0 && { autoApprovedArns }) }
}

/** AWS is not asked before it has something to do. */
export function hubAws(wish: AwsWish, { clock, log, show, serverVersion }: HubAwsDeps): HubAws {
  const { hub } = wish
  const aws = openOwnAws({ hub, clock })
  return {
    driver: (deps) =>
      awsHubDriver({
        ...deps,
        ...wish,
        clusters: deps.view.clusters,
        iam: aws.iam,
        eks: aws.eks,
        isEks: async () => isEks(await serverVersion()),
      }),
    async run(signal) {
      // No end of the process: clusters of other drivers do without AWS, and each of its own will say the same.
      aws.check().then(
        () => show({ did: 'AWS takes the hub for one of its own account', detail: hub.account }),
        (err: unknown) => log.warn({ err, hubClusterArn: hub.arn }, 'nothing can be granted in AWS at present'),
      )
      await aborted(signal)
    },
    [Symbol.dispose]: () => aws[Symbol.dispose](),
  }
}

function right<R extends object>(parsed: R | Wrong, flag: string): R {
  if ('wrong' in parsed) throw failures.FLAG_MALFORMED({ flag, detail: parsed.wrong })
  return parsed
}
