import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../../src/core/clock.ts'
import { systemClock } from '../../src/core/clock.ts'
import { silentLog } from '../../src/core/log.ts'
import { noMetrics } from '../../src/core/metrics.ts'
import { selfSigned } from '../../src/server/index.ts'
import { restServer } from '../../src/server/rest/index.ts'
import type { BreakglassScene } from './breakglass-scene.ts'
import { issueForServer, testAuthority } from './control-plane/identities.ts'
import { runInTest } from './fleet-scene.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

/** A question of an API server, as it went through. */
export interface AskedReview {
  readonly path: string
  readonly user: string
  readonly verb: string
  readonly resource: string
  /** '': of the whole cluster, or of none. */
  readonly namespace: string
  readonly status: number
}

/** What stands before a hub: API servers ask webhooks over https only. Everything that is asked is noted. */
export interface WebhookFront {
  readonly url: string
  readonly caPem: string
  readonly asked: readonly AskedReview[]
}

/** @param hub where the hub is at the moment: it may be started again elsewhere */
export async function startWebhookFront(t: TestScope, hub: () => string): Promise<WebhookFront> {
  const authority = await testAuthority('test-webhook-front-ca')
  const { certPem, keyPem } = await issueForServer(authority, { ipAddresses: ['127.0.0.1'] })
  const asked: AskedReview[] = []
  const server = createServer({ cert: certPem, key: keyPem.reveal() }, async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync<Buffer>(request)).toString()
    const { authorization = '', 'content-type': contentType = 'application/json' } = request.headers
    const path = request.url ?? ''
    try {
      const headers = { authorization, 'content-type': contentType }
      const answer = await fetch(`${hub()}${path}`, { method: request.method ?? 'POST', headers, body })
      asked.push({ path: path.split('?')[0] ?? '', status: answer.status, ...whatOf(body) })
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
      response.end(await answer.text())
    } catch {
      response.writeHead(502).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  teardown(t, () => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, caPem: authority.certPem, asked }
}

/** The hub's own server over https, with nothing before it: who asks meets its connections as they are. */
export async function hubOverTls(
  t: TestScope,
  { hub }: Pick<BreakglassScene, 'hub'>,
  { clock = systemClock }: { clock?: Clock } = {},
): Promise<WebhookFront> {
  const certificate = selfSigned({ names: { ipAddresses: ['127.0.0.1'] }, clock })
  const first = await certificate()
  const server = restServer({
    ...{ clock, log: silentLog, metrics: noMetrics, metricsArea: 'access' },
    ...{ api: hub.api, access: hub.access, listen: { host: '127.0.0.1', port: 0 } },
    certificate: async () => first,
  })
  runInTest(t, [server.run])
  return { url: (await server.listening).url, caPem: first.certPem, asked: [] }
}

function whatOf(body: string): Pick<AskedReview, 'user' | 'verb' | 'resource' | 'namespace'> {
  const { spec } = JSON.parse(body) as {
    spec: {
      user: string
      resourceAttributes?: { verb: string; resource: string; namespace?: string }
      nonResourceAttributes?: { verb: string }
    }
  }
  const { nonResourceAttributes, resourceAttributes } = spec
  const { verb = '', resource = '', namespace = '' } = { ...nonResourceAttributes, ...resourceAttributes }
  return { user: spec.user, verb, resource, namespace }
}
