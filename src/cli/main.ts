import './process-size.ts'
import { Command, CommanderError } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { acceptCommand } from './accept.ts'
import { accessCommand } from './access.ts'
import { addonCommand } from './addon.ts'
import { agentCommand } from './agent.ts'
import { awsCommand } from './aws.ts'
import { denyCommand } from './deny.ts'
import { deployCommand } from './deploy.ts'
import { describeCommand } from './describe.ts'
import { doctorCommand } from './doctor.ts'
import { explain } from './explain.ts'
import { getCommand } from './get.ts'
import { hubCommand } from './hub.ts'
import { initCommand } from './init.ts'
import { joinCommand } from './join.ts'
import { kubeCommand } from './kube.ts'
import { operatorCommand } from './operator.ts'
import { pullSecretsCommand } from './pull-secrets.ts'
import { reachCommand } from './reach.ts'
import { stopOnSignals } from './stop-signal.ts'
import { tokenCommand } from './token.ts'
import { unjoinCommand } from './unjoin.ts'
import { upCommand } from './up.ts'

const program = new Command('lanyard')
  .description('The identity and credential plane of a Kubernetes fleet.')
  .version(manifest.version, '-V, --version')
  .helpOption('-h, --help')
  .showHelpAfterError('Add --help to see what there is.')
  .exitOverride()

// Whoever reads our output may stop reading: `lanyard up --check | head -1`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.stderr.write(`${explain(error)}\n`)
  process.exit(error.code === 'EPIPE' ? 141 : 1)
})

// The launcher holds the other end. Without it nobody would be left to stop this process.
if (process.channel) {
  process.channel.unref()
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
}

const stop = stopOnSignals()
const commands = [
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
for (const command of commands) program.addCommand(inheriting(command(stop), program))

/** Commands below commands too: nobody but us ends the process. */
function inheriting(command: Command, parent: Command): Command {
  command.copyInheritedSettings(parent)
  for (const below of command.commands) inheriting(below, command)
  return command
}

// Left to itself, Node waits at the end for the writes of a TLS connection that died under them: for good, on a whole core.
process.once('beforeExit', () => process.exit())

try {
  await program.parseAsync()
  process.exitCode ??= stop.exitCode
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
  else if (stop.exitCode !== undefined) process.exitCode = stop.exitCode
  else {
    process.stderr.write(`${explain(error)}\n`)
    process.exitCode = 1
  }
}
