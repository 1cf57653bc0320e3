import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

const listenState = '0A'

/** The TCP addresses a process listens on, in the kernel's notation with the port cut off. Linux only: it reads /proc. */
export function listeningAddresses(pid: number): string[] {
  const sockets = new Set(readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`)))
  return ['tcp', 'tcp6']
    .flatMap((table) => readFileSync(`/proc/${pid}/net/${table}`, 'utf8').trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === listenState && sockets.has(`socket:[${inode}]`))
    .map(([, local = '']) => local.split(':')[0] ?? '')
}

export const ipv4Loopback = '0100007F'

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    // Closed since it was listed.
    return ''
  }
}
