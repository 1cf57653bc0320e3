import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { eventually } from '../eventually.ts'
import { tempDir } from '../temp-dir.ts'
import { createGuardedDir, isAlive, sweep } from './guard.ts'

/** A process that owns a guarded folder with one server in it, and would go on for ever. */
const ownerSource = `
import { createGuardedDir } from ${JSON.stringify(join(import.meta.dirname, 'guard.ts'))}
import { spawnServer } from ${JSON.stringify(join(import.meta.dirname, 'server-process.ts'))}
import { pathsIn } from ${JSON.stringify(join(import.meta.dirname, 'paths.ts'))}
const dir = createGuardedDir(process.argv[1])
const server = await spawnServer('etcd', '/bin/sleep', ['600'], pathsIn(dir.path))
console.log(JSON.stringify({ dir: dir.path, server: server.pid }))
setInterval(() => {}, 1000)
`

async function startOwner(t: TestContext, parent: string) {
  const owner = spawn(process.execPath, ['--input-type=module', '--eval', ownerSource, parent], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => owner.kill('SIGKILL'))
  const [line] = await once(createInterface(owner.stdout), 'line')
  return { owner, ...(JSON.parse(line) as { dir: string; server: number }) }
}

/** The pid of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn('/bin/true')
  await once(child, 'exit')
  return child.pid as number
}

test('an owner that is killed takes its servers and its folder along', async (t) => {
  const parent = tempDir(t)
  const { owner, dir, server } = await startOwner(t, parent)
  assert.ok(isAlive(server))
  owner.kill('SIGKILL')
  await eventually('both are gone', () => !existsSync(dir) && !isAlive(server))
})

test('a folder that is removed in an orderly way leaves no guard behind', async (t) => {
  const dir = createGuardedDir(tempDir(t))
  writeFileSync(join(dir.path, 'file'), '')
  dir.remove()
  assert.ok(!existsSync(dir.path))
})

test('a sweep removes what dead owners left and nothing of the living', async (t) => {
  const parent = tempDir(t)
  const [dead, alive, foreign] = [
    `lanyard-control-plane-${await deadPid()}-abc`,
    `lanyard-control-plane-${process.pid}-abc`,
    'somebody-else-1-abc',
  ]
  for (const name of [dead, alive, foreign]) mkdirSync(join(parent, name))
  sweep(parent)
  assert.deepEqual(new Set(readdirSync(parent)), new Set([alive, foreign]))
})

test('a sweep goes past what another user left', async (t) => {
  const parent = tempDir(t)
  const dead = await deadPid()
  const [foreign, own] = ['abc', 'xyz'].map((name) => join(parent, `lanyard-control-plane-${dead}-${name}`)) as [
    string,
    string,
  ]
  for (const dir of [foreign, own]) mkdirSync(dir)
  writeFileSync(join(foreign, 'file'), '')
  chmodSync(foreign, 0o500)
  // Root may remove anything, so that it has to be somebody else meanwhile.
  const isRoot = process.getuid?.() === 0
  if (isRoot) for (const dir of [parent, own]) chmodSync(dir, 0o777)
  if (isRoot) process.seteuid?.(65_534)
  try {
    sweep(parent)
  } finally {
    if (isRoot) process.seteuid?.(0)
    chmodSync(foreign, 0o700)
  }
  assert.deepEqual([existsSync(foreign), existsSync(own)], [true, false])
})

test('a sweep kills servers that are left, and spares a process that has their pid by chance', async (t) => {
  const parent = tempDir(t)
  const dir = join(parent, `lanyard-control-plane-${await deadPid()}-abc`)
  mkdirSync(dir)
  const left = spawn('/bin/sh', ['-c', 'read _', dir])
  const bystander = spawn('/bin/sleep', ['600'])
  t.after(() => bystander.kill())
  writeFileSync(join(dir, 'etcd.pid'), String(left.pid))
  writeFileSync(join(dir, 'kube-apiserver.pid'), String(bystander.pid))
  const ended = once(left, 'exit')
  sweep(parent)
  assert.deepEqual(await ended, [null, 'SIGKILL'])
  assert.deepEqual([bystander.exitCode, bystander.signalCode], [null, null])
  assert.ok(!existsSync(dir))
})
