/** Creates, changes and deletes ConfigMaps without a break, in a process of its own. See `startWriter`. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { systemClock } from '../../src/core/clock.ts'
import { systemRandom } from '../../src/core/random.ts'
import { connect } from '../../src/kube/client/index.ts'
import { configMaps } from '../../src/kube/kinds.ts'
import { aConfigMap } from '../support/builders.ts'
import { attach } from '../support/control-plane/access.ts'
import type { TestScope } from '../support/test-scope.ts'
import { teardown } from '../support/test-scope.ts'

/** What it has done so far. */
export interface Written {
  writes: number
  /** Writes whose outcome is unknown or that were refused, as the server was down. */
  failures: number
}

export interface Writer {
  /** Resolves once nothing is under way any more. */
  pause(): Promise<Written>
  resume(): void
}

export async function startWriter(t: TestScope, descriptorPath: string, namespace: string): Promise<Writer> {
  const child = fork(import.meta.filename, [descriptorPath, namespace], { execArgv: [] })
  teardown(t, async () => {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  })
  await once(child, 'message')
  return {
    async pause() {
      const answered = once(child, 'message')
      child.send('pause')
      return (await answered)[0]
    },
    resume: () => void child.send('resume'),
  }
}

const [lanes, namesPerLane] = [8, 8]

async function main(descriptorPath: string, namespace: string, tell: (written: Written) => void): Promise<void> {
  const deps = { clock: systemClock, random: systemRandom, options: { qps: 0, deadlineMs: 1_000, connectMs: 500 } }
  const client = connect(attach(descriptorPath).connection(), deps)
  const maps = client.of(configMaps, namespace)
  const written: Written = { writes: 0, failures: 0 }
  let paused = false
  let underWay: Promise<unknown> = Promise.resolve()

  /** Each lane has names of its own, so that lanes do not get in each other's way. */
  async function write(lane: number): Promise<void> {
    const name = `lane-${lane}-${Math.floor(systemRandom.fraction() * namesPerLane)}`
    const object = aConfigMap(name, { value: systemRandom.suffix(40) })
    if (systemRandom.fraction() < 0.3) await maps.delete(name)
    else if (await maps.find(name)) await maps.update(object)
    else await maps.create(object)
  }

  async function runLane(lane: number): Promise<void> {
    while (!paused) {
      try {
        await write(lane)
        written.writes++
      } catch {
        written.failures++
        await delay(20)
      }
      await delay(5)
    }
  }

  const resume = () => {
    paused = false
    underWay = Promise.all(Array.from({ length: lanes }, (_, lane) => runLane(lane)))
  }
  process.on('message', async (order) => {
    if (order === 'resume') return resume()
    paused = true
    await underWay
    tell({ ...written })
  })
  resume()
  tell(written)
}

const [descriptorPath, namespace] = process.argv.slice(2)
if (process.send && process.argv[1] === import.meta.filename && descriptorPath && namespace) {
  process.on('disconnect', () => process.exit())
  await main(descriptorPath, namespace, (written) => process.send?.(written))
}
