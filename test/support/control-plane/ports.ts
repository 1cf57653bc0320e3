import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the range from which systems choose the ports of outgoing connections: those would take ours while a server restarts. */
const range = [20_000, 32_000] as const

/** A port that is free on loopback at this moment. Whoever binds it later must be ready to ask again. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...range)
    if (await isFree(port)) return port
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  })
