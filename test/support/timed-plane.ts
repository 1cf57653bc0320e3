import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { silentLog } from '../../src/core/log.ts'
import { systemRandom } from '../../src/core/random.ts'
import { startEmbedded } from '../../src/embedded/index.ts'
import { accessTo } from './control-plane/access.ts'
import type { ControlPlane } from './control-plane.ts'
import { startControlPlane } from './control-plane.ts'
import { duration, FakeClock } from './fake-clock.ts'
import { tempDir } from './temp-dir.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

export interface TimedPlane {
  plane: ControlPlane
  /** Begins at the present, because Node checks the certificates of servers by the machine's own clock. */
  clock: FakeClock
  /**
   * Whether the control plane lives by the clock too. A real one does not: there a test may move the clock to the first
   * moment something is due and look at what happens, no further.
   */
  ownsTime: boolean
  /** Moves time in steps, with a pause after each for what it sets off on the network. */
  advance(by: number | string, steps?: number): Promise<void>
}

/** A control plane for this test alone, for what is about time: give `clock` to the hub and the agents. */
export async function timedPlane(t: TestScope): Promise<TimedPlane> {
  const clock = new FakeClock(new Date())
  const ownsTime = process.env['CONTROL_PLANE'] !== 'kube'
  const plane = ownsTime ? await embeddedOn(t, clock) : await startControlPlane(t, {})
  return {
    plane,
    clock,
    ownsTime,
    async advance(by, steps = 10) {
      const totalMs = duration(by)
      let ranMs = 0
      for (let step = 1; step <= steps; step += 1) {
        // Whole milliseconds, as times on record are: parts of them would not add up to what is due at the end.
        const untilMs = Math.round((totalMs * step) / steps)
        await clock.advance(untilMs - ranMs)
        ranMs = untilMs
        await delay(10)
      }
    },
  }
}

async function embeddedOn(t: TestScope, clock: FakeClock): Promise<ControlPlane> {
  const dir = tempDir(t)
  const embedded = await startEmbedded({ dir, clock, random: systemRandom, log: silentLog })
  teardown(t, () => embedded.close())
  const { serverCa, clientCa, admin } = embedded.identities
  return accessTo({
    url: embedded.url,
    caPem: serverCa.certPem,
    admin,
    clientCa,
    adminKubeconfigPath: embedded.adminKubeconfigPath,
    auditLogPath: join(dir, 'audit.log'),
    descriptorPath: join(dir, 'none'),
  })
}
