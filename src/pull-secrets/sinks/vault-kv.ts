/** Copies in the KV engine, version 2, of HashiCorp Vault or OpenBao, over plain HTTP. */
import type { Clock } from '../../core/clock.ts'
import { Secret } from '../../core/secret.ts'
import { failures } from '../failures.ts'
import type { CallHttp, HttpAnswer, HttpCall } from './http-call.ts'
import { httpCaller } from './http-call.ts'
import { at, httpStore, sha256, textAt } from './http-store.ts'
import { copyName, hyperfleetLabels, nameRules, ownerMark } from './names.ts'
import type { SinkDeps } from './open.ts'
import { fileText } from './open.ts'
import type { PassingToken } from './passing-token.ts'
import { passingToken } from './passing-token.ts'
import type { SinkConfig } from './settings.ts'
import type { Sink } from './sink.ts'
import { keptVersions } from './sink.ts'

export interface VaultSinkOptions {
  name: string
  address: string
  mount: string
  path: string
  instanceId: string
  call: CallHttp
  clock: Clock
  login(signal: AbortSignal): Promise<PassingToken>
  namespace?: string
  ca?: string
}

const documentKey = '.dockerconfigjson'
const ownerKey = 'lanyard-owner'

export function vaultSink(options: VaultSinkOptions): Sink {
  const { name, address, mount, path, instanceId, call, clock, namespace, ca } = options
  const store = httpStore(name, call)
  const token = passingToken(clock, options.login)
  const urlOf = (kind: 'data' | 'metadata', clusterId: string) =>
    `${address.replace(/\/$/, '')}/v1/${mount}/${kind}/${path}/${copyName(clusterId, nameRules.vault)}`

  async function ask(request: HttpCall, expected: readonly number[], signal: AbortSignal): Promise<HttpAnswer> {
    const headers = {
      'x-vault-token': (await token.get(signal)).reveal(),
      ...(namespace && { 'x-vault-namespace': namespace }),
    }
    const answer = await store.ask({ ...request, headers, ...(ca && { ca }) }, [...expected, 403], signal)
    if (answer.status !== 403) return answer
    // A token may be revoked before its time.
    token.refused()
    throw failures.SINK_REFUSED({ sink: name, detail: 'status 403' })
  }

  /** Undefined: nothing of that name. Throws for what is somebody else's. */
  async function metadataOf(clusterId: string, signal: AbortSignal) {
    const { status, json } = await ask({ method: 'GET', url: urlOf('metadata', clusterId) }, [200, 404], signal)
    if (status === 404) return undefined
    const isOurs = textAt(json, 'data', 'custom_metadata', ownerKey) === ownerMark(instanceId, clusterId)
    const version = Number(at(json, 'data', 'current_version') ?? 0)
    return { isOurs, version }
  }

  async function current(
    clusterId: string,
    signal: AbortSignal,
  ): Promise<{ hash: string; version: number } | undefined> {
    // 404 with a body is the answer for a version that is deleted.
    const { status, json } = await ask({ method: 'GET', url: urlOf('data', clusterId) }, [200, 404], signal)
    const text = textAt(json, 'data', 'data', documentKey)
    if (status === 404 || text === undefined) return undefined
    return { hash: sha256(text), version: Number(at(json, 'data', 'metadata', 'version')) }
  }

  return {
    name,
    async put({ clusterId, document }, signal) {
      const known = await metadataOf(clusterId, signal)
      // One without versions was begun by us, or by somebody who has not put anything into it yet.
      if (known && !known.isOurs)
        throw failures.SINK_FOREIGN({ sink: name, what: copyName(clusterId, nameRules.vault) })
      if (!known) await claim(clusterId, signal)
      const there = known && (await current(clusterId, signal))
      if (there?.hash === document.hash) return String(there.version)
      const body = {
        // Against a writer that comes in between: the check is for the version that was looked at.
        options: { cas: known?.version ?? 0 },
        data: { [documentKey]: document.json.reveal() },
      }
      const { json, status } = await ask({ method: 'POST', url: urlOf('data', clusterId), body }, [200, 400], signal)
      if (status === 400) throw failures.SINK_UNAVAILABLE({ sink: name, detail: 'somebody else writes it too' })
      return String(at(json, 'data', 'version'))
    },
    async remove(clusterId, signal) {
      const known = await metadataOf(clusterId, signal)
      if (!known?.isOurs) return
      // With its metadata every version goes for good.
      await ask({ method: 'DELETE', url: urlOf('metadata', clusterId) }, [200, 204, 404], signal)
    },
    async holds(clusterId, hash, signal) {
      const known = await metadataOf(clusterId, signal)
      return known?.isOurs === true && (await current(clusterId, signal))?.hash === hash
    },
  }

  /** Before the first version, so that whatever is there afterwards is known as ours. */
  async function claim(clusterId: string, signal: AbortSignal): Promise<void> {
    const labels = { ...hyperfleetLabels(clusterId, nameRules.vault), [ownerKey]: ownerMark(instanceId, clusterId) }
    const body = { max_versions: keptVersions, custom_metadata: labels }
    await ask({ method: 'POST', url: urlOf('metadata', clusterId), body }, [200, 204], signal)
  }
}

const podToken = '/var/run/secrets/kubernetes.io/serviceaccount/token'
/** A file is looked at again after this. */
const fileTokenSeconds = 60

export async function openVaultSink(config: SinkConfig, { clock, settings }: SinkDeps): Promise<Sink> {
  const { name, address = '', mount = 'secret', path = 'hyperfleet', namespace, tokenFile, role } = config
  const call = httpCaller(clock)
  const ca = config.caFile ? { ca: await fileText(config.caFile) } : {}
  const store = httpStore(name, call)
  const login = async (signal: AbortSignal): Promise<PassingToken> => {
    if (tokenFile) return { token: Secret.of(await fileText(tokenFile)), lifetimeSeconds: fileTokenSeconds }
    const url = `${address.replace(/\/$/, '')}/v1/auth/${config.authMount ?? 'kubernetes'}/login`
    const body = { role, jwt: await fileText(config.jwtFile ?? podToken) }
    const headers = { ...(namespace && { 'x-vault-namespace': namespace }) }
    const { json } = await store.ask({ method: 'POST', url, body, headers, ...ca }, [200], signal)
    const token = textAt(json, 'auth', 'client_token')
    if (!token) throw failures.SINK_REFUSED({ sink: name, detail: 'the login gave no token' })
    return { token: Secret.of(token), lifetimeSeconds: Number(at(json, 'auth', 'lease_duration') ?? fileTokenSeconds) }
  }
  const where = { name, address, mount, path, ...(namespace && { namespace }), ...ca }
  return vaultSink({ ...where, instanceId: settings.instanceId, call, clock, login })
}
