import { Command } from 'commander'
import { outputOption } from './output.ts'
import { withDatabaseFlags } from './pull-secrets-serve.ts'
import { withLocalFlags } from './pull-secrets-server.ts'
import type { Stop } from './stop-signal.ts'

const examples = `
Examples:
  lanyard pull-secrets keys list            which keys there are, and how many tokens each seals
  lanyard pull-secrets keys rotate          a new key for what is written from now on; the rest is sealed anew by and by
  lanyard pull-secrets keys retire key-0b96420b   once it seals nothing any more

A service that runs takes up a changed file by itself.`

/** Locally, on the file of the keys and the database: keys never go over the network. */
export function keysCommand(stop: Stop): Command {
  const list = local('list')
    .description('The keys that seal tokens.')
    .addOption(outputOption(['table', 'json', 'yaml']))
    .action(async (options, self) => (await import('./pull-secrets-keys-run.ts')).listKeys(options, self, stop))
  const rotate = local('rotate')
    .description('Add a key, and seal with it from now on; makes the file where there is none.')
    .addOption(outputOption(['table', 'json']))
    .action(async (options, self) => (await import('./pull-secrets-keys-run.ts')).rotateKeys(options, self, stop))
  const retire = local('retire')
    .description('Remove a key that seals nothing any more.')
    .argument('<id>', 'of the key')
    .addOption(outputOption(['table', 'json']))
    .action(async (id, options, self) =>
      (await import('./pull-secrets-keys-run.ts')).retireKey(id, options, self, stop),
    )
  return new Command('keys')
    .description('The keys that seal tokens in the database.')
    .addHelpText('after', examples)
    .addCommand(list)
    .addCommand(rotate)
    .addCommand(retire)
}

const local = (name: string): Command => withDatabaseFlags(withLocalFlags(new Command(name)))
