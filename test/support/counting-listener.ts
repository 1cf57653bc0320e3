import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

export interface CountingListener {
  readonly port: number
  /** So far. Each is ended at once. */
  readonly connections: number
}

/** A server on 127.0.0.1 that only counts who connects. */
export async function startCountingListener(t: TestScope): Promise<CountingListener> {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.on('error', () => {})
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  teardown(t, () => void server.close())
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections
    },
  }
}
