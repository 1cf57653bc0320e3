/** Copies in an Azure Key Vault, by its REST protocol, with a workload identity or a managed identity. */
import type { Clock } from '../../core/clock.ts'
import { Secret } from '../../core/secret.ts'
import type { Environment } from '../ambient-identity.ts'
import { failures } from '../failures.ts'
import type { CallHttp, HttpAnswer, HttpCall } from './http-call.ts'
import { httpCaller } from './http-call.ts'
import type { HttpStore } from './http-store.ts'
import { at, httpStore, listAt, textAt } from './http-store.ts'
import { copyName, hyperfleetLabels, nameRules, ownerMark } from './names.ts'
import type { SinkDeps } from './open.ts'
import { fileText } from './open.ts'
import type { PassingToken } from './passing-token.ts'
import { passingToken } from './passing-token.ts'
import type { SinkConfig } from './settings.ts'
import type { Sink } from './sink.ts'
import { dockerConfig, keptVersions } from './sink.ts'

export interface AzureSinkOptions {
  name: string
  vaultUrl: string
  instanceId: string
  call: CallHttp
  clock: Clock
  login(signal: AbortSignal): Promise<PassingToken>
}

const apiVersion = 'api-version=7.4'
const ownerTag = 'lanyard-owner'
const hashTag = 'lanyard-hash'

export function azureSink({ name, vaultUrl, instanceId, call, clock, login }: AzureSinkOptions): Sink {
  const store = httpStore(name, call)
  const token = passingToken(clock, login)
  const base = vaultUrl.replace(/\/$/, '')
  const nameOf = (clusterId: string) => copyName(clusterId, nameRules.azure)

  async function ask(request: HttpCall, expected: readonly number[], signal: AbortSignal): Promise<HttpAnswer> {
    const headers = { authorization: `Bearer ${(await token.get(signal)).reveal()}` }
    const answer = await store.ask({ ...request, headers }, [...expected, 401], signal)
    if (answer.status !== 401) return answer
    token.refused()
    throw failures.SINK_UNAVAILABLE({ sink: name, detail: 'status 401' })
  }

  async function find(clusterId: string, signal: AbortSignal) {
    const url = `${base}/secrets/${nameOf(clusterId)}?${apiVersion}`
    const { status, json } = await ask({ method: 'GET', url }, [200, 404], signal)
    if (status === 404) return undefined
    return {
      isOurs: textAt(json, 'tags', ownerTag) === ownerMark(instanceId, clusterId),
      hash: textAt(json, 'tags', hashTag),
      version: versionIn(json),
    }
  }

  /** A removed secret keeps its name for a while. It takes its time to come back: the copy is tried again then. */
  async function recover(clusterId: string, signal: AbortSignal): Promise<never> {
    const where = `${base}/deletedsecrets/${nameOf(clusterId)}`
    const deleted = await ask({ method: 'GET', url: `${where}?${apiVersion}` }, [200, 404], signal)
    if (deleted.status === 200) {
      if (textAt(deleted.json, 'tags', ownerTag) !== ownerMark(instanceId, clusterId))
        throw failures.SINK_FOREIGN({ sink: name, what: nameOf(clusterId) })
      await ask({ method: 'POST', url: `${where}/recover?${apiVersion}`, body: {} }, [200, 404, 409], signal)
    }
    throw failures.SINK_UNAVAILABLE({ sink: name, detail: 'the secret is being recovered' })
  }

  /** Single versions cannot be removed here; disabled ones cannot be read. */
  async function disableOld(clusterId: string, newest: string, signal: AbortSignal): Promise<void> {
    const url = `${base}/secrets/${nameOf(clusterId)}/versions?${apiVersion}&maxresults=25`
    const { json } = await ask({ method: 'GET', url }, [200], signal)
    const enabled = listAt(json, 'value')
      .filter((version) => at(version, 'attributes', 'enabled') === true)
      .sort((a, b) => Number(at(b, 'attributes', 'created')) - Number(at(a, 'attributes', 'created')))
      .map(versionIn)
      .filter((version) => version !== newest)
    for (const version of enabled.slice(keptVersions - 1))
      await ask(
        {
          method: 'PATCH',
          url: `${base}/secrets/${nameOf(clusterId)}/${version}?${apiVersion}`,
          body: { attributes: { enabled: false } },
        },
        [200, 404],
        signal,
      )
  }

  return {
    name,
    async put({ clusterId, document }, signal) {
      const there = await find(clusterId, signal)
      if (there && !there.isOurs) throw failures.SINK_FOREIGN({ sink: name, what: nameOf(clusterId) })
      if (there?.hash === document.hash) return there.version
      const tags = {
        ...hyperfleetLabels(clusterId, nameRules.label),
        [ownerTag]: ownerMark(instanceId, clusterId),
        [hashTag]: document.hash,
      }
      const body = { value: document.json.reveal(), contentType: dockerConfig, tags }
      const url = `${base}/secrets/${nameOf(clusterId)}?${apiVersion}`
      const { status, json } = await ask({ method: 'PUT', url, body }, [200, 409], signal)
      if (status === 409) return await recover(clusterId, signal)
      const version = versionIn(json)
      await disableOld(clusterId, version, signal)
      return version
    },
    async remove(clusterId, signal) {
      const there = await find(clusterId, signal)
      if (!there?.isOurs) return
      await ask({ method: 'DELETE', url: `${base}/secrets/${nameOf(clusterId)}?${apiVersion}` }, [200, 404], signal)
    },
    async holds(clusterId, hash, signal) {
      const there = await find(clusterId, signal)
      return there?.isOurs === true && there.hash === hash
    },
  }
}

/** The end of `https://vault/secrets/name/version`. */
const versionIn = (json: unknown): string => textAt(json, 'id')?.split('/').at(-1) ?? ''

const resource = 'https://vault.azure.net'

export async function openAzureSink(config: SinkConfig, { clock, env, settings }: SinkDeps): Promise<Sink> {
  const { name, vaultUrl = '', clientId } = config
  const call = httpCaller(clock)
  const login = (signal: AbortSignal) => azureLogin(name, httpStore(name, call), env, clientId, signal)
  return azureSink({ name, vaultUrl, instanceId: settings.instanceId, call, clock, login })
}

/** A workload identity where the platform has given one, else the managed identity of the machine. */
export async function azureLogin(
  sink: string,
  store: HttpStore,
  env: Environment,
  clientId: string | undefined,
  signal: AbortSignal,
): Promise<PassingToken> {
  const federated = env['AZURE_FEDERATED_TOKEN_FILE']
  const tenant = env['AZURE_TENANT_ID']
  const client = clientId ?? env['AZURE_CLIENT_ID']
  const { json } =
    federated && tenant && client
      ? await workloadIdentity(store, { federated, tenant, client, env }, signal)
      : await managedIdentity(store, { client, env }, signal)
  const token = textAt(json, 'access_token')
  if (!token) throw failures.SINK_UNAVAILABLE({ sink, detail: 'there is no identity here' })
  return { token: Secret.of(token), lifetimeSeconds: Number(at(json, 'expires_in') ?? 60) }
}

async function workloadIdentity(
  store: HttpStore,
  { federated, tenant, client, env }: { federated: string; tenant: string; client: string; env: Environment },
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const authority = (env['AZURE_AUTHORITY_HOST'] ?? 'https://login.microsoftonline.com').replace(/\/$/, '')
  const form = new URLSearchParams({
    client_id: client,
    scope: `${resource}/.default`,
    grant_type: 'client_credentials',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await fileText(federated),
  })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const url = `${authority}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`
  return await store.ask({ method: 'POST', url, headers, body: form.toString() }, [200], signal)
}

async function managedIdentity(
  store: HttpStore,
  { client, env }: { client: string | undefined; env: Environment },
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const endpoint = env['IDENTITY_ENDPOINT'] ?? 'http://169.254.169.254/metadata/identity/oauth2/token'
  const url = new URL(endpoint)
  url.searchParams.set('api-version', '2018-02-01')
  url.searchParams.set('resource', resource)
  if (client) url.searchParams.set('client_id', client)
  return await store.ask({ method: 'GET', url: url.href, headers: { metadata: 'true' } }, [200], signal)
}
