import type { ClientRequest } from 'node:http'
import type { Socket } from 'node:net'
import { connect as connectTcp, isIP } from 'node:net'
import type { PeerCertificate, SecureContext } from 'node:tls'
import { checkServerIdentity, connect as connectTls } from 'node:tls'
import type { EgressRules } from '../../core/egress.ts'
import { checkBehindProxy, checkedLookup, egressDenied } from '../../core/egress.ts'
import type { Connection } from '../connection.ts'
import type { Guard } from './guard.ts'
import { systemRoots } from './identity.ts'
import type { ProxyServer, Target } from './target.ts'
import { asLost, codeOf, Lost, protocols } from './transport.ts'

export interface Dialing {
  target: Target
  /** Undefined for plain http. */
  context: SecureContext | undefined
  serverName: string | undefined
  insecure: boolean
  /** PEM that vouches for an https proxy. Undefined: the system's roots. */
  proxyCa: string | undefined
  /** Undefined: both may be anywhere. */
  egress: Connection['egress']
}

export interface Dialed {
  socket: Socket
  protocol: 'h2' | 'http/1.1'
}

/** Opens a socket to the server, through its proxy if there is one. Throws `Lost`. */
export async function dial(dialing: Dialing, offered: string[], guard: Guard): Promise<Dialed> {
  try {
    const tunnel = dialing.target.proxy && (await openTunnel(dialing.target.proxy, dialing, guard))
    if (!dialing.context) return { socket: tunnel ?? (await openTcp(dialing, guard)), protocol: protocols.http1 }
    return await openTls(dialing, dialing.context, offered, tunnel, guard)
  } catch (error) {
    throw asLost(error, whyFinal(error))
  }
}

/** Probes tell the kernel about a dead peer even where HTTP/1.1 has no ping. */
const keptAlive = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 }

function whyFinal(error: unknown): Lost['final'] {
  if (egressDenied(error)) return 'denied'
  return isDistrust(error) ? 'untrusted' : undefined
}

const checked = (host: string, rules: EgressRules | undefined) => rules && { lookup: checkedLookup(host, rules) }

function openTcp({ target: { host, port }, egress }: Dialing, guard: Guard): Promise<Socket> {
  return guard.opened(connectTcp({ host, port, ...keptAlive, ...checked(host, egress?.server) }), 'connect')
}

async function openTls(
  { target, serverName, insecure, egress }: Dialing,
  secureContext: SecureContext,
  offered: string[],
  tunnel: Socket | undefined,
  guard: Guard,
): Promise<Dialed> {
  const expected = serverName ?? target.host
  const socket = connectTls({
    ...(tunnel ? { socket: tunnel } : { ...keptAlive, ...checked(target.host, egress?.server) }),
    host: target.host,
    port: target.port,
    secureContext,
    // RFC 6066: an address is never sent as a server name.
    servername: isIP(expected) ? '' : expected,
    checkServerIdentity: (_, certificate) => whyOther(expected, certificate),
    rejectUnauthorized: !insecure,
    ALPNProtocols: offered,
  })
  await guard.opened(socket, 'secureConnect')
  return { socket, protocol: socket.alpnProtocol === protocols.http2 ? protocols.http2 : protocols.http1 }
}

/** As Go does it, only alternative names count; Node would take the common name where a certificate has none. */
function whyOther(expected: string, certificate: PeerCertificate): Error | undefined {
  return checkServerIdentity(expected, { ...certificate, subject: { ...certificate.subject, CN: '' } })
}

async function openTunnel(proxy: ProxyServer, { target, proxyCa, egress }: Dialing, guard: Guard): Promise<Socket> {
  if (egress) await guard.during({ destroy: () => {} }, checkBehindProxy(target.host, egress.server))
  const { request } = proxy.secure ? await import('node:https') : await import('node:http')
  const authority = `${isIP(target.host) === 6 ? `[${target.host}]` : target.host}:${target.port}`
  const asking = request({
    ...keptAlive,
    ...checked(proxy.host, egress?.proxy),
    method: 'CONNECT',
    host: proxy.host,
    port: proxy.port,
    path: authority,
    agent: false,
    headers: {
      host: authority,
      ...(proxy.authorization && { 'proxy-authorization': proxy.authorization.reveal() }),
    },
    ...(proxy.secure && {
      servername: isIP(proxy.host) ? '' : proxy.host,
      checkServerIdentity: (_: string, certificate: PeerCertificate) => whyOther(proxy.host, certificate),
      ca: proxyCa ?? systemRoots(),
      minVersion: 'TLSv1.2' as const,
      allowPartialTrustChain: true,
    }),
  })
  return guard.during(asking, answered(asking, proxy))
}

function answered(asking: ClientRequest, proxy: ProxyServer): Promise<Socket> {
  return new Promise((resolve, reject) => {
    asking.once('error', reject)
    asking.once('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
      // Whoever uses the socket next hears of errors from what wraps it.
      socket.on('error', () => {})
      if (statusCode >= 200 && statusCode < 300) {
        if (head.length > 0) socket.unshift(head)
        return resolve(socket)
      }
      socket.destroy()
      reject(refusal(statusCode, proxy))
    })
    // A proxy that refuses may answer CONNECT like any other request.
    asking.once('response', ({ statusCode = 0 }) => {
      asking.destroy()
      reject(refusal(statusCode, proxy))
    })
    asking.end()
  })
}

const refusal = (status: number, proxy: ProxyServer): Lost =>
  new Lost(`the proxy ${proxy.host}:${proxy.port} answered ${status}`, {
    sent: false,
    final: status < 500 ? 'refused' : undefined,
  })

/** OpenSSL's verdicts on a certificate chain, and Node's on its name. */
const distrust = new Set([
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_CHAIN_TOO_LONG',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'HOSTNAME_MISMATCH',
])

const isDistrust = (error: unknown): boolean => distrust.has(codeOf(error))
