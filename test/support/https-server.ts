import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { issueForServer, testAuthority } from './control-plane/identities.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

export interface HttpsServer {
  readonly url: string
  readonly caPem: string
}

/** Answers with JSON, or with 404 where the answer, or what it resolves to, is undefined. */
export type JsonHandler = (request: { path: string; headers: IncomingMessage['headers']; body: unknown }) => unknown

/** An https server on loopback, for what an API server calls: webhooks and identity providers. */
export async function startHttpsServer(t: TestScope, answer: JsonHandler): Promise<HttpsServer> {
  const authority = await testAuthority('test-https-ca')
  const { certPem, keyPem } = await issueForServer(authority, { ipAddresses: ['127.0.0.1'] })
  const server = createServer({ cert: certPem, key: keyPem.reveal() }, async (request, response) => {
    const text = Buffer.concat(await Array.fromAsync<Buffer>(request)).toString()
    const body = text === '' ? undefined : JSON.parse(text)
    const found = await answer({ path: request.url ?? '', headers: request.headers, body })
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(found ?? null))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  teardown(t, () => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, caPem: authority.certPem }
}
