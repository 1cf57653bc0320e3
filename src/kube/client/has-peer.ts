import type { Socket } from 'node:net'

interface Handle {
  getpeername?(address: object): number
}

/**
 * Whether the kernel still knows whom a socket is connected to. Node does not hear of every reset: while HTTP/2 has a
 * write under way it does not read, and once TLS has failed to write, it takes later writes and never finishes them.
 * `remoteAddress` would be the public way to ask, but it remembers its first answer. Where the handle cannot be asked,
 * the answer is yes, and probes have to find out.
 */
export function hasPeer(socket: Socket): boolean {
  const handle = (socket as { _handle?: Handle | null })._handle
  return handle?.getpeername === undefined || handle.getpeername({}) === 0
}
