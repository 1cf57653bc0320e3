import { calledFrom } from './called.ts'
import './process-size.ts'
import { Command, CommanderError } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { commandsFor } from './commands.ts'
import { explain } from './explain.ts'
import { stopOnSignals } from './stop-signal.ts'

const called = calledFrom(import.meta.filename)
const program = new Command(called)
  .description('The identity and credential plane of a Kubernetes fleet.')
  .version(manifest.version, '-V, --version')
  .helpOption('-h, --help')
  .showHelpAfterError('Add --help to see what there is.')
  .exitOverride()

// Whoever reads our output may stop reading: `lanyard up --check | head -1`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.stderr.write(`${explain(error, called)}\n`)
  process.exit(error.code === 'EPIPE' ? 141 : 1)
})

// The launcher holds the other end. Without it nobody would be left to stop this process.
if (process.channel) {
  process.channel.unref()
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
}

const stop = stopOnSignals()
for (const make of await commandsFor(process.argv.slice(2))) program.addCommand(inheriting(make(stop), program))

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
    process.stderr.write(`${explain(error, called)}\n`)
    process.exitCode = 1
  }
}
