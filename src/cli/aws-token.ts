import { Command, InvalidArgumentError } from 'commander'
import { isEksName, isRegion } from '../registration/drivers/awsirsa/names.ts'
import type { TokenSourceDeps } from '../registration/drivers/awsirsa/token/token-source.ts'
import { printOn } from './print-on.ts'
import type { Stop } from './stop-signal.ts'

export interface AwsTokenOptions {
  region: string
  clusterName: string
  roleArn?: string
  stsEndpoint?: string
}

const examples = `
Examples:
  lanyard aws token --region eu-central-1 --cluster-name hub --role-arn arn:aws:iam::123456789012:role/ocm-hub-…
  lanyard aws token --region eu-central-1 --cluster-name hub        as whoever the AWS credentials at hand are of

A kubeconfig runs it as its exec plugin, and no person has to. The AWS credentials are those of the environment, of the
web identity of the pod (AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN), or of a profile, in this order.
What it prints lets its bearer in until it ends: do not paste it anywhere.`

/** `deps` are for tests; by default those of the process. */
export const awsTokenCommand = (stop: Stop, deps: Partial<TokenSourceDeps> = {}): Command => {
  const command = new Command('token')
  return command
    .description('Print a token for the API server of an EKS hub, as a credential plugin does.')
    .requiredOption('--region <region>', 'of the EKS cluster of the hub', regionOf)
    .requiredOption('--cluster-name <name>', 'of the EKS cluster of the hub', clusterNameOf)
    .option('--role-arn <arn>', 'of the role to be there (default: none is assumed)', roleArnOf)
    .option(
      '--sts-endpoint <url>',
      'of STS in a VPC, where roles are taken (default: that of the region, which tokens name anyway)',
    )
    .addHelpText('after', examples)
    .action(async (options: AwsTokenOptions) => {
      const { printAwsToken } = await import('./aws-token-run.ts')
      await printAwsToken(options, { print: printOn(command), signal: stop.signal, ...deps })
    })
}

/** `lanyard aws token` without its neighbours. */
export const awsTokenAlone = (stop: Stop): Command => new Command('aws').addCommand(awsTokenCommand(stop))

function regionOf(text: string): string {
  if (isRegion(text)) return text
  throw new InvalidArgumentError('It is a region such as eu-central-1.')
}

function clusterNameOf(text: string): string {
  if (isEksName(text)) return text
  throw new InvalidArgumentError('It is the name of an EKS cluster: letters, digits, - and _.')
}

function roleArnOf(text: string): string {
  if (/^arn:aws(-[a-z0-9]+)*:iam::\d{12}:role\/[\w+=,.@/-]+$/.test(text)) return text
  throw new InvalidArgumentError('It is the ARN of a role, such as arn:aws:iam::123456789012:role/NAME.')
}
