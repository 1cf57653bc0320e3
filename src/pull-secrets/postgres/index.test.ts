import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { after, test } from 'node:test'
import pg from 'pg'
import { never } from '../../../test/support/never.ts'
import { whyNobodyElse } from '../../../test/support/other-users.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { teardown } from '../../../test/support/test-scope.ts'
import { systemClock } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import { silentLog } from '../../core/log.ts'
import { startPostgres } from './index.ts'
import { isAlive } from './running.ts'

const isRoot = process.getuid?.() === 0
const nobody = 65_534
const program = join(import.meta.dirname, '../../../test/support/postgres-owner.ts')

interface Said {
  url: string
  pid: number
  code?: string
  params?: Record<string, unknown>
}

const seed = join(tempDir({ after }), 'pg')

/** With a database made before, unless it is to be new: to make one takes a second. */
async function aFolder(t: TestContext, what: 'new' | 'seeded' = 'seeded'): Promise<string> {
  const parent = tempDir(t)
  chmodSync(parent, 0o755)
  const dir = join(parent, 'pg')
  if (what === 'new') return dir
  if (!existsSync(seed)) {
    chmodSync(dirname(seed), 0o755)
    await (await start(seed)).stop()
  }
  execFileSync('cp', ['-a', seed, dir])
  return dir
}

const start = (dir: string, ours?: string) =>
  startPostgres({ dir, log: silentLog, clock: systemClock, settings: { fsync: 'off' }, ...(ours && { ours }) })

async function started(t: TestContext, dir: string, ours?: string) {
  const server = await start(dir, ours)
  teardown(t, server.stop)
  return server
}

/** Another process that owns one. */
async function anOwner(t: TestContext, dir: string, user: { uid?: number; gid?: number } = {}) {
  const child = spawn(process.execPath, [program, dir], { stdio: ['pipe', 'pipe', 'inherit'], ...user })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const said = JSON.parse(line) as Said
  teardown(t, () => ended(child, () => child.stdin.end()))
  return { child, said }
}

async function ended(child: ChildProcess, end: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  end()
  await exit
}

async function ask(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

test('it is made once, keeps what was committed, and listens to us alone', async (t) => {
  const dir = await aFolder(t, 'new')
  const first = await started(t, dir)
  await ask(first.url, 'CREATE TABLE a AS SELECT 1 AS n')
  assert.deepEqual(
    await ask(first.url, `SELECT pg_encoding_to_char(encoding) AS e FROM pg_database WHERE datname = 'lanyard'`),
    [{ e: 'UTF8' }],
  )
  assert.deepEqual(await ask(first.url, 'SHOW listen_addresses'), [{ listen_addresses: '' }])
  assert.equal(statSync(dir).mode & 0o777, 0o700)
  await assert.rejects(ask(first.url.replace('lanyard@', 'postgres@'), 'SELECT 1'), { code: '28000' })
  assert.deepEqual(
    readdirSync(dir).filter((name) => name.includes('.new')),
    [],
  )
  await first.stop()
  await first.over
  assert.ok(!isAlive(first.pid))
  const second = await started(t, dir)
  assert.deepEqual(await ask(second.url, 'SELECT n FROM a'), [{ n: 1 }])
})

test('after kill -9 of its starter the next start stops the server that goes on, and loses nothing', async (t) => {
  const dir = await aFolder(t)
  const { child, said } = await anOwner(t, dir)
  await ask(said.url, 'CREATE TABLE a AS SELECT 1 AS n')
  await ended(child, () => child.kill('SIGKILL'))
  assert.ok(isAlive(said.pid), 'the server outlives it')
  const next = await started(t, dir)
  assert.ok(!isAlive(said.pid))
  assert.notEqual(next.pid, said.pid)
  const kept = await ask(next.url, 'SELECT n FROM a')
  never('lost', () => assert.deepEqual(kept, [{ n: 1 }]))
})

test('a second start beside a living one is refused, and harms nobody', async (t) => {
  const dir = await aFolder(t)
  const { said } = await anOwner(t, dir)
  await assert.rejects(started(t, dir), (error) => {
    assert.ok(isFailure(error, 'POSTGRES_RUNNING'))
    assert.equal(error.params['pid'], said.pid)
    return true
  })
  assert.deepEqual(await ask(said.url, 'SELECT 1 AS n'), [{ n: 1 }])
})

test('a server whose process number means nothing here, as in another container, is left alone', async (t) => {
  const dir = await aFolder(t)
  const { said } = await anOwner(t, dir)
  const file = join(dir, 'data', 'postmaster.pid')
  const own = readFileSync(file, 'utf8')
  for (const pid of [4_000_000, process.pid]) {
    const foreign = own.replace(String(said.pid), String(pid))
    writeFileSync(file, foreign)
    await assert.rejects(started(t, dir), (error) => isFailure(error, 'POSTGRES_RUNNING'))
    assert.equal(readFileSync(file, 'utf8'), foreign)
  }
  writeFileSync(file, own)
  assert.deepEqual(await ask(said.url, 'SELECT 1 AS n'), [{ n: 1 }])
})

test('of two first starts at once one has it, and the other is told who', async (t) => {
  const dir = await aFolder(t, 'new')
  const both = await Promise.all([anOwner(t, dir), anOwner(t, dir)])
  const winner = both.find(({ said }) => said.pid)?.said
  const loser = both.find(({ said }) => said.code)?.said
  assert.ok(winner)
  assert.equal(loser?.code, 'POSTGRES_RUNNING')
  assert.equal(loser.params?.['pid'], winner.pid)
  assert.deepEqual(await ask(winner.url, 'SELECT 1 AS n'), [{ n: 1 }])
})

test('a pid file of nobody, or of a process that is something else by now, is no obstacle', async (t) => {
  const dir = await aFolder(t)
  const first = await started(t, dir)
  await first.stop()
  const other = spawn('sleep', ['60'], { stdio: 'ignore', ...(isRoot && { uid: nobody, gid: nobody }) })
  teardown(t, () => ended(other, () => other.kill('SIGKILL')))
  const file = join(dir, 'data', 'postmaster.pid')
  for (const pid of [4_000_000, other.pid]) {
    writeFileSync(file, `${pid}\n${join(dir, 'data')}\n1\n5432\n${dir}\n\n`)
    const next = await started(t, dir)
    assert.equal(readFileSync(file, 'utf8').split('\n')[0], String(next.pid))
    await next.stop()
  }
  assert.ok(isAlive(other.pid as number))
})

test('when it dies by itself that is told, and the next start recovers', async (t) => {
  const dir = await aFolder(t)
  const first = await started(t, dir)
  await ask(first.url, 'CREATE TABLE a AS SELECT 1 AS n')
  process.kill(first.pid, 'SIGKILL')
  await assert.rejects(first.over, (error) => isFailure(error, 'POSTGRES_ENDED'))
  const next = await started(t, dir)
  const kept = await ask(next.url, 'SELECT n FROM a')
  never('lost', () => assert.deepEqual(kept, [{ n: 1 }]))
})

test('a folder whose path is too long for a socket works, and leaves no folder behind', async (t) => {
  const parent = tempDir(t)
  chmodSync(parent, 0o755)
  const server = await started(t, join(parent, 'd'.repeat(120)))
  const host = decodeURIComponent(new URL(server.url.replace('@/', '@x/')).searchParams.get('host') ?? '')
  assert.ok(existsSync(host))
  assert.deepEqual(await ask(server.url, 'SELECT 1 AS n'), [{ n: 1 }])
  await server.stop()
  assert.ok(!existsSync(host))
})

test('a database of another version is not touched', async (t) => {
  const dir = await aFolder(t)
  const first = await started(t, dir)
  await first.stop()
  writeFileSync(join(dir, 'data', 'PG_VERSION'), '9\n')
  await assert.rejects(started(t, dir), (error) => isFailure(error, 'POSTGRES_VERSION'))
})

test('as a user other than root', { skip: whyNobodyElse }, async (t) => {
  const home = tempDir(t)
  chmodSync(home, 0o777)
  const { said } = await anOwner(t, join(home, 'pg'), { uid: nobody, gid: nobody })
  assert.equal(said.code, undefined)
  assert.equal(statSync(join(home, 'pg', 'data')).uid, nobody)
})

test('root is told which folder is closed to the one it runs as', { skip: !isRoot && 'needs root' }, async (t) => {
  const closed = join(tempDir(t), 'closed')
  mkdirSync(closed, { mode: 0o700 })
  await assert.rejects(started(t, join(closed, 'pg')), (error) => {
    assert.ok(isFailure(error, 'POSTGRES_BLOCKED'))
    return error.params['folder'] === dirname(closed)
  })
})

test('root lets it through folders of ours, and nobody else', { skip: !isRoot && 'needs root' }, async (t) => {
  const parent = tempDir(t)
  chmodSync(parent, 0o755)
  const ours = join(parent, 'data')
  mkdirSync(join(ours, 'pull-secrets'), { recursive: true, mode: 0o700 })
  const server = await started(t, join(ours, 'pull-secrets', 'pg'), ours)
  assert.deepEqual(await ask(server.url, 'SELECT 1 AS n'), [{ n: 1 }])
  assert.equal(statSync(ours).mode & 0o777, 0o710)
})
