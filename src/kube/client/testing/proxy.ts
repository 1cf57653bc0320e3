import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { connect } from 'node:net'
import type { TestScope } from '../../../../test/support/test-scope.ts'
import type { CertifiedKey } from '../../../pki/index.ts'

export interface TestProxy {
  readonly host: string
  /** `CONNECT host:port authorization` of each request. */
  readonly seen: string[]
  /** Connections open at present, to both sides. */
  readonly open: () => number
  /** Breaks all of them. */
  reset(): void
}

/** A CONNECT proxy; with a certificate, one that is itself reached by TLS. `answer` other than 200 refuses. */
export async function startProxy(
  t: TestScope,
  { certificate, answer = 200 }: { certificate?: CertifiedKey; answer?: number } = {},
): Promise<TestProxy> {
  const server = certificate
    ? createHttpsServer({ cert: certificate.certPem, key: certificate.keyPem.reveal() })
    : createHttpServer()
  const seen: string[] = []
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  server.on('connect', (req, client: Socket, head: Buffer) => {
    seen.push(`CONNECT ${req.url} ${req.headers['proxy-authorization'] ?? '-'}`)
    client.on('error', () => {})
    if (answer !== 200) return client.end(`HTTP/1.1 ${answer} No\r\n\r\n`)
    const { hostname, port } = new URL(`http://${req.url}`)
    const upstream = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      upstream.write(head)
      upstream.pipe(client).pipe(upstream)
    })
    sockets.add(upstream)
    upstream.on('error', () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    open: () => [...sockets].filter(({ destroyed }) => !destroyed).length,
    reset: () => {
      for (const socket of sockets) socket.resetAndDestroy()
    },
  }
}
