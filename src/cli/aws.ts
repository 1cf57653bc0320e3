import { Command } from 'commander'
import { awsPrerequisitesCommand } from './aws-prerequisites.ts'
import { awsTokenCommand } from './aws-token.ts'
import type { Stop } from './stop-signal.ts'

export function awsCommand(stop: Stop): Command {
  return new Command('aws')
    .description('Join by AWS IAM: what has to be in IAM, and tokens for an EKS hub.')
    .addCommand(awsPrerequisitesCommand())
    .addCommand(awsTokenCommand(stop))
}
