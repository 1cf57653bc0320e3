import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

/** Below the range from which systems choose the ports of outgoing connections: those would take ours while a server restarts. */
const range = [20_000, 32_000] as const

/**
 * A port that is free on loopback at this moment, and given to nobody else who asks here while this process lives.
 * Whoever binds it later must still be ready to ask again: others do not ask.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...range)
    if ((await isFree(port)) && (await reserve(port))) return port
  }
}

/**
 * Keeps a number from all others who reserve theirs, until this process ends; false when somebody has it. By its UDP
 * port, which none of our servers uses: the system gives it to one process, and takes it back however that ends.
 */
export const reserve = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createSocket('udp4').unref()
    socket.once('error', () => {
      socket.close()
      resolve(false)
    })
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true))
  })

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  })
