import { Command, Option } from 'commander'
import { systemClock } from '../core/clock.ts'
import { hubNamespace } from '../fleet/names.ts'
import type { ActionName } from './access-act.ts'
import { momentFrom, spanSeconds } from './access-flag-values.ts'
import { withAccessFlags } from './access-server.ts'
import { webhookConfigCommand } from './access-webhook-config.ts'
import { listOf, wholeNumber } from './flag-values.ts'
import { outputOption } from './output.ts'
import { withHubSettings } from './settings.ts'
import type { Stop } from './stop-signal.ts'

const examples = `
Examples:
  lanyard access login --server https://lanyard.example.com      who you are; in a browser, here or elsewhere
  lanyard access escalations                                     what you may ask for
  lanyard access request west admins --reason "INC-4711" --for 2h --wait
  lanyard access list --pending                                  what waits, yours and what you decide on
  lanyard access approve west-admins-1f6c…-1 --for 30m           for less time than was asked
  lanyard access why west get secrets -n payments                may I, why, and what would allow it
  lanyard access webhook-config west --out west                  has the API server of a cluster ask the hub`

const requestExamples = `
Examples:
  lanyard access request west admins --reason "INC-4711"           for as long as the escalation allows
  lanyard access request west admins --for 2h --at 2026-08-20T22:00:00Z --reason "migration"
  lanyard access request west admins --for 1h --wait               until somebody has decided
  lanyard access request west admins --emergency --reason "outage" at once, where that is allowed; it is reviewed later`

const whyExamples = `
Examples:
  lanyard access why west get secrets -n payments
  lanyard access why west delete deployments.apps web -n shop
  lanyard access why west get pods/log -n shop --user jane@example.com   of somebody else, for those who may approve
  lanyard access why west get /metrics                                   a path`

const verifyExamples = `
Examples:
  lanyard access audit verify audit.log --kubeconfig hub.yaml      against what the hub has anchored
  kubectl get configmap lanyard-audit-heads -n ${hubNamespace} -o yaml > heads.yaml
  lanyard access audit verify audit.log.1 audit.log --heads heads.yaml   several files, oldest first, without the hub
  lanyard access audit verify audit.log --partial …                where older files are gone`

export function accessCommand(stop: Stop): Command {
  const command = new Command('access')
    .description('Break glass: ask for rights in a cluster for a while, approve, look, end.')
    .addHelpText('after', examples)
  const parts = [
    ...loginCommands(stop),
    requestCommand(stop),
    ...lookCommands(stop),
    ...actionCommands(stop),
    whyCommand(stop),
    watchCommand(stop),
    webhookConfigCommand(stop),
    auditCommand(stop),
  ]
  for (const part of parts) command.addCommand(part)
  return command
}

const shown = (command: Command): Command => command.addOption(outputOption(['table', 'json', 'yaml']))
const spanOption = (description: string): Option => new Option('--for <time>', description).argParser(spanSeconds)

const loginCommands = (stop: Stop): Command[] => [
  shown(withAccessFlags(new Command('login')))
    .description('Log in by a code that you confirm in a browser.')
    .option('--idp <name>', 'by which identity provider, where the hub has several')
    .option('--idp-ca <file>', 'who vouches for it, PEM (default: as the hub says, else the system)')
    .action(async (options, self) => (await import('./access-login.ts')).login(options, self, stop)),
  withAccessFlags(new Command('logout'))
    .description('Forget your login on this machine.')
    .option('--all', 'all of them')
    .action(async (options, self) => (await import('./access-login.ts')).logout(options, self, stop)),
  shown(withAccessFlags(new Command('whoami')))
    .description('Who the hub takes you for.')
    .action(async (options, self) => (await import('./access-login.ts')).whoami(options, self, stop)),
]

const requestCommand = (stop: Stop): Command =>
  shown(withAccessFlags(new Command('request')))
    .description('Ask for the rights of a group in a cluster.')
    .argument('<cluster>', 'where')
    .argument('<group>', 'whose rights: `lanyard access escalations` lists them')
    .option('--reason <text>', 'why')
    .addOption(spanOption('how long, such as 2h (default: as long as is allowed)'))
    .option('--at <time>', 'when it begins (default: once it is approved)', momentFrom(systemClock.now))
    .option('--emergency', 'before anybody approved, where that is allowed; somebody reviews it afterwards')
    .option('--wait', 'until somebody has decided')
    .option('--timeout <seconds>', 'how long --wait waits', wholeNumber(1), 3_600)
    .addHelpText('after', requestExamples)
    .action(async (cluster, group, options, self) =>
      (await import('./access-act.ts')).request(cluster, group, options, self, stop),
    )

const lookCommands = (stop: Stop): Command[] => [
  shown(withAccessFlags(new Command('list')))
    .alias('ls')
    .description('Sessions that you asked for or decide on, one a line.')
    .option('--mine', 'only those that you asked for')
    .option('--pending', 'only those that wait for approval')
    .option('--state <states>', 'only those: pending, approved, waiting, rejected, withdrawn, expired, …', listOf)
    .option('--cluster <name>', 'only those of this cluster')
    .option('--user <name>', 'only those of this user')
    .option('--group <name>', 'only those of this group')
    .action(async (options, self) => (await import('./access-show.ts')).list(options, self, stop)),
  shown(withAccessFlags(new Command('show')))
    .description('One session: how it stands, who did what, and what you may do.')
    .argument('<name>', 'of the session')
    .action(async (name, options, self) => (await import('./access-show.ts')).show(name, options, self, stop)),
  shown(withAccessFlags(new Command('escalations')))
    .description('What you may ask for, one a line.')
    .option('--cluster <name>', 'only in this cluster')
    .action(async (options, self) => (await import('./access-show.ts')).escalations(options, self, stop)),
]

const descriptions: Readonly<Record<ActionName, string>> = {
  approve: 'Approve a session, or more time for one that runs.',
  reject: 'Refuse a session, or more time for one that runs.',
  withdraw: 'Take back what you asked for, before it is approved.',
  drop: 'End a session of yours: you are done.',
  cancel: 'End a session of somebody else that you could have refused.',
  extend: 'Ask for more time for a session of yours that runs.',
  review: 'Say of an emergency afterwards whether it was one.',
}

function actionCommands(stop: Stop): Command[] {
  const of = (action: ActionName): Command =>
    shown(withAccessFlags(new Command(action)))
      .description(descriptions[action])
      .argument('[name]', 'of the session (default: the only one that can be meant)')
      .action(async (name, options, self) => (await import('./access-act.ts')).act(action, name, options, self, stop))
  return [
    of('approve').option('--reason <text>', 'why').addOption(spanOption('for less time than was asked, such as 30m')),
    of('reject').option('--reason <text>', 'why not'),
    of('withdraw'),
    of('drop'),
    of('cancel').option('--reason <text>', 'why'),
    of('extend')
      .addOption(spanOption('how much longer, such as 1h').makeOptionMandatory())
      .option('--reason <text>', 'why'),
    of('review')
      .addOption(
        new Option('--verdict <verdict>', 'what you found').choices(['justified', 'unjustified']).makeOptionMandatory(),
      )
      .option('--comment <text>', 'why'),
  ]
}

const whyCommand = (stop: Stop): Command =>
  shown(withAccessFlags(new Command('why'), ['namespace']))
    .description('Whether something may be done in a cluster, why, and what would allow it.')
    .argument('<cluster>', 'where')
    .argument('<verb>', 'get, list, create, delete, …')
    .argument('<resource>', 'such as secrets, deployments.apps, pods/log, or a path')
    .argument('[name]', 'of the object')
    .option('-n, --namespace <name>', 'in which namespace')
    .option('--user <name>', 'who (default: you)')
    .addHelpText('after', whyExamples)
    .action(async (cluster, verb, resource, name, options, self) =>
      (await import('./access-why.ts')).why({ cluster, verb, resource, name }, options, self, stop),
    )

const watchCommand = (stop: Stop): Command =>
  withAccessFlags(new Command('watch'))
    .description('What happens to sessions that you may see, as it happens, until Ctrl-C.')
    .option('--count <n>', 'end after so many events', wholeNumber(1))
    .addOption(outputOption(['table', 'json']))
    .action(async (options, self) => (await import('./access-watch.ts')).watch(options, self, stop))

const auditCommand = (stop: Stop): Command =>
  new Command('audit').description('The record of what happened.').addCommand(
    shown(withHubSettings(new Command('verify'), ['namespace']))
      .description('Prove that an audit log is whole: nothing edited, left out, reordered or cut off.')
      .argument('<files...>', 'the log, oldest first (- for standard input)')
      .option('--heads <file>', 'the ConfigMap of its heads, as kubectl prints it (default: asked of the hub)')
      .option('--sink <name>', 'whose records these are: log, or CONFIG/SINK of a webhook', 'log')
      .option('--partial', 'older files are gone: what is here must fit together')
      .option('--namespace <name>', 'of the hub', hubNamespace)
      .addHelpText('after', verifyExamples)
      .action(async (files, options, self) =>
        (await import('./access-audit.ts')).verifyLog(files, options, self, stop),
      ),
  )
