import assert from 'node:assert/strict'
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import * as Type from 'typebox'
import { eventually } from '../../../test/support/eventually.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import type { Clock } from '../clock.ts'
import { systemClock } from '../clock.ts'
import { loadConfig } from './load.ts'
import { secretSetting } from './settings.ts'
import { watchConfig } from './watch.ts'

const schema = Type.Object({
  hub: Type.Object({ port: Type.Integer({ default: 8443 }) }),
  database: Type.Optional(Type.Object({ password: secretSetting({ description: 'of the role' }) })),
})

/** Watches in the background and keeps what it was told. */
async function startWatch(t: TestContext, file: string, clock: Clock = systemClock) {
  const stop = new AbortController()
  const [ports, troubles]: [number[], (string | undefined)[]] = [[], []]
  const secrets: (string | undefined)[] = []
  const current = await loadConfig(schema, { file })
  const watching = (async () => {
    const options = {
      signal: stop.signal,
      clock,
      settleMs: 10,
      onTrouble: (trouble?: Error) => troubles.push(trouble?.message),
    }
    for await (const { config } of watchConfig(schema, { file }, current, options)) {
      ports.push(config.hub.port)
      secrets.push(config.database?.password.reveal())
    }
  })()
  t.after(async () => {
    stop.abort()
    await watching
  })
  return {
    troubles,
    secrets,
    sees: (port: number) => eventually(`port ${port}`, () => ports.at(-1) === port),
    ports,
  }
}

const yaml = (port: number | string) => `hub: { port: ${port} }\n`

test('a file written in place is taken over', async (t) => {
  const file = join(tempDir(t), 'lanyard.yaml')
  writeFileSync(file, yaml(1))
  const watch = await startWatch(t, file)
  for (const port of [2, 3]) {
    writeFileSync(file, yaml(port))
    await watch.sees(port)
  }
  assert.deepEqual(watch.ports, [2, 3])
})

test('a file that is empty or cut off while it is written is no change yet, and no trouble', async (t) => {
  const file = join(tempDir(t), 'lanyard.yaml')
  writeFileSync(file, yaml(1))
  const clock = new FakeClock()
  const watch = await startWatch(t, file, clock)
  for (const [part, port] of [
    ['', 2],
    ['hub: { po', 3],
  ] as const) {
    await eventually('it waits for a change', () => dueIn(clock) > 10)
    writeFileSync(file, part)
    await eventually('it waits until that is quiet', () => dueIn(clock) === 10)
    await clock.advance('10ms')
    await eventually('it has read this, and waits to read it again', () => dueIn(clock) === 10)
    writeFileSync(file, yaml(port))
    await eventually(`port ${port}`, async () => {
      await clock.advance('10ms')
      return watch.ports.at(-1) === port
    })
  }
  assert.deepEqual([watch.ports, watch.troubles], [[2, 3], []])
})

const dueIn = (clock: FakeClock) => (clock.nextDue?.getTime() ?? 0) - clock.now().getTime()

test('a file replaced by a rename, again and again, is taken over', async (t) => {
  const dir = tempDir(t)
  const file = join(dir, 'lanyard.yaml')
  writeFileSync(file, yaml(1))
  const watch = await startWatch(t, file)
  for (const port of [2, 3, 4]) {
    writeFileSync(join(dir, '.swap'), yaml(port))
    renameSync(join(dir, '.swap'), file)
    await watch.sees(port)
  }
})

test('a mounted ConfigMap, whose data is swapped by a link, is taken over', async (t) => {
  const dir = tempDir(t)
  const publish = (version: string, port: number) => {
    mkdirSync(join(dir, version))
    writeFileSync(join(dir, version, 'lanyard.yaml'), yaml(port))
    symlinkSync(version, join(dir, '..data_tmp'))
    renameSync(join(dir, '..data_tmp'), join(dir, '..data'))
  }
  publish('..1', 1)
  symlinkSync(join('..data', 'lanyard.yaml'), join(dir, 'lanyard.yaml'))
  const watch = await startWatch(t, join(dir, 'lanyard.yaml'))
  publish('..2', 2)
  rmSync(join(dir, '..1'), { recursive: true })
  await watch.sees(2)
  publish('..3', 3)
  rmSync(join(dir, '..2'), { recursive: true })
  await watch.sees(3)
})

test('a link to a folder on the way to the file may be swapped', async (t) => {
  const dir = tempDir(t)
  for (const [release, port] of [
    ['a', 1],
    ['b', 2],
  ] as const) {
    mkdirSync(join(dir, release))
    writeFileSync(join(dir, release, 'lanyard.yaml'), yaml(port))
  }
  symlinkSync('a', join(dir, 'current'))
  const watch = await startWatch(t, join(dir, 'current', 'lanyard.yaml'))
  symlinkSync('b', join(dir, 'next'))
  renameSync(join(dir, 'next'), join(dir, 'current'))
  await watch.sees(2)
})

test('a changed secret is taken over', async (t) => {
  const [dir, secretDir] = [tempDir(t), tempDir(t)]
  const file = join(dir, 'lanyard.yaml')
  writeFileSync(join(secretDir, 'pw'), 'one')
  writeFileSync(file, `database: { passwordFile: ${join(secretDir, 'pw')} }`)
  const watch = await startWatch(t, file)
  writeFileSync(join(secretDir, 'pw'), 'two')
  await eventually('the new secret', () => watch.secrets.at(-1) === 'two')
})

test('a broken file is told once and changes nothing; its repair is told as well', async (t) => {
  const dir = tempDir(t)
  const file = join(dir, 'lanyard.yaml')
  writeFileSync(file, yaml(1))
  const watch = await startWatch(t, file)
  writeFileSync(file, yaml('many'))
  await eventually('trouble', () => watch.troubles.length === 1)
  writeFileSync(join(dir, 'other'), 'a change that makes it look again')
  writeFileSync(file, yaml(2))
  await watch.sees(2)
  assert.deepEqual(watch.troubles, [`hub.port (${file}:1) must be a whole number`, undefined])
  assert.deepEqual(watch.ports, [2])
})

test('a file that goes away is trouble, and the last good configuration stays', async (t) => {
  const file = join(tempDir(t), 'lanyard.yaml')
  writeFileSync(file, yaml(1))
  const watch = await startWatch(t, file)
  rmSync(file)
  await eventually('trouble', () => watch.troubles.length === 1)
  assert.match(watch.troubles[0] ?? '', /does not exist/)
  assert.deepEqual(watch.ports, [])
})

test('where the file system gives no sign, the file is read again after a minute', async (t) => {
  const file = join(tempDir(t), 'lanyard.yaml')
  // What is written through a second name in another folder is not seen in the first.
  const unseen = join(tempDir(t), 'other-name')
  writeFileSync(file, yaml(1))
  linkSync(file, unseen)
  const clock = new FakeClock()
  const watch = await startWatch(t, file, clock)
  const due = await eventually('it waits', () => clock.nextDue)
  assert.equal(due.getTime() - clock.now().getTime(), 60_000)
  writeFileSync(unseen, yaml(2))
  await clock.advance('59s')
  assert.deepEqual([clock.nextDue, watch.ports], [due, []])
  await eventually('it reads', async () => {
    await clock.advance('1s')
    return watch.ports.at(-1) === 2
  })
})

test('a change between loading and watching is not missed', async (t) => {
  const file = join(tempDir(t), 'lanyard.yaml')
  writeFileSync(file, yaml(1))
  const current = await loadConfig(schema, { file })
  writeFileSync(file, yaml(2))
  const stop = new AbortController()
  for await (const { config } of watchConfig(schema, { file }, current, {
    signal: stop.signal,
    clock: systemClock,
    settleMs: 10,
    onTrouble: () => {},
  })) {
    assert.equal(config.hub.port, 2)
    break
  }
})
