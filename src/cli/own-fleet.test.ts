import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../../test/support/eventually.ts'
import { tempDir } from '../../test/support/temp-dir.ts'
import { systemClock } from '../core/clock.ts'
import { silentLog } from '../core/log.ts'
import { systemRandom } from '../core/random.ts'
import { ownFleet } from './own-fleet.ts'
import { startOwnHub } from './own-hub.ts'

const servers = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length

test('a fleet that is stopped while it starts leaves no server behind', async (t) => {
  const dir = tempDir(t)
  const stop = new AbortController()
  const deps = { clock: systemClock, random: systemRandom, log: silentLog, signal: stop.signal }
  await using hub = await startOwnHub(join(dir, 'hub'), deps)
  const before = servers()
  const show = () => stop.abort()
  const run = ownFleet(hub, { dir: join(dir, 'clusters'), clusters: 1, manual: false, show }, deps)
  await run(stop.signal).catch((error: unknown) => assert.ok(stop.signal.aborted, String(error)))
  // Node lets go of a server some turns after it was closed.
  await eventually('there are no more servers than before', () => servers() <= before)
})
