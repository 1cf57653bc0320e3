import type { Socket } from 'node:net'
import { connect, createServer } from 'node:net'
import type { TestScope } from '../support/test-scope.ts'
import { teardown } from '../support/test-scope.ts'

/** As a Service in front of replicas: each in turn is connected, or the next one where nobody is there. */
export async function startServiceFront(t: TestScope, port: number, ports: readonly number[]): Promise<void> {
  const open = new Set<Socket>()
  let turn = 0
  const server = createServer((client) => {
    open.add(client)
    client.on('error', () => {}).on('close', () => open.delete(client))
    turn += 1
    const order = ports.map((_, index) => ports[(turn + index) % ports.length] ?? 0)
    attempt(client, order)
  })
  const attempt = (client: Socket, [next, ...others]: readonly number[]) => {
    if (next === undefined) return void client.destroy()
    const behind = connect(next, '127.0.0.1')
    let isThere = false
    behind.once('connect', () => {
      isThere = true
      client.pipe(behind).pipe(client)
    })
    behind.on('error', () => (isThere ? client.destroy() : attempt(client, others)))
    behind.on('close', () => isThere && client.destroy())
    client.on('close', () => behind.destroy())
  }
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  teardown(t, () => {
    server.close()
    for (const socket of open) socket.destroy()
  })
}
