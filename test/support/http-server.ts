import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

export interface HttpServer {
  readonly url: string
  /** What was sent, newest last. */
  // biome-ignore lint/suspicious/noExplicitAny: what is in it is what the tests are about
  readonly got: readonly { path: string; headers: IncomingMessage['headers']; body: any }[]
  /** That it answers with from now on. */
  status: number
  /** Whether it never answers what it got. */
  ignores: (body: unknown) => boolean
}

/** Takes JSON over plain http, on loopback. */
export async function startHttpServer(t: TestScope): Promise<HttpServer> {
  const got: { path: string; headers: IncomingMessage['headers']; body: unknown }[] = []
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await Array.fromAsync<Buffer>(request)).toString()
    const body: unknown = text === '' ? undefined : JSON.parse(text)
    got.push({ path: request.url ?? '', headers: request.headers, body })
    if (!self.ignores(body)) response.writeHead(self.status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  teardown(t, () => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const self: HttpServer = { url, got, status: 200, ignores: () => false }
  return self
}
