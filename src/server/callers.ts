import type { TLSSocket } from 'node:tls'

/** Clients that the paths for API servers answer: those that show one of these client certificates. */
export interface Callers {
  /** PEM of the authorities that issue those certificates. Asked at the start and again every minute. */
  ca(): Promise<string>
  /** Common names, of which one has to be in the certificate. None: any that the authorities issued. */
  readonly names: readonly string[]
}

/** Whether the client of this connection has shown a certificate that counts. The handshake has verified it by then. */
export function isKnownCaller(socket: TLSSocket, { names }: Pick<Callers, 'names'>): boolean {
  if (!socket.authorized) return false
  const { subject } = socket.getPeerCertificate()
  // Several common names come as a list; no API server has that.
  const name: unknown = subject?.CN
  return names.length === 0 || (typeof name === 'string' && names.includes(name))
}
