import { Command } from 'commander'
import { outputOption } from './output.ts'
import type { Stop } from './stop-signal.ts'

const backupExamples = `
Examples:
  lanyard kube backup --data ./kube --to kube.backup              whether it runs or not
  lanyard kube backup --data ./kube --to kube.backup --overwrite  in place of the last one, once this one is whole
  lanyard kube fsck --from kube.backup                            is it whole?
It holds every Secret and the keys of the control plane: keep it as you keep those. The audit log is not in it.`

const restoreExamples = `
Examples:
  lanyard kube restore --data ./new --from kube.backup             into a new folder
  lanyard kube restore --data ./kube --from kube.backup --replace  what is there goes to ./kube/before-…
  lanyard kube --data ./new                                        serve it
The resourceVersion jumps ahead, so that clients that know a later state list again.
What was revoked after the backup comes back with it. So sessions, bootstrap tokens and tokens of service accounts end
unless they are kept. Webhook tokens stay: without them every API server that asks the hub goes on without its answers.`

const compactExamples = `
Examples:
  lanyard kube compact --data ./kube
Forgets the changes that watchers could resume from (they list again) and gives the room back to the disk.`

const fsckExamples = `
Examples:
  lanyard kube fsck --data ./kube                       a folder that is not served just now
  lanyard kube fsck --from kube.backup                  a backup
  lanyard kube fsck --data ./kube --repair ./saved      write what is readable to a new folder, list what is lost
Exit code 0: nothing is wrong. 1: something is, or it could not be checked. 2: the command was not understood.`

const run = () => import('./kube-care-run.ts')

const onFolder = (name: string): Command =>
  new Command(name).option('--data <folder>', 'the folder of the control plane')

/** Not declared as required: Commander would ask each command below `kube` for that of `kube`, and the other way round. */
export const needData = (command: Command): never =>
  command.error("error: required option '--data <folder>' not specified")

/** Commander gives `--data` to the command above, which has it too. What that one alone has is not meant for these. */
function optionsOf(self: Command): never {
  const above = self.parent
  for (const option of above?.options ?? []) {
    const isOwn = self.options.some(({ long }) => long === option.long)
    if (!isOwn && above?.getOptionValueSource(option.attributeName()) === 'cli')
      self.error(`error: unknown option '${option.long}'`)
  }
  return self.optsWithGlobals() as never
}

function withData(self: Command): never {
  const options: { data?: string } = optionsOf(self)
  return options.data === undefined ? needData(self) : (options as never)
}

/** What belongs to `lanyard kube` besides serving. */
export const careCommands = (stop: Stop): Command[] => [
  onFolder('backup')
    .description('Write data and keys of a control plane to one file, also while it runs.')
    .requiredOption('--to <file>', 'the backup; readable by you alone')
    .option('--overwrite', 'replace the file if it is there')
    .addOption(outputOption(['table', 'json']))
    .addHelpText('after', backupExamples)
    .action(async (_, self) => (await run()).runBackup(withData(self), self, stop)),
  onFolder('restore')
    .description('Bring a backup back, into a new folder or in place of what is there.')
    .requiredOption('--from <file>', 'the backup; all of it is checked first')
    .option('--replace', 'move what is in the folder aside')
    .option('--keep-sessions', 'sessions that were in force or waited are so again')
    .option('--keep-tokens', 'bootstrap tokens and tokens of service accounts are good again')
    .option('--revoke-webhook-tokens', 'those that ask the hub must be given new ones')
    .addOption(outputOption(['table', 'json']))
    .addHelpText('after', restoreExamples)
    .action(async (_, self) => (await run()).runRestore(withData(self), self, stop)),
  onFolder('compact')
    .description('Forget the history and make the files as small as they can be.')
    .addOption(outputOption(['table', 'json']))
    .addHelpText('after', compactExamples)
    .action(async (_, self) => (await run()).runCompact(withData(self), self, stop)),
  new Command('fsck')
    .description('Check the data and the keys of a control plane, or a backup. Changes nothing.')
    .option('--data <folder>', 'the folder of the control plane')
    .option('--from <file>', 'a backup')
    .option('--repair <folder>', 'write what is readable to this new folder')
    .addOption(outputOption(['table', 'json']))
    .addHelpText('after', fsckExamples)
    .action(async (_, self) => (await run()).runFsck(optionsOf(self), self, stop)),
]
