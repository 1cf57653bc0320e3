import { Command, Option } from 'commander'
import { wholeNumber } from './flag-values.ts'
import { outputOption } from './output.ts'
import { keysCommand } from './pull-secrets-keys.ts'
import { migrateCommand, serveCommand } from './pull-secrets-serve.ts'
import { withServiceFlags } from './pull-secrets-server.ts'
import type { Stop } from './stop-signal.ts'

const examples = `
Examples:
  lanyard pull-secrets serve --stand-ins            the whole service on this machine, with registries that are made up
  lanyard pull-secrets generate west --provider gcp --region us-east1
  lanyard pull-secrets get west                     who the cluster is at each registry, without any token
  lanyard pull-secrets get west --reveal            its Docker configuration
  lanyard pull-secrets rotate west --wait           new credentials beside the old ones
  lanyard pull-secrets suspend west --reason "unpaid"`

const getExamples = `
Examples:
  lanyard pull-secrets get west                            its credentials, without tokens
  lanyard pull-secrets get west --reveal                   the document itself: {"auths": …}
  lanyard pull-secrets get west --reveal --as secret | kubectl apply -f -`

const generateExamples = `
Examples:
  lanyard pull-secrets generate west --provider gcp --region us-east1
  lanyard pull-secrets generate west --provider aws --region us-west-2 --registries quay`

const rotateExamples = `
Examples:
  lanyard pull-secrets rotate west                         new credentials; the old ones live on until confirmed, or for the grace
  lanyard pull-secrets rotate west --wait                  the same, until the new ones are served
  lanyard pull-secrets rotate west --reason compromise     old ones are revoked as soon as there are new ones
  lanyard pull-secrets rotate --all --max-per-hour 200     the whole fleet; run it again to go on after an interruption`

export function pullSecretsCommand(stop: Stop): Command {
  const command = new Command('pull-secrets')
    .description('Registry credentials of every cluster: serve them, look at them, rotate them.')
    .addHelpText('after', examples)
  const parts = [
    serveCommand(stop),
    migrateCommand(stop),
    getCommand(stop),
    listCommand(stop),
    generateCommand(stop),
    rotateCommand(stop),
    rotationsCommand(stop),
    ...endingCommands(stop),
    poolCommand(stop),
    registriesCommand(stop),
    keysCommand(stop),
  ]
  for (const part of parts) command.addCommand(part)
  return command
}

const getCommand = (stop: Stop): Command =>
  withServiceFlags(new Command('get'))
    .description('The pull secret of a cluster: who it is at each registry; with --reveal the document.')
    .argument('<cluster>', 'its id')
    .option('--reveal', 'print the tokens; the read is audited')
    .addOption(
      new Option('--as <form>', 'with --reveal: the Docker configuration, or a Secret for kubectl apply')
        .choices(['docker', 'secret'])
        .default('docker'),
    )
    .option('--secret-name <name>', 'with --as secret', 'pull-secret')
    .option('--secret-namespace <name>', 'with --as secret (default: that of kubectl)')
    .addOption(outputOption(['table', 'json', 'yaml']))
    .addHelpText('after', getExamples)
    .action(async (cluster, options, self) =>
      (await import('./pull-secrets-show.ts')).get(cluster, options, self, stop),
    )

const listCommand = (stop: Stop): Command =>
  withServiceFlags(new Command('list'))
    .description('Every cluster with credentials, one a line.')
    .addOption(outputOption(['table', 'json', 'yaml']))
    .action(async (options, self) => (await import('./pull-secrets-show.ts')).list(options, self, stop))

const generateCommand = (stop: Stop): Command =>
  withServiceFlags(new Command('generate'))
    .description('Give a cluster its pull secret, or find that it has one.')
    .argument('<cluster>', 'its id')
    .requiredOption('--provider <name>', 'its cloud: gcp, aws, azure or a configured one')
    .requiredOption('--region <name>', 'where it is')
    .option('--external-id <id>', 'how the cloud calls it')
    .option('--registries <ids>', 'only these, separated by commas')
    .option('--reveal', 'print the document, tokens included')
    .addOption(outputOption(['table', 'json', 'yaml']))
    .addHelpText('after', generateExamples)
    .action(async (cluster, options, self) =>
      (await import('./pull-secrets-act.ts')).generate(cluster, options, self, stop),
    )

const rotateCommand = (stop: Stop): Command =>
  withServiceFlags(new Command('rotate'))
    .description('Renew the credentials of a cluster, or of all.')
    .argument('[cluster]', 'its id')
    .option('--all', 'every cluster that has a pull secret')
    .addOption(new Option('--reason <reason>', 'why').choices(['manual', 'compromise', 'scheduled']).default('manual'))
    .option('--force', 'revoke the old credentials as soon as there are new ones')
    .option(
      '--revoke-first',
      'with --force or --reason compromise: revoke the old ones before there are new ones; the cluster cannot pull meanwhile',
    )
    .option('--max-per-hour <n>', 'with --all: no more than this', wholeNumber(1))
    .option('--wait', 'until the new credentials are served')
    .option('--timeout <seconds>', 'how long --wait waits for one cluster', wholeNumber(1), 600)
    .addOption(outputOption(['table', 'json']))
    .addHelpText('after', rotateExamples)
    .action(async (cluster, options, self) =>
      (await import('./pull-secrets-rotate.ts')).rotate(cluster, options, self, stop),
    )

const rotationsCommand = (stop: Stop): Command => {
  const rotations = withServiceFlags(new Command('rotations'))
    .description('The rotations of a cluster; confirm or cancel one.')
    .argument('<cluster>', 'its id')
    .argument('[verb]', 'confirm: the new credentials are in use; cancel: before they are served')
    .argument('[id]', 'of the rotation (default: the one that is open)')
    .addOption(outputOption(['table', 'json', 'yaml']))
    .action(async (cluster, verb, id, options, self) =>
      (await import('./pull-secrets-rotations.ts')).rotations({ cluster, verb, id }, options, self, stop),
    )
  return rotations
}

const endings = {
  suspend: 'Revoke every credential of a cluster and make no new ones until it is resumed.',
  resume: 'Give a suspended cluster new credentials.',
} as const

const endingCommands = (stop: Stop): Command[] => [
  ...(['suspend', 'resume'] as const).map((verb) =>
    withServiceFlags(new Command(verb))
      .description(endings[verb])
      .argument('<cluster>', 'its id')
      .requiredOption('--reason <text>', 'for the audit log')
      .addOption(outputOption(['table', 'json']))
      .action(async (cluster, options, self) =>
        (await import('./pull-secrets-act.ts'))[verb](cluster, options, self, stop),
      ),
  ),
  withServiceFlags(new Command('delete'))
    .description('Revoke every credential of a cluster and forget them; the audit log stays.')
    .argument('<cluster>', 'its id')
    .option('--reason <text>', 'for the log of whoever runs this; the service asks for none')
    .addOption(outputOption(['table', 'json']))
    .action(async (cluster, options, self) =>
      (await import('./pull-secrets-act.ts')).remove(cluster, options, self, stop),
    ),
]

const poolCommand = (stop: Stop): Command =>
  withServiceFlags(new Command('pool'))
    .description('Accounts that were made in advance; `pool fill REGISTRY` makes a batch now.')
    .argument('[verb]', 'fill')
    .argument('[registry]', 'its id')
    .addOption(outputOption(['table', 'json', 'yaml']))
    .action(async (verb, registry, options, self) =>
      (await import('./pull-secrets-show.ts')).pool({ verb, registry }, options, self, stop),
    )

const registriesCommand = (stop: Stop): Command =>
  withServiceFlags(new Command('registries'))
    .description('The registries of the service, and whose credential each shows.')
    .addOption(outputOption(['table', 'json', 'yaml']))
    .action(async (options, self) => (await import('./pull-secrets-show.ts')).registries(options, self, stop))
