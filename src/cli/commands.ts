import { acceptCommand } from './accept.ts'
import { accessCommand } from './access.ts'
import { addonCommand } from './addon.ts'
import { agentCommand } from './agent.ts'
import { awsCommand } from './aws.ts'
import { denyCommand } from './deny.ts'
import { deployCommand } from './deploy.ts'
import { describeCommand } from './describe.ts'
import { doctorCommand } from './doctor.ts'
import { getCommand } from './get.ts'
import { hubCommand } from './hub.ts'
import { initCommand } from './init.ts'
import { joinCommand } from './join.ts'
import { kubeCommand } from './kube.ts'
import { operatorCommand } from './operator.ts'
import { pullSecretsCommand } from './pull-secrets.ts'
import { reachCommand } from './reach.ts'
import { tokenCommand } from './token.ts'
import { unjoinCommand } from './unjoin.ts'
import { upCommand } from './up.ts'

/** Every command, in the order that the help has. */
export const commands = [
  upCommand,
  kubeCommand,
  initCommand,
  tokenCommand,
  joinCommand,
  acceptCommand,
  denyCommand,
  unjoinCommand,
  getCommand,
  describeCommand,
  addonCommand,
  reachCommand,
  accessCommand,
  pullSecretsCommand,
  awsCommand,
  doctorCommand,
  hubCommand,
  agentCommand,
  operatorCommand,
  deployCommand,
]
