import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import { tempDir } from '../../../../../test/support/temp-dir.ts'
import type { TestScope } from '../../../../../test/support/test-scope.ts'
import { createLog } from '../../../../core/log.ts'
import type { Metrics } from '../../../../core/metrics.ts'
import { createMetrics } from '../../../../core/metrics.ts'
import { randomFrom } from '../../../../core/random.ts'
import type { Priority, Rate, RegistryHttp } from '../index.ts'
import { openLine, registryHttp, route } from '../index.ts'
import type { ScriptedServer } from './scripted-server.ts'
import { scriptedServer } from './scripted-server.ts'

const any = /^[a-z0-9.+-]+$/
export const get = route('GET', '/things/{name}', { name: any })
export const put = route('PUT', '/things/{name}', { name: any })
export const remove = route('DELETE', '/things/{name}', { name: any })

export interface ClientScene {
  clock: FakeClock
  server: ScriptedServer
  http: RegistryHttp
  background: RegistryHttp
  tokenFile: string
  metrics: Metrics
  signal: AbortSignal
  stop(): void
  logged(): string
  /** Moves time on until the call is over. */
  within<T>(call: Promise<T>): Promise<T>
}

export interface ClientSceneOptions {
  rate?: Rate
  baseUrl?: string
}

/** A client of a scripted server, by a clock that stands still and with pauses that are as long as they can be. */
export async function clientScene(t: TestScope, options: ClientSceneOptions = {}): Promise<ClientScene> {
  const clock = new FakeClock('2026-01-01T00:00:00Z')
  const server = await scriptedServer(t)
  const metrics = await createMetrics()
  const lines: string[] = []
  const log = createLog({ level: 'debug', destination: { write: (line) => void lines.push(line) }, clock })
  const tokenFile = join(tempDir(t), 'token')
  writeFileSync(tokenFile, 'first\n')
  const { rate = { rps: 1000, burst: 1000 }, baseUrl = `${server.url}/api/v1/` } = options
  const line = openLine(
    { registry: 'quay', auth: { tokenFile }, rate, timeoutMs: 10_000 },
    { clock, random: randomFrom(() => 0.999_999), log, metrics },
  )
  const stopping = new AbortController()
  const client = (priority: Priority) => registryHttp(line, baseUrl, priority)
  return {
    clock,
    server,
    metrics,
    tokenFile,
    http: client('request'),
    background: client('background'),
    signal: stopping.signal,
    stop: () => stopping.abort(new Error('stopped')),
    logged: () => lines.join(''),
    async within(call) {
      let isOver = false
      const ended = call.finally(() => {
        isOver = true
      })
      ended.catch(() => {})
      // Time moves only while the call waits for it: the answer of the server is on its way otherwise.
      while (!isOver) {
        await clock.settle()
        const { nextDue } = clock
        if (!isOver && nextDue && nextDue.getTime() - clock.now().getTime() < 3_000) await clock.advanceToNext()
      }
      return await ended
    },
  }
}
