import { Command } from 'commander'
import { awsCheckCommand } from './aws-check.ts'
import { awsPrerequisitesCommand } from './aws-prerequisites.ts'
import { awsTokenCommand } from './aws-token.ts'
import type { Stop } from './stop-signal.ts'

export function awsCommand(stop: Stop): Command {
  return new Command('aws')
    .description('Join by AWS IAM: what has to be in IAM, and tokens for an EKS hub.')
    .addCommand(awsPrerequisitesCommand())
    .addCommand(awsCheckCommand())
    .addCommand(awsTokenCommand(stop))
}
