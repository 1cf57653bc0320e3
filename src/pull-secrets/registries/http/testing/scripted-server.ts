import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestScope } from '../../../../../test/support/test-scope.ts'
import { teardown } from '../../../../../test/support/test-scope.ts'

export interface Heard {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

export type Said = { status: number; body?: string; headers?: Record<string, string> } | 'drop' | 'hang' | 'huge'

export interface ScriptedServer {
  url: string
  heard: readonly Heard[]
  /** In this order; the last one again and again. */
  says(...script: Said[]): void
}

/** A server on loopback that says what it is told to, whatever it is asked. */
export async function scriptedServer(t: TestScope): Promise<ScriptedServer> {
  const heard: Heard[] = []
  let script: Said[] = [{ status: 200, body: '{}' }]
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync<Buffer>(request)).toString()
    const { method = '', url: path = '', headers } = request
    heard.push({ method, path, headers, body })
    const said = script.length > 1 ? (script.shift() as Said) : (script[0] as Said)
    if (said === 'hang') return
    if (said === 'drop') return request.socket.destroy()
    if (said === 'huge') return response.end('x'.repeat(2 * 1024 * 1024))
    response.writeHead(said.status, said.headers)
    response.end(said.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  teardown(t, () => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    heard,
    says: (...next) => {
      script = next
    },
  }
}
