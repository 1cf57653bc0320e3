import { Command, Option } from 'commander'
import { hubNamespace } from '../fleet/names.ts'
import { exactHttpsUrl, httpsUrl, repeated, wholeNumber } from './flag-values.ts'
import type { OutputFormat } from './output.ts'
import { outputOption } from './output.ts'
import { reachTrustCommand } from './reach-trust.ts'
import { withHubSettings } from './settings.ts'
import type { Stop } from './stop-signal.ts'

export interface ReachAddOptions {
  kubeconfigFile?: string
  fromContext?: string
  server?: string
  issuer?: string
  issuerCaFile?: string
  clientId?: string
  clientSecretFile?: string
  caFile?: string
  audience?: string
  scope?: string[]
  identityProvider?: string
  fromJoin?: boolean
  cluster?: string
  namespace: string
  wait?: boolean
  timeout: number
  output: 'table' | 'json'
}

export interface ReachNamesOptions {
  all?: boolean
  here?: boolean
  yes?: boolean
  namespace?: string
  timeout: number
  output: 'table' | 'json'
}

export interface ReachRbacOptions {
  user?: string
  apply?: boolean
  spokeKubeconfig?: string
  spokeContext?: string
  otherAddress?: boolean
  namespace?: string
  timeout: number
  output: 'yaml' | 'json'
}

const addExamples = `
Examples:
  lanyard reach add west --kubeconfig-file west.yaml --wait          by a kubeconfig; it is kept in a Secret of the hub
  lanyard reach add west --kubeconfig-file ~/.kube/config --from-context west
  lanyard reach add east --server https://east.example.com:6443 --issuer https://login.example.com/realms/fleet \\
    --client-id lanyard --client-secret-file secret.txt --ca-file east-ca.crt
  lanyard reach add east --server https://east.example.com:6443 --identity-provider corporate
  lanyard reach add north --from-join                                its agent hands a short-lived token over
  pass show lanyard | lanyard reach add east … --client-secret-file -

It may be repeated: another way in takes the place of the one before. Without --ca-file the CA of the API server is
trusted when it is first seen; compare its fingerprint (lanyard reach list -o wide) with the cluster's.`

const listExamples = `
Examples:
  lanyard reach list            every way into a cluster, whether it works, and why not
  lanyard reach list -o wide    with whole fingerprints, what the trust rests on, and what went wrong
  lanyard get clusterconfigs    the same`

const checkExamples = `
Examples:
  lanyard reach check west          the hub looks now, and says what it found
  lanyard reach check --all         at every cluster; fails when one cannot be got into
  lanyard reach check west --here   from this machine, with your rights on the hub: tells the hub's network from the rest`

const removeExamples = `
Examples:
  lanyard reach rm west         the ClusterConfig, and the Secrets that lanyard reach add made for it;
                                its agent is no longer asked for a way in
  lanyard reach rm west --yes   without asking`

const rbacExamples = `
Examples:
  lanyard reach rbac west                                          what the hub needs there, for who it is there
  lanyard reach rbac west | kubectl --context west apply -f -
  lanyard reach rbac west --apply --spoke-kubeconfig west-admin.yaml   applies it, and has the hub look again
  lanyard reach rbac west --user oidc:lanyard                      asks nobody`

export function reachCommand(stop: Stop): Command {
  const add = onHub('add')
    .description('Give the hub a way into a cluster: a ClusterConfig, and the Secrets it takes.')
    .argument('<name>', 'of the cluster')
    .option('--kubeconfig-file <file>', 'by this kubeconfig (- for standard input); files it names are put into it')
    .option('--from-context <name>', 'its context (default: its current one)')
    .option('--server <url>', 'by tokens: where its API server is', httpsUrl)
    .option('--issuer <url>', 'who issues them: an OpenID provider that the cluster trusts', exactHttpsUrl)
    .option('--issuer-ca-file <file>', 'who vouches for the issuer (default: the system)')
    .option('--client-id <id>', 'who the hub is there')
    .option('--client-secret-file <file>', 'its secret (- for standard input)')
    .option('--ca-file <file>', 'who vouches for the API server (default: the system, then whoever is seen first)')
    .option('--audience <name>', 'of the tokens (default: the server)')
    .option('--scope <name>', 'asked for besides openid; may be repeated', repeated)
    .option('--identity-provider <name>', 'an IdentityProvider of the hub, in place of --issuer and --client-id')
    .option('--from-join', 'its agent hands a way in over, of few rights and renewed by itself')
    .option('--cluster <name>', 'the ManagedCluster it leads into, where that has another name')
    .option('--namespace <name>', 'of the ClusterConfig and its Secrets', hubNamespace)
    .option('--wait', 'until the hub got in')
    .option('--timeout <seconds>', 'how long --wait waits', wholeNumber(1), 60)
    .addOption(outputOption(['table', 'json']))
    .addHelpText('after', addExamples)
    .action(async (name: string, options: ReachAddOptions, command: Command) =>
      (await import('./reach-add.ts')).addOne(name, options, command, stop),
    )
  const list = withHubSettings(new Command('list'))
    .alias('ls')
    .description('The ways into clusters, one a line.')
    .argument('[names...]', 'only these')
    .addOption(outputOption())
    .addHelpText('after', listExamples)
    .action(async (names: string[], { output }: { output: OutputFormat }, command: Command) =>
      (await import('./reach-act.ts')).listAll(names, output, command, stop),
    )
  const check = inNamespace('check')
    .description('Look whether the hub gets into clusters, now.')
    .argument('[names...]', 'the clusters')
    .option('--all', 'every one')
    .option('--here', 'from this machine, not from the hub')
    .option('--timeout <seconds>', 'how long one may take', wholeNumber(1), 30)
    .addOption(outputOption(['table', 'json']))
    .addHelpText('after', checkExamples)
    .action(async (names: string[], options: ReachNamesOptions, command: Command) =>
      (await import('./reach-act.ts')).checkEach(names, options, command, stop),
    )
  const rm = inNamespace('rm')
    .description('Take the way into a cluster away from the hub.')
    .argument('<names...>', 'the clusters')
    .option('--yes', 'do not ask')
    .addOption(outputOption(['table', 'json']))
    .addHelpText('after', removeExamples)
    .action(async (names: string[], options: ReachNamesOptions, command: Command) =>
      (await import('./reach-act.ts')).removeEach(names, options, command, stop),
    )
  const rbac = inNamespace('rbac')
    .description('Print what the hub needs on a cluster, or apply it there.')
    .argument('<name>', 'of the cluster')
    .option('--user <name>', 'who the hub is there (default: as the cluster says)')
    .option('--apply', 'apply it, as an administrator of the cluster')
    .option('--spoke-kubeconfig <file>', 'of that administrator')
    .option('--spoke-context <name>', 'its context (default: its current one)')
    .option('--other-address', 'the administrator gets there by another address and CA than the hub')
    .option('--timeout <seconds>', 'how long the hub may take to look again', wholeNumber(1), 30)
    .addOption(new Option('-o, --output <format>', 'how it is printed').choices(['yaml', 'json']).default('yaml'))
    .addHelpText('after', rbacExamples)
    .action(async (name: string, options: ReachRbacOptions, command: Command) =>
      (await import('./reach-rbac.ts')).printOrApply(name, options, command, stop),
    )
  return new Command('reach')
    .description('The ways of the hub into its clusters: give, check, trust and take them away.')
    .addCommand(add)
    .addCommand(list)
    .addCommand(check)
    .addCommand(reachTrustCommand(stop))
    .addCommand(rm)
    .addCommand(rbac)
}

const onHub = (verb: string): Command => withHubSettings(new Command(verb), ['namespace'])

const inNamespace = (verb: string): Command =>
  onHub(verb).option('--namespace <name>', 'of the ClusterConfig (default: wherever one of that name is)')
