import type { AddressInfo, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { createServer } from 'node:tls'
import type { TestScope } from '../../../../../test/support/test-scope.ts'
import { teardown } from '../../../../../test/support/test-scope.ts'
import type { Clock } from '../../../../core/clock.ts'
import { after } from '../../../../core/clock.ts'
import type { Authority, CertifiedKey } from '../../../../pki/index.ts'
import { createAuthority, generateKey, issueCertificate } from '../../../../pki/index.ts'

const hour = 3_600_000

export const anAuthority = (commonName: string, clock: Clock, parent?: Authority): Promise<Authority> =>
  createAuthority({ commonName, clock, lifetimeMs: 1_000 * hour, ...(parent && { parent }) })

export interface LeafChanges {
  dnsNames?: string[]
  ipAddresses?: string[]
  notBefore?: Date
  notAfter?: Date
}

/** For a server at 127.0.0.1, unless changed. */
export async function aLeaf(authority: Authority, clock: Clock, changes: LeafChanges = {}): Promise<CertifiedKey> {
  const { dnsNames = [], ipAddresses = ['127.0.0.1'], ...dates } = changes
  const { keyPem, publicKeyPem } = generateKey()
  const certPem = await issueCertificate(
    authority,
    { subject: { commonName: 'api' }, publicKeyPem, sans: { dnsNames, ipAddresses } },
    { usages: ['server'], notBefore: after(clock.now(), -hour), notAfter: after(clock.now(), 100 * hour), ...dates },
  )
  return { certPem, keyPem }
}

export interface TlsServer {
  readonly url: string
  /** Accepted so far. */
  readonly connections: number
  /** All that was ever sent to it. */
  readonly received: string
  /** Shows another chain from now on. */
  show(identity: CertifiedKey, ...above: Authority[]): void
}

/** Shows a chain and says nothing. */
export async function tlsServer(t: TestScope, identity: CertifiedKey, ...above: Authority[]): Promise<TlsServer> {
  const shown = (one: CertifiedKey, more: Authority[]) => ({
    cert: [one, ...more].map(({ certPem }) => certPem).join(''),
    key: one.keyPem.reveal(),
  })
  let connections = 0
  let received = ''
  const open = new Set<Socket>()
  const server = createServer(shown(identity, above), (socket: TLSSocket) => {
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1')
    })
    socket.on('error', () => {})
  })
  server.on('connection', (socket: Socket) => {
    connections += 1
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  teardown(t, () => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections
    },
    get received() {
      return received
    },
    show: (one, ...more) => server.setSecureContext(shown(one, more)),
  }
}
