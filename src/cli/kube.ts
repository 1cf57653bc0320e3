import { resolve } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { systemClock } from '../core/clock.ts'
import { aborted } from '../core/lifecycle.ts'
import type { LogLevel } from '../core/log.ts'
import { createLog } from '../core/log.ts'
import { systemRandom } from '../core/random.ts'
import { checkpointFrom } from './kill-at.ts'
import { careCommands, needData } from './kube-care.ts'
import type { Stop } from './stop-signal.ts'

interface KubeOptions {
  data?: string
  port?: number
  authorizationConfig?: string
  authenticationConfig?: string
  authenticationTokenWebhookConfig?: string
  admissionControlConfigFile?: string
  oidcIssuerUrl?: string
  oidcClientId?: string
  oidcCaFile?: string
  oidcUsernameClaim?: string
  oidcUsernamePrefix?: string
  oidcGroupsClaim?: string
  oidcGroupsPrefix?: string
  auditPolicyFile?: string
  auditLogPath?: string
  controllers?: string
  logLevel: LogLevel
}

const examples = `
Examples:
  lanyard kube --data ./kube                       serve until Ctrl-C
  kubectl --kubeconfig ./kube/admin.kubeconfig get namespaces
  lanyard kube --data ./other --port 7443          a second one beside it
  lanyard kube --data ./kube --controllers=*,-csrsigning
  lanyard kube backup --data ./kube --to kube.backup`

export function kubeCommand(stop: Stop): Command {
  const command = new Command('kube')
    .description('Serve a Kubernetes API from a folder, for a laptop, an edge site or a test. It runs no pods.')
    .option('--data <folder>', 'where everything is kept; one process a folder')
    .option('--port <port>', 'the port on 127.0.0.1 (default: the one it had before, else any that is free)', portOf)
    .option('--authorization-config <file>', 'an AuthorizationConfiguration, as kube-apiserver takes it')
    .option('--authentication-config <file>', 'an AuthenticationConfiguration, as kube-apiserver takes it')
    .option('--authentication-token-webhook-config <file>', 'the kubeconfig of a TokenReview webhook')
    .option('--admission-control-config-file <file>', 'an AdmissionConfiguration: what webhooks are shown')
    .option('--oidc-issuer-url <url>', 'an OpenID provider, as kube-apiserver takes it; the next six belong to it')
    .option('--oidc-client-id <id>', 'the audience of its tokens')
    .option('--oidc-ca-file <file>', 'who vouches for its certificate')
    .option('--oidc-username-claim <claim>', 'which claim is the user')
    .option('--oidc-username-prefix <prefix>', 'put before the user')
    .option('--oidc-groups-claim <claim>', 'which claim holds the groups')
    .option('--oidc-groups-prefix <prefix>', 'put before each group')
    .option('--audit-policy-file <file>', 'an audit Policy, as kube-apiserver takes it; Secrets and tokens stay out')
    .option('--audit-log-path <file>', 'where audit events go (default with a policy: audit.log in the data folder)')
    .option('--controllers <names>', 'which controllers run: * for all, a name, or -name for all but it')
    .addOption(
      new Option('--log-level <level>', 'the least that is logged, on standard error')
        .choices(['debug', 'info', 'warn', 'error', 'silent'])
        .default('warn'),
    )
    .addHelpText('after', examples)
    .action((options: KubeOptions, self: Command) => kube(options, self, stop))
  for (const part of careCommands(stop)) command.addCommand(part)
  return command
}

function portOf(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port
  throw new InvalidArgumentError('It is a whole number from 1 to 65535.')
}

async function kube(options: KubeOptions, command: Command, stop: Stop): Promise<void> {
  const { data } = options
  if (data === undefined) return needData(command)
  const isTerminal = process.stderr.isTTY
  const log = createLog({ level: options.logLevel, pretty: isTerminal, colour: isTerminal })
  const { startEmbedded } = await import('../embedded/index.ts')
  await using plane = await startEmbedded({
    dir: resolve(data),
    checkpoint: checkpointFrom(process.env['LANYARD_KILL_AT']),
    clock: systemClock,
    random: systemRandom,
    log,
    ...(options.port !== undefined && { port: options.port }),
    ...(options.authorizationConfig && { authorizationConfig: resolve(options.authorizationConfig) }),
    ...(options.authenticationConfig && { authenticationConfig: resolve(options.authenticationConfig) }),
    ...(options.authenticationTokenWebhookConfig && {
      tokenWebhookConfig: resolve(options.authenticationTokenWebhookConfig),
    }),
    ...(options.admissionControlConfigFile && { admissionConfig: resolve(options.admissionControlConfigFile) }),
    ...(options.oidcIssuerUrl && { oidc: await oidcOf(options) }),
    ...(options.auditPolicyFile && { auditPolicy: resolve(options.auditPolicyFile) }),
    ...(options.auditLogPath && { auditLog: resolve(options.auditLogPath) }),
    ...(options.controllers !== undefined && { controllers: options.controllers.split(',') }),
  })
  process.stdout.write(
    `Serving the Kubernetes API on ${plane.url}\nkubectl --kubeconfig ${plane.adminKubeconfigPath} get namespaces\n`,
  )
  await Promise.race([aborted(stop.signal), plane.over])
  process.exitCode = 0
}

async function oidcOf(options: KubeOptions) {
  const { readFile } = await import('node:fs/promises')
  const { oidcIssuerUrl = '', oidcClientId = '', oidcCaFile } = options
  return {
    issuerUrl: oidcIssuerUrl,
    clientId: oidcClientId,
    ...(oidcCaFile && { caPem: await readFile(oidcCaFile, 'utf8') }),
    ...(options.oidcUsernameClaim && { usernameClaim: options.oidcUsernameClaim }),
    ...(options.oidcUsernamePrefix && { usernamePrefix: options.oidcUsernamePrefix }),
    ...(options.oidcGroupsClaim && { groupsClaim: options.oidcGroupsClaim }),
    ...(options.oidcGroupsPrefix && { groupsPrefix: options.oidcGroupsPrefix }),
  }
}
