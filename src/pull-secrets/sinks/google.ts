/** Copies in Google Cloud's Secret Manager, by its REST protocol, with the identity that the metadata server gives. */
import type { Clock } from '../../core/clock.ts'
import { Secret } from '../../core/secret.ts'
import { failures } from '../failures.ts'
import type { CallHttp, HttpAnswer, HttpCall } from './http-call.ts'
import { httpCaller } from './http-call.ts'
import { at, httpStore, listAt, sha256, textAt } from './http-store.ts'
import { copyName, hyperfleetLabels, nameRules, ownerMark } from './names.ts'
import type { SinkDeps } from './open.ts'
import { passingToken } from './passing-token.ts'
import type { SinkConfig } from './settings.ts'
import type { Sink } from './sink.ts'
import { keptVersions } from './sink.ts'

export interface GoogleSinkOptions {
  name: string
  project: string
  instanceId: string
  call: CallHttp
  clock: Clock
  /** Of the API. */
  endpoint: string
  /** Of the metadata server. */
  metadataHost: string
}

const ownerLabel = 'lanyard-owner'

export function googleSink(options: GoogleSinkOptions): Sink {
  const { name, project, instanceId, call, clock, endpoint, metadataHost } = options
  const store = httpStore(name, call)
  const token = passingToken(clock, async (signal) => {
    const url = `http://${metadataHost}/computeMetadata/v1/instance/service-accounts/default/token`
    const { json } = await store.ask({ method: 'GET', url, headers: { 'metadata-flavor': 'Google' } }, [200], signal)
    const given = textAt(json, 'access_token')
    if (!given) throw failures.SINK_UNAVAILABLE({ sink: name, detail: 'the metadata server gave no token' })
    return { token: Secret.of(given), lifetimeSeconds: Number(at(json, 'expires_in') ?? 60) }
  })
  const base = `${endpoint.replace(/\/$/, '')}/v1/projects/${encodeURIComponent(project)}/secrets`
  const idOf = (clusterId: string) => copyName(clusterId, nameRules.google)

  async function ask(request: HttpCall, expected: readonly number[], signal: AbortSignal): Promise<HttpAnswer> {
    const headers = { authorization: `Bearer ${(await token.get(signal)).reveal()}` }
    const answer = await store.ask({ ...request, headers }, [...expected, 401], signal)
    if (answer.status !== 401) return answer
    token.refused()
    throw failures.SINK_UNAVAILABLE({ sink: name, detail: 'status 401' })
  }

  async function find(clusterId: string, signal: AbortSignal): Promise<'absent' | 'ours' | 'foreign'> {
    const { status, json } = await ask({ method: 'GET', url: `${base}/${idOf(clusterId)}` }, [200, 404], signal)
    if (status === 404) return 'absent'
    return textAt(json, 'labels', ownerLabel) === ownerMark(instanceId, clusterId) ? 'ours' : 'foreign'
  }

  async function latest(
    clusterId: string,
    signal: AbortSignal,
  ): Promise<{ hash: string; version: string } | undefined> {
    const url = `${base}/${idOf(clusterId)}/versions/latest:access`
    // 400 is the answer for a version that is disabled or destroyed.
    const { status, json } = await ask({ method: 'GET', url }, [200, 400, 404], signal)
    if (status !== 200) return undefined
    return { hash: sha256(Buffer.from(textAt(json, 'payload', 'data') ?? '', 'base64')), version: versionIn(json) }
  }

  /** Old versions hold tokens that are or will be revoked. */
  async function destroyOld(clusterId: string, signal: AbortSignal): Promise<void> {
    const url = `${base}/${idOf(clusterId)}/versions?pageSize=100&filter=${encodeURIComponent('NOT state:DESTROYED')}`
    const { json } = await ask({ method: 'GET', url }, [200], signal)
    const numbers = listAt(json, 'versions')
      .filter((version) => textAt(version, 'state') !== 'DESTROYED')
      .map((version) => Number(versionIn(version)))
      .sort((a, b) => b - a)
    for (const number of numbers.slice(keptVersions))
      await ask(
        { method: 'POST', url: `${base}/${idOf(clusterId)}/versions/${number}:destroy`, body: {} },
        [200, 400, 404],
        signal,
      )
  }

  return {
    name,
    async put({ clusterId, document }, signal) {
      const found = await find(clusterId, signal)
      if (found === 'foreign') throw failures.SINK_FOREIGN({ sink: name, what: idOf(clusterId) })
      if (found === 'absent') {
        const labels = {
          ...hyperfleetLabels(clusterId, nameRules.googleLabel),
          [ownerLabel]: ownerMark(instanceId, clusterId),
        }
        const body = { replication: { automatic: {} }, labels }
        const url = `${base}?secretId=${idOf(clusterId)}`
        const { status } = await ask({ method: 'POST', url, body }, [200, 409], signal)
        if (status === 409) throw failures.SINK_UNAVAILABLE({ sink: name, detail: 'somebody else makes it too' })
      }
      const there = await latest(clusterId, signal)
      let version = there?.hash === document.hash ? there.version : undefined
      if (version === undefined) {
        const body = { payload: { data: Buffer.from(document.json.reveal()).toString('base64') } }
        const { json } = await ask(
          { method: 'POST', url: `${base}/${idOf(clusterId)}:addVersion`, body },
          [200],
          signal,
        )
        version = versionIn(json)
      }
      await destroyOld(clusterId, signal)
      return version
    },
    async remove(clusterId, signal) {
      if ((await find(clusterId, signal)) !== 'ours') return
      await ask({ method: 'DELETE', url: `${base}/${idOf(clusterId)}` }, [200, 404], signal)
    },
    async holds(clusterId, hash, signal) {
      return (await find(clusterId, signal)) === 'ours' && (await latest(clusterId, signal))?.hash === hash
    },
  }
}

/** The end of `projects/1/secrets/x/versions/3`. */
const versionIn = (json: unknown): string => textAt(json, 'name')?.split('/').at(-1) ?? ''

export async function openGoogleSink(config: SinkConfig, { clock, env, settings }: SinkDeps): Promise<Sink> {
  const { name, project = '', endpoint = 'https://secretmanager.googleapis.com' } = config
  const metadataHost = env['GCE_METADATA_HOST'] ?? 'metadata.google.internal'
  return googleSink({
    name,
    project,
    endpoint,
    metadataHost,
    instanceId: settings.instanceId,
    call: httpCaller(clock),
    clock,
  })
}
