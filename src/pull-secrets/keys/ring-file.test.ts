import assert from 'node:assert/strict'
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { teardown } from '../../../test/support/test-scope.ts'
import { systemClock } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import { createLog } from '../../core/log.ts'
import { failures } from '../failures.ts'
import type { KeyRing } from './ring.ts'
import { activateKey, addKey, dropKey, ensureKeyRing, openKeyRing } from './ring-file.ts'

function aScene(t: TestContext) {
  const path = join(tempDir(t), 'keys.json')
  const lines: string[] = []
  const log = createLog({ destination: { write: (line) => void lines.push(line) } })
  const open = (onChange?: (ring: KeyRing) => Promise<void>) =>
    openKeyRing(path, { clock: systemClock, log, retryMs: 20, ...(onChange && { onChange }) })
  const followed = async (onChange?: (ring: KeyRing) => Promise<void>) => {
    const file = await open(onChange)
    const stop = new AbortController()
    const running = file.run(stop.signal)
    teardown(t, async () => {
      stop.abort()
      await running
    })
    return file
  }
  return { path, open, followed, logged: () => lines.join('') }
}

test('the first start makes a ring that only we can read, and of many at once one makes it', async (t) => {
  const { path, open, logged } = aScene(t)
  const made = await Promise.all(Array.from({ length: 8 }, () => ensureKeyRing(path)))
  assert.equal(made.filter(Boolean).length, 1)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  const text = readFileSync(path, 'utf8')
  await ensureKeyRing(path)
  assert.equal(readFileSync(path, 'utf8'), text)
  const { active, keys } = (await open()).current()
  assert.deepEqual([...keys.keys()], [active])
  assert.equal(logged(), '')
  assert.deepEqual(readdirSync(join(path, '..')), ['keys.json'])
})

test('a ring that others may read is warned of', async (t) => {
  const { path, open, logged } = aScene(t)
  await ensureKeyRing(path)
  chmodSync(path, 0o644)
  await open()
  assert.match(logged(), /others may read the key ring/)
})

test('no file, or a wrong one, is no ring to start with', async (t) => {
  const { path, open } = aScene(t)
  await assert.rejects(open(), (error) => isFailure(error, 'CONFIG_SECRET_UNREADABLE'))
  writeFileSync(path, 'nonsense')
  await assert.rejects(open(), (error) => isFailure(error, 'PULL_KEY_RING_WRONG'))
})

test('a new key is taken over while running, told before it is used', async (t) => {
  const { path, followed } = aScene(t)
  await ensureKeyRing(path)
  const told: string[] = []
  const file = await followed(async ({ active }) => {
    assert.notEqual(file.current().active, active)
    told.push(active)
  })
  const before = file.current().active
  const id = await addKey(path, { activate: true })
  await eventually('the new key is taken over', () => file.current().active === id)
  assert.deepEqual([...file.current().keys.keys()], [before, id])
  assert.deepEqual(told, [id])
})

test('a change that comes while the database is away is taken over once it is back, whatever the file says by then', async (t) => {
  const { path, followed, logged } = aScene(t)
  await ensureKeyRing(path)
  let isAway = true
  const file = await followed(async () => {
    if (isAway) throw failures.PULL_DATABASE_AWAY({ retryAfterSeconds: 5 })
  })
  const { active } = file.current()
  await addKey(path, { activate: true })
  await eventually('it waits', () => logged().includes('the key ring waits for the database'))
  assert.equal(file.current().active, active)
  const last = await addKey(path, { activate: true })
  isAway = false
  await eventually('the last change is taken over', () => file.current().active === last)
})

test('a file that became wrong is told of, and the last good ring stays', async (t) => {
  const { path, followed, logged } = aScene(t)
  await ensureKeyRing(path)
  const file = await followed()
  const { active } = file.current()
  writeFileSync(path, '{active: x, keys: {}}')
  await eventually('the wrong file is told of', () => logged().includes('not taken over'))
  assert.equal(file.current().active, active)
})

test('keys are added, made active and dropped; the active one is not dropped', async (t) => {
  const { path, open } = aScene(t)
  await ensureKeyRing(path)
  const first = (await open()).current().active
  const second = await addKey(path, { activate: false })
  assert.equal((await open()).current().active, first)
  await activateKey(path, second)
  await assert.rejects(dropKey(path, second), (error) => isFailure(error, 'PULL_KEY_ACTIVE'))
  await dropKey(path, first)
  const { active, keys } = (await open()).current()
  assert.deepEqual([active, ...keys.keys()], [second, second])
  for (const unknown of [() => activateKey(path, 'x'), () => dropKey(path, 'x')])
    await assert.rejects(unknown(), (error) => isFailure(error, 'PULL_KEY_UNKNOWN'))
  assert.equal(statSync(path).mode & 0o777, 0o600)
})
