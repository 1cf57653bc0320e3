import { randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { Secret } from '../../src/core/secret.ts'
import { access, defaultAccessSettings } from '../../src/fleet/identity/index.ts'
import { accessRules, apiBase, ownerRule, pullSecretApi } from '../../src/pull-secrets/api/index.ts'
import { restServer } from '../../src/server/rest/index.ts'
import type { Pod } from './scene.ts'

export interface RestAnswer {
  status: number
  bytes: number
  /** Where the next page begins, as the link says. */
  next?: string
}

export interface RestClient extends AsyncDisposable {
  /** Below the root of the API. */
  get(path: string): Promise<RestAnswer>
}

/** The REST API of a pod on a port of loopback, asked as the operator of this machine. Without limits for callers. */
export async function serveRest({ deps, service }: Pod): Promise<RestClient> {
  const { clock, log, metrics } = deps
  const token = randomBytes(32).toString('base64url')
  const settings = defaultAccessSettings
  const gate = access({ settings, rules: accessRules, ownerRule, clock, log, localToken: Secret.of(token) })
  const server = restServer({
    api: pullSecretApi({ ...deps, service, access: gate, version: 'bench' }),
    access: gate,
    clock,
    log,
    metrics,
    metricsArea: 'pull',
    listen: { host: '127.0.0.1', port: 0 },
  })
  const ending = new AbortController()
  const over = server.run(ending.signal)
  const { url } = await server.listening
  const client = restClient(url, token)
  return {
    get: client.get,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]()
      ending.abort()
      await over
    },
  }
}

export function restClient(url: string, token: string): RestClient {
  const agent = new Agent({ keepAlive: true })
  const headers = { authorization: `Bearer ${token}` }
  const get = (path: string) =>
    new Promise<RestAnswer>((resolve, reject) => {
      request(`${url}${apiBase}${path}`, { agent, headers }, (answer) => {
        let bytes = 0
        answer.on('data', (chunk: Buffer) => {
          bytes += chunk.length
        })
        answer.once('error', reject)
        answer.once('end', () => {
          const next = /<([^>]+)>; rel="next"/.exec(String(answer.headers['link']))?.[1]?.slice(apiBase.length)
          resolve({ status: answer.statusCode ?? 0, bytes, ...(next && { next }) })
        })
      })
        .once('error', reject)
        .end()
    })
  return {
    async get(path) {
      const answer = await get(path)
      if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status}`)
      return answer
    },
    [Symbol.asyncDispose]: async () => agent.destroy(),
  }
}
