import { readFile } from 'node:fs/promises'
import { dirname, isAbsolute, resolve } from 'node:path'
import { parse } from 'yaml'
import { isFailure } from '../../core/failure.ts'
import { Secret } from '../../core/secret.ts'
import type { Kubeconfig, KubeconfigUser } from '../../kube/kubeconfig/index.ts'
import { parseKubeconfig } from '../../kube/kubeconfig/index.ts'
import { failures } from './failures.ts'

/** What the API server shows a webhook. Nothing where it is asked anonymously. */
export interface WebhookCredential {
  readonly cert?: string
  readonly key?: Secret
  /** Of the header. */
  readonly authorization?: Secret
}

/** For `host:port`, or `name.namespace.svc:port` of a service. */
export type CredentialFor = (hostPort: string) => WebhookCredential

/** By the kind of the webhook. */
export interface WebhookCredentials {
  readonly mutating: CredentialFor
  readonly validating: CredentialFor
}

export const anonymous: WebhookCredentials = { mutating: () => ({}), validating: () => ({}) }

const plugins = { mutating: 'MutatingAdmissionWebhook', validating: 'ValidatingAdmissionWebhook' } as const
const version = 'apiserver.config.k8s.io/v1'

interface Plugin {
  name?: unknown
  path?: unknown
  configuration?: { apiVersion?: unknown; kind?: unknown; kubeConfigFile?: unknown }
}

/**
 * What an AdmissionConfiguration has for webhooks: a kubeconfig each for mutating and validating ones, whose users are
 * named by the webhooks that they are shown to. Read once, as the real server does. Conversion is not among them there,
 * so it is always asked for anonymously.
 */
export async function readWebhookCredentials(file: string): Promise<WebhookCredentials> {
  const invalid = (detail: string) => failures.ADMISSION_CONFIG_INVALID({ file, detail })
  const text = await textOf(file, file)
  const document = asObject(parsed(text, invalid))
  if (document?.['kind'] !== 'AdmissionConfiguration' || document['apiVersion'] !== version)
    throw invalid(`it has to be an AdmissionConfiguration of ${version}`)
  const given: Plugin[] = Array.isArray(document['plugins']) ? document['plugins'] : []
  const of = async (name: string): Promise<CredentialFor> => {
    const plugin = given.find((one) => one?.name === name)
    if (!plugin) return () => ({})
    const configuration =
      typeof plugin.path === 'string'
        ? asObject(parsed(await textOf(resolve(dirname(file), plugin.path), file), invalid))
        : plugin.configuration
    const { apiVersion, kind, kubeConfigFile = '' } = configuration ?? {}
    if (kind !== 'WebhookAdmissionConfiguration' || (apiVersion !== version && apiVersion !== `${version}alpha1`))
      throw invalid(`the configuration of ${name} has to be a WebhookAdmissionConfiguration of ${version}`)
    if (kubeConfigFile === '') return () => ({})
    if (typeof kubeConfigFile !== 'string' || !isAbsolute(kubeConfigFile))
      throw invalid(
        `${name}: kubeConfigFile: Invalid value: ${JSON.stringify(kubeConfigFile)}: must be an absolute file path`,
      )
    return await credentialsIn(kubeConfigFile, invalid)
  }
  return { mutating: await of(plugins.mutating), validating: await of(plugins.validating) }
}

async function credentialsIn(file: string, invalid: (detail: string) => Error): Promise<CredentialFor> {
  try {
    const config = parseKubeconfig(await readFile(file, 'utf8'), { file })
    const known = new Map<string, WebhookCredential>()
    for (const { name, value } of config.users) known.set(name, await credentialOf(value, dirname(file)))
    return (hostPort) => {
      const name = userFor(hostPort, config)
      return (name !== undefined && known.get(name)) || {}
    }
  } catch (error) {
    throw invalid(isFailure(error) ? error.message : `${file} cannot be read`)
  }
}

/** In the order of the real server: by name, by a star in place of its first parts, without port 443, `*`, the current context. */
export function userFor(hostPort: string, { users, contexts, currentContext }: Kubeconfig): string | undefined {
  const has = (name: string) => users.some((user) => user.name === name)
  const withStars = (target: string) => {
    const steps = target.split('.')
    return [target, ...steps.slice(1).map((_, at) => `*.${steps.slice(at + 1).join('.')}`)]
  }
  const portless = hostPort.endsWith(':443') ? withStars(hostPort.slice(0, -':443'.length)) : []
  const named = [...withStars(hostPort), ...portless, '*'].find(has)
  return named ?? contexts.find(({ name }) => name === currentContext)?.value.user
}

async function credentialOf(user: KubeconfigUser, folder: string): Promise<WebhookCredential> {
  const contentOf = (path: string | undefined) => path && readFile(resolve(folder, path), 'utf8')
  const cert = user.clientCertificateData ?? (await contentOf(user.clientCertificate))
  const key = user.clientKeyData?.reveal() ?? (await contentOf(user.clientKey))
  const token = user.token?.reveal() ?? (await contentOf(user.tokenFile))?.trim()
  const { username, password } = user
  const basic = username && password && Buffer.from(`${username}:${password.reveal()}`).toString('base64')
  const header = token ? `Bearer ${token}` : basic ? `Basic ${basic}` : undefined
  return {
    ...(cert && key && { cert, key: Secret.of(key) }),
    ...(header !== undefined && { authorization: Secret.of(header) }),
  }
}

async function textOf(path: string, file: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const { code = 'it cannot be read' } = error as NodeJS.ErrnoException
    throw failures.ADMISSION_CONFIG_INVALID({ file, detail: `${path}: ${code}` })
  }
}

function parsed(text: string, invalid: (detail: string) => Error): unknown {
  try {
    return parse(text)
  } catch {
    throw invalid('it is not YAML')
  }
}

const asObject = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
