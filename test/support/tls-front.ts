import type { AddressInfo, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { connect, createServer } from 'node:tls'
import { systemClock } from '../../src/core/clock.ts'
import type { LeafChanges } from '../../src/fleet/spoke/trust/testing/tls-server.ts'
import { aLeaf } from '../../src/fleet/spoke/trust/testing/tls-server.ts'
import type { Authority, CertifiedKey } from '../../src/pki/index.ts'
import type { ControlPlane } from './control-plane.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

/** An API server as a load balancer in front of it shows it: with whatever certificate the test wants. */
export interface TlsFront {
  readonly url: string
  /** TLS connections that ended, or go on, without a single byte of HTTP: a look at the certificate, or distrust. */
  readonly looks: number
  /** Bytes that somebody sent over TLS. */
  readonly received: number
  /** TCP connections accepted so far. */
  readonly accepted: number
  /** Shows a certificate of this authority from now on, and the authority with it; connections that are open end. */
  show(authority: Authority, changes?: LeafChanges & { alone?: boolean }): Promise<void>
  /** Takes connections and never answers, not even the handshake. */
  stall(on?: boolean): void
}

export async function startTlsFront(t: TestScope, plane: ControlPlane, authority: Authority): Promise<TlsFront> {
  const target = new URL(plane.url)
  const { ca } = plane.connection().tls
  const counts = { looks: 0, received: 0, accepted: 0 }
  const open = new Set<Socket>()
  let isStalled = false
  const protocols = ['h2', 'http/1.1']
  const options = ({ certPem, keyPem }: CertifiedKey, above: string) => ({
    ...{ cert: `${certPem}${above}`, key: keyPem.reveal() },
    ALPNProtocols: protocols,
  })
  const server = createServer(options(await aLeaf(authority, systemClock), authority.certPem), (client: TLSSocket) => {
    counts.looks += 1
    client.on('error', () => {})
    client.once('data', (first: Buffer) => {
      counts.looks -= 1
      client.pause()
      const ALPNProtocols = [client.alpnProtocol || 'http/1.1']
      const behind = connect({ host: target.hostname, port: Number(target.port), ...(ca && { ca }), ALPNProtocols })
      open.add(behind)
      behind.on('error', () => client.destroy()).on('close', () => client.destroy())
      client.on('close', () => behind.destroy())
      client.on('data', (chunk: Buffer) => {
        counts.received += chunk.length
      })
      counts.received += first.length
      behind.write(first)
      client.pipe(behind).pipe(client)
    })
  })
  server.on('tlsClientError', () => {})
  // Before TLS hears of them: what is stalled gets no handshake.
  const [handshake] = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    counts.accepted += 1
    open.add(socket)
    socket.on('error', () => {}).once('close', () => open.delete(socket))
    if (!isStalled) handshake?.call(server, socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const endAll = () => {
    for (const socket of open) socket.destroy()
    open.clear()
  }
  teardown(t, () => {
    server.close()
    endAll()
  })
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get looks() {
      return counts.looks
    },
    get received() {
      return counts.received
    },
    get accepted() {
      return counts.accepted
    },
    async show(next, { alone = false, ...changes } = {}) {
      server.setSecureContext(options(await aLeaf(next, systemClock, changes), alone ? '' : next.certPem))
      endAll()
    },
    stall(on = true) {
      isStalled = on
      if (!on) endAll()
    },
  }
}
