import type { Socket } from 'node:net'

interface Handle {
  getpeername?(address: object): number
}

/**
 * Whether the kernel still knows whom a socket is connected to. Node does not hear of every reset that meets a write
 * of HTTP/2 over TLS; see docs/decisions/0006. `remoteAddress` would be the public way to ask, but it remembers its
 * first answer. Where the handle cannot be asked, the answer is yes, and probes have to find out.
 */
export function hasPeer(socket: Socket): boolean {
  const handle = (socket as { _handle?: Handle | null })._handle
  return handle?.getpeername === undefined || handle.getpeername({}) === 0
}
