/** Copies in AWS Secrets Manager. The SDK is loaded with this file, and with nothing else. */
import {
  CreateSecretCommand,
  DeleteSecretCommand,
  DescribeSecretCommand,
  PutSecretValueCommand,
  RestoreSecretCommand,
  SecretsManagerClient,
  SecretsManagerServiceException,
} from '@aws-sdk/client-secrets-manager'
import { isFailure } from '../../core/failure.ts'
import { failures } from '../failures.ts'
import { sha256 } from './http-store.ts'
import { copyName, hyperfleetLabels, nameRules, ownerMark } from './names.ts'
import type { SinkDeps } from './open.ts'
import { fileText } from './open.ts'
import type { SinkConfig } from './settings.ts'
import type { Copy, Sink } from './sink.ts'

export interface AwsSinkOptions {
  name: string
  client: SecretsManagerClient
  instanceId: string
  /** How long a removed copy can be restored. */
  recoveryDays: number
  /** Keys without an end are let through. */
  allowStaticKeys: boolean
}

const ownerTag = 'lanyard-owner'

/**
 * The store itself sees to it that the same copy makes one version: its token names document and revision. Older versions
 * than the one before lose their label, and AWS removes them.
 */
export function awsSink({ name, client, instanceId, recoveryDays, allowStaticKeys }: AwsSinkOptions): Sink {
  const idOf = (clusterId: string) => copyName(clusterId, nameRules.aws)

  /** An identity that the platform gives has an end, and so a session; a key that somebody wrote down has none. */
  async function refuseStatic(): Promise<void> {
    if (allowStaticKeys) return
    const { sessionToken } = await client.config.credentials()
    if (!sessionToken) throw failures.PULL_STATIC_KEY({ entry: `sink ${name}`, field: 'what the SDK found' })
  }

  async function find(clusterId: string, abortSignal: AbortSignal) {
    try {
      const found = await client.send(new DescribeSecretCommand({ SecretId: idOf(clusterId) }), { abortSignal })
      const owner = found.Tags?.find(({ Key }) => Key === ownerTag)?.Value
      return { isOurs: owner === ownerMark(instanceId, clusterId), isDeleted: found.DeletedDate !== undefined }
    } catch (error) {
      if (isCalled(error, 'ResourceNotFoundException')) return undefined
      throw error
    }
  }

  async function create({ clusterId, ...copy }: Copy, abortSignal: AbortSignal): Promise<string> {
    const labels = { ...hyperfleetLabels(clusterId, nameRules.label), [ownerTag]: ownerMark(instanceId, clusterId) }
    const made = await client.send(
      new CreateSecretCommand({
        Name: idOf(clusterId),
        SecretString: copy.document.json.reveal(),
        ClientRequestToken: tokenOf(copy),
        Tags: Object.entries(labels).map(([Key, Value]) => ({ Key, Value })),
      }),
      { abortSignal },
    )
    return made.VersionId ?? ''
  }

  async function put(copy: Copy, abortSignal: AbortSignal): Promise<string> {
    const existing = await find(copy.clusterId, abortSignal)
    if (!existing) return await create(copy, abortSignal)
    const SecretId = idOf(copy.clusterId)
    if (!existing.isOurs) throw failures.SINK_FOREIGN({ sink: name, what: SecretId })
    if (existing.isDeleted) await client.send(new RestoreSecretCommand({ SecretId }), { abortSignal })
    const value = { SecretId, SecretString: copy.document.json.reveal(), ClientRequestToken: tokenOf(copy) }
    const made = await client.send(new PutSecretValueCommand(value), { abortSignal })
    return made.VersionId ?? ''
  }

  async function remove(clusterId: string, abortSignal: AbortSignal): Promise<void> {
    const existing = await find(clusterId, abortSignal)
    if (!existing?.isOurs || existing.isDeleted) return
    const command = { SecretId: idOf(clusterId), RecoveryWindowInDays: recoveryDays }
    await client.send(new DeleteSecretCommand(command), { abortSignal })
  }

  async function inWords<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    try {
      await refuseStatic()
      return await work()
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (isFailure(error)) throw error
      if (!(error instanceof SecretsManagerServiceException))
        throw failures.SINK_UNAVAILABLE({ sink: name, detail: 'no answer' }, error)
      const status = error.$metadata.httpStatusCode ?? 0
      const isLater = error.$retryable !== undefined || status >= 500 || status === 429 || laterNames.has(error.name)
      const detail = error.name
      throw isLater
        ? failures.SINK_UNAVAILABLE({ sink: name, detail }, error)
        : failures.SINK_REFUSED({ sink: name, detail }, error)
    }
  }

  return {
    name,
    put: (copy, signal) => inWords(signal, () => put(copy, signal)),
    remove: (clusterId, signal) => inWords(signal, () => remove(clusterId, signal)),
    close: () => client.destroy(),
  }
}

/** A copy that is made at this very moment, and limits. */
const laterNames = new Set(['ResourceExistsException', 'ThrottlingException', 'LimitExceededException'])

const isCalled = (error: unknown, name: string): boolean =>
  error instanceof SecretsManagerServiceException && error.name === name

/** As a UUID, which is what the store shows as the version. */
function tokenOf({ document, revision }: Pick<Copy, 'document' | 'revision'>): string {
  const hex = sha256(`${revision}:${document.hash}`)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

const attempts = 2
const requestMs = 10_000

export async function openAwsSink(config: SinkConfig, { settings }: SinkDeps): Promise<Sink> {
  const { name, region = '', endpoint, recoveryDays = 7, allowStaticKeys = false, accessKeyId } = config
  const staticKey =
    accessKeyId && config.secretAccessKeyFile
      ? { credentials: { accessKeyId, secretAccessKey: await fileText(config.secretAccessKeyFile) } }
      : {}
  const client = new SecretsManagerClient({
    region,
    ...(endpoint && { endpoint }),
    ...staticKey,
    maxAttempts: attempts,
    requestHandler: { requestTimeout: requestMs, connectionTimeout: requestMs, throwOnRequestTimeout: true },
  })
  return awsSink({ name, client, recoveryDays, allowStaticKeys, instanceId: settings.instanceId })
}
