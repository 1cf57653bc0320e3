import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { connect } from 'node:net'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

export interface ConnectProxy {
  readonly url: string
  /** `host:port` of each tunnel that was asked for, newest last. */
  readonly asked: readonly string[]
}

/** An http proxy on loopback. Whatever it is asked for, its tunnels lead to `target`: no name has to be known. */
export async function startConnectProxy(t: TestScope, target: string): Promise<ConnectProxy> {
  const { hostname, port } = new URL(target)
  const asked: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer()
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    asked.push(request.url ?? '')
    const tunnel = connect({ host: hostname, port: Number(port) }, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      tunnel.pipe(client).pipe(tunnel)
    })
    for (const socket of [client, tunnel]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        client.destroy()
        tunnel.destroy()
        sockets.delete(socket)
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  teardown(t, () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}
