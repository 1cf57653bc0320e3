import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../../test/support/eventually.ts'
import { tempDir } from '../../test/support/temp-dir.ts'
import { systemClock } from '../core/clock.ts'
import { silentLog } from '../core/log.ts'
import { watchedHubConfig } from './hub-config.ts'

const deps = { clock: systemClock, log: silentLog, env: {} }

test('a change of the file counts at once, and a damaged file changes nothing', async (t) => {
  const file = join(tempDir(t), 'lanyard.yaml')
  writeFileSync(file, 'reach: { trustOnFirstUse: false }\n')
  const troubles: unknown[] = []
  const log = { ...silentLog, error: (trouble: unknown) => void troubles.push(trouble) }
  const config = await watchedHubConfig(file, { ...deps, log })
  const stop = new AbortController()
  const running = config.run(stop.signal)
  t.after(async () => {
    stop.abort()
    await running
  })
  assert.equal(config.reach().trustOnFirstUse, false)
  writeFileSync(file, 'reach: { rewriteLoopback: false, checkInterval: 5 }\n')
  await eventually('it is read again', () => config.reach().rewriteLoopback === false)
  assert.deepEqual([config.reach().trustOnFirstUse, config.reach().checkInterval], [true, 5])
  writeFileSync(file, 'reach: { checkInterval: soon }\n')
  await eventually('the mistake is told', () => troubles.length === 1)
  assert.equal(config.reach().checkInterval, 5)
  writeFileSync(file, 'reach: { checkInterval: 7, rewriteLoopback: true }\n')
  await eventually('it is read again', () => config.reach().checkInterval === 7)
})

test('a file that is named must be there and be right', async (t) => {
  const file = join(tempDir(t), 'lanyard.yaml')
  await assert.rejects(watchedHubConfig(file, deps), { code: 'CONFIG_UNREADABLE' })
  writeFileSync(file, 'reach: { checkIntervall: 5 }\n')
  await assert.rejects(watchedHubConfig(file, deps), /checkInterval/)
})
