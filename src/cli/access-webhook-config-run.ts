import { join, posix } from 'node:path'
import type { Command } from 'commander'
import type { FailurePolicy, WebhookFile } from '../access/operations/webhook-config.ts'
import {
  failurePolicyFor,
  fileNames,
  webhookFiles,
  webhookTokenFor,
  webhookUrl,
} from '../access/operations/webhook-config.ts'
import { replaceFile } from '../core/replace-file.ts'
import type { Secret } from '../core/secret.ts'
import { textOf } from '../fleet/secret-texts.ts'
import { secrets } from '../kube/kinds.ts'
import type { Kube } from '../kube/kube.ts'
import { withSpokesHere } from '../reach/operations/here.ts'
import { hubUserOn } from '../reach/operations/rbac.ts'
import { findClusterConfig } from '../reach/overview/read-cluster-configs.ts'
import { hubCaSecret } from '../registration/manifests/hub-rbac.ts'
import { accessSettingsOf } from './access-settings.ts'
import type { WebhookConfigOptions } from './access-webhook-config.ts'
import { failures } from './failures.ts'
import { checkpointFrom } from './kill-at.ts'
import { certificateFile } from './named-file.ts'
import type { CommandDeps } from './open-hub.ts'
import { withHub } from './operate.ts'
import { settingsHere } from './reach-act.ts'
import { loadSettings } from './settings.ts'
import type { Stop } from './stop-signal.ts'

/**
 * `lanyard access webhook-config`. The token comes last: it is made once everything else is known and, with --out,
 * written, so that what goes wrong before costs nobody a token.
 */
export async function printWebhookConfig(
  cluster: string,
  options: WebhookConfigOptions,
  command: Command,
  stop: Stop,
): Promise<void> {
  const { out, output, namespace, rotate = false } = options
  const at = folderOf(options.at)
  const { settings } = await loadSettings(command)
  const access = accessSettingsOf(settings.access)
  const url = webhookUrl(options.url ?? access.url)
  await withHub(command, stop, async ({ client: kube }, deps) => {
    const hubUser = await hubUserThere(cluster, options.user, kube, deps)
    const ca = await caOf(options, kube, deps.signal)
    const { authorizedTtlMs } = access
    const failurePolicy = options.failurePolicy ?? (await failurePolicyFor(cluster, kube, deps.signal))
    const files = webhookFiles({ cluster, url, ca, hubUser, at, authorizedTtlMs, failurePolicy })
    if (out !== undefined) for (const file of files) await written(out, file)
    const tokenDeps = { ...deps, kube, namespace, checkpoint: checkpointFrom(process.env['LANYARD_KILL_AT']) }
    const token = await webhookTokenFor(cluster, { rotate, overlapMs: options.overlap }, tokenDeps)
    if (out !== undefined && token) await written(out, { name: fileNames.token, text: `${token.reveal()}\n` })
    const told = advice({ cluster, at, out, isNew: token !== undefined, rotate, failurePolicy })
    if (output === 'json') return void process.stdout.write(asJson(cluster, at, files, token, out))
    if (out === undefined) process.stdout.write(asYaml(at, files, token))
    ;(out === undefined ? process.stderr : process.stdout).write(told)
  })
}

function folderOf(at: string): string {
  if (!posix.isAbsolute(at)) throw failures.FOLDER_RELATIVE({ path: at, flag: '--at' })
  return at
}

/** Also where it need not be asked: a name that nobody knows would make a token that opens nothing. */
async function hubUserThere(cluster: string, user: string | undefined, kube: Kube, deps: CommandDeps): Promise<string> {
  const config = await findClusterConfig(kube, cluster, { signal: deps.signal })
  if (user !== undefined) return user
  const settings = await settingsHere()
  return withSpokesHere(config, { ...deps, kube, settings }, (spokes) => hubUserOn(cluster, spokes, deps.signal))
}

async function caOf(
  { caFile, systemCa = false, namespace }: WebhookConfigOptions,
  kube: Kube,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (systemCa) return undefined
  if (caFile !== undefined) return certificateFile(caFile, '--ca-file')
  const ca = textOf((await kube.of(secrets, namespace).find(hubCaSecret, { signal }))?.data ?? {}, 'ca.crt')
  if (ca === undefined) throw failures.ACCESS_CA_UNKNOWN({ secret: `${namespace}/${hubCaSecret}` })
  return ca
}

async function written(folder: string, { name, text }: WebhookFile): Promise<void> {
  const path = join(folder, name)
  try {
    await replaceFile(path, text)
  } catch (error) {
    throw failures.FILE_UNWRITABLE({ path, flag: '--out', detail: (error as NodeJS.ErrnoException).code }, error)
  }
}

function asYaml(at: string, files: readonly WebhookFile[], token: Secret | undefined): string {
  const documents = files.map(({ name, text }) => `# ${posix.join(at, name)}\n${text}`)
  const last = token ? `---\n# ${posix.join(at, fileNames.token)}, shown this once:\n${token.reveal()}\n` : ''
  return `${documents.join('---\n')}${last}`
}

function asJson(
  cluster: string,
  at: string,
  files: readonly WebhookFile[],
  token: Secret | undefined,
  out: string | undefined,
): string {
  const texts = Object.fromEntries(files.map(({ name, text }) => [name, text]))
  const shown = token && out === undefined ? { token: token.reveal() } : {}
  const data = {
    cluster,
    at,
    flag: `--authorization-config=${posix.join(at, fileNames.config)}`,
    files: texts,
    ...shown,
  }
  return `${JSON.stringify(data, null, 2)}\n`
}

interface Told {
  cluster: string
  at: string
  out: string | undefined
  isNew: boolean
  rotate: boolean
  failurePolicy: FailurePolicy
}

function advice({ cluster, at, out, isNew, rotate, failurePolicy }: Told): string {
  const token = posix.join(at, fileNames.token)
  const where = out === undefined ? 'Put the files above' : `Put the files of ${out}`
  const ofToken = isNew
    ? `The token is in none of them but ${token}; nobody can show it again.`
    : `${cluster} keeps the token it has, which nobody can show again; --rotate makes another.`
  if (rotate)
    return `Put the token at ${token} on every machine that runs the API server of ${cluster}.
kube-apiserver reads it again within a minute; the one before stays good as --overlap says.
`
  return `${where} into ${at} on every machine that runs the API server of ${cluster}, readable to it alone.
${ofToken}
Then give kube-apiserver --authorization-config=${posix.join(at, fileNames.config)}, take --authorization-mode and
--authorization-webhook-* away from it, and restart it. In a pod (kubeadm) it also needs ${at} as a volume.
Later changes of ${fileNames.config} and of the token count within a minute, without a restart.
${withoutHub[failurePolicy]}
`
}

const withoutHub: Readonly<Record<FailurePolicy, string>> = {
  Deny: `While no hub answers, people do nothing there, because policies are for this cluster (failurePolicy: Deny). system:masters
and service accounts go on. To have RBAC decide then, without policies: --failure-policy NoOpinion.`,
  NoOpinion: `While no hub answers, RBAC alone decides there, without policies (failurePolicy: NoOpinion). Once a policy is to be for
this cluster, print ${fileNames.config} again with --failure-policy Deny.`,
}
