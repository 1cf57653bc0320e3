import type { Socket } from 'node:net'
import { connect as connectTcp, isIP } from 'node:net'
import type { ConnectionOptions, TLSSocket } from 'node:tls'
import { connect as connectTls } from 'node:tls'
import type { Clock } from '../../../core/clock.ts'
import type { EgressRules } from '../../../core/egress.ts'
import { checkedLookup, egressDenied } from '../../../core/egress.ts'
import { Guard } from '../../../kube/client/guard.ts'
import { targetOf } from '../../../kube/client/target.ts'
import { describe, Lost } from '../../../kube/client/transport.ts'
import { failures } from '../failures.ts'

const dialMs = 10_000
const handshakeMs = 5_000
/** Each is tried as an anchor: a server must not be able to keep the hub busy with a thousand. */
const mostCertificates = 10

export interface Captured {
  /** PEM of what the server shows, its own certificate first, in the order in which it came. */
  readonly chain: readonly [string, ...string[]]
  /** That the certificate has to name. */
  readonly hostname: string
}

/**
 * What a server shows in one TLS handshake, whoever vouches for it. Nothing is sent to it besides. Throws
 * EGRESS_DENIED, SPOKE_UNREACHABLE where it cannot be dialled, SPOKE_TRUST_FAILED where it shows nothing, or the reason
 * of the signal.
 */
export async function captureChain(
  server: string,
  { clock, egress, signal }: { clock: Clock; egress: EgressRules; signal?: AbortSignal | undefined },
): Promise<Captured> {
  const { host, port, secure } = targetOf({ server })
  if (!secure) throw failures.SPOKE_INVALID({ field: 'server', problem: 'must be an https URL' })
  const tcp = quiet(connectTcp({ host, port, noDelay: true, lookup: checkedLookup(host, egress) }))
  try {
    await opened(tcp, 'connect', dialMs, clock, signal)
  } catch (error) {
    tcp.destroy()
    throw orAbort(
      error,
      signal,
      (detail) => egressDenied(error) ?? failures.SPOKE_UNREACHABLE({ server, detail }, error),
    )
  }
  const tls = quiet(connectTls({ ...anyCertificate, socket: tcp, servername: isIP(host) ? '' : host }))
  try {
    await opened(tls, 'secureConnect', handshakeMs, clock, signal)
  } catch (error) {
    tls.destroy()
    tcp.destroy()
    throw orAbort(error, signal, (detail) => failures.SPOKE_TRUST_FAILED({ server, detail }, error))
  }
  const [leaf, ...rest] = shownBy(tls)
  // An orderly end: the server would take anything else for a handshake that failed, and log it.
  tls.destroySoon()
  const refuse = (detail: string) => failures.SPOKE_TRUST_FAILED({ server, detail })
  if (leaf === undefined) throw refuse('it shows no certificate')
  if (rest.length >= mostCertificates) throw refuse(`it shows more than ${mostCertificates} certificates`)
  return { chain: [leaf, ...rest], hostname: host }
}

/** An empty list of authorities, so that only what the server sends is in the chain. */
const anyCertificate: ConnectionOptions = { ca: [], rejectUnauthorized: false, minVersion: 'TLSv1.2' }

/** What happens to it after the handshake, or after it was given up, is of no interest. */
const quiet = <S extends Socket>(socket: S): S => socket.on('error', () => {})

async function opened(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  ms: number,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<void> {
  using guard = new Guard(clock, ms)
  const giveUp = () => guard.stop(new Lost('it was given up', { sent: false }))
  signal?.addEventListener('abort', giveUp, { once: true })
  try {
    const opening = guard.opened(socket, event)
    if (signal?.aborted) giveUp()
    await opening
  } finally {
    signal?.removeEventListener('abort', giveUp)
  }
}

const orAbort = (error: unknown, signal: AbortSignal | undefined, failed: (detail: string) => Error): unknown =>
  signal?.aborted ? signal.reason : failed(describe(error))

function shownBy(socket: TLSSocket): string[] {
  const shown: string[] = []
  for (
    let next = socket.getPeerX509Certificate();
    next && shown.length <= mostCertificates;
    next = next.issuerCertificate
  )
    shown.push(next.toString())
  return shown
}
