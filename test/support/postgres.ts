/** The PostgreSQL that tests run on: one server a run, a database of its own for each test. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { silentLog } from '../../src/core/log.ts'
import type { PostgresBinaries } from '../../src/pull-secrets/postgres/binaries.ts'
import { reachableBinaries } from '../../src/pull-secrets/postgres/reachable.ts'
import { migrate, openDatabase } from '../../src/pull-secrets/store/database.ts'
import { uniqueName } from './builders.ts'
import { createGuardedDir } from './control-plane/guard.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

const nobody = { uid: 65_534, gid: 65_534, name: 'nobody' }
const template = 'lanyard_template'

/** Started by the test command for all of its files, and named in LANYARD_TEST_DATABASE; else one for this process. */
export interface TestServer extends AsyncDisposable {
  /** Of its `postgres` database, as a superuser. */
  url: string
}

export interface LaunchOptions {
  /** Default: those that npm installed. */
  binaries?: Pick<PostgresBinaries, 'initdb' | 'postgres'>
  /** Besides those of every test server. */
  flags?: readonly string[]
  /** Makes the data folder, in place of initdb. */
  make?(data: string, identity: { uid?: number; gid?: number }): Promise<void>
}

/** The newest that Debian's packages brought. Undefined: there is none. */
export function debianPostgres(): (PostgresBinaries & { pg_basebackup: string }) | undefined {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root) : []
  const bin = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(root, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')))
  if (!bin) return undefined
  const at = (name: string) => join(bin, name)
  return { initdb: at('initdb'), postgres: at('postgres'), pg_ctl: at('pg_ctl'), pg_basebackup: at('pg_basebackup') }
}

export interface Launched extends TestServer {
  pid: number
  /** Where its socket lies; below it, its data folder. */
  dir: string
}

/** A server of its own: on a socket, without care for its disk, gone with this process. */
export async function launchServer({ binaries, flags = [], make }: LaunchOptions = {}): Promise<Launched> {
  const identity = process.getuid?.() === 0 ? nobody : undefined
  const { initdb, postgres } = binaries ?? (await reachableBinaries(identity))
  const folder = createGuardedDir()
  const dir = folder.path
  const user = identity && { uid: identity.uid, gid: identity.gid }
  if (user) chownSync(dir, user.uid, user.gid)
  chmodSync(dir, 0o700)
  const data = join(dir, 'data')
  const initialize = () => {
    const args = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync']
    const made = spawnSync(initdb, args, { ...user, cwd: dir })
    if (made.status !== 0) throw new Error(`initdb failed: ${made.error ?? made.stderr}`)
  }
  await (make ? make(data, user ?? {}) : initialize())
  const all = [
    'fsync=off',
    'full_page_writes=off',
    // A process a connection: less to map for each.
    'shared_buffers=16MB',
    'autovacuum=off',
    'max_connections=300',
    'listen_addresses=',
    `unix_socket_directories=${dir}`,
    ...flags,
  ]
  const child = spawn(postgres, ['-D', data, ...all.flatMap((flag) => ['-c', flag])], {
    ...user,
    cwd: dir,
    stdio: 'ignore',
  })
  // By this the guard of the folder ends it when this process is killed.
  writeFileSync(join(dir, 'postgres.pid'), String(child.pid))
  const end = () => child.kill('SIGQUIT')
  process.once('exit', end)
  child.unref()
  const url = `postgresql://postgres@/postgres?host=${encodeURIComponent(dir)}`
  await answers(url)
  return {
    url,
    dir,
    pid: child.pid as number,
    async [Symbol.asyncDispose]() {
      process.removeListener('exit', end)
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit')
        child.ref()
        child.kill('SIGINT')
        await ended
      }
      folder.remove()
    },
  }
}

export async function launchPostgres(options: LaunchOptions = {}): Promise<TestServer> {
  const server = await launchServer(options)
  await makeTemplate(server.url)
  return server
}

async function answers(url: string): Promise<void> {
  for (let looks = 0; ; looks += 1) {
    const client = new pg.Client(url)
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (looks > 300) throw error
      await delay(50)
    }
  }
}

/** Migrated once: a test copies it in a few milliseconds. */
export async function makeTemplate(server: string): Promise<void> {
  await onServer(server, async (client) => {
    await client.query(`DROP DATABASE IF EXISTS ${template}`)
    await client.query(`CREATE DATABASE ${template}`)
  })
  await using database = openDatabase({ url: databaseUrl(server, template), log: silentLog, connections: 1 })
  await migrate(database.db)
}

async function onServer<T>(server: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(server)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

export function databaseUrl(server: string, name: string): string {
  return server.replace(/\/postgres(\?|$)/, `/${name}$1`)
}

let own: Promise<TestServer> | undefined

export async function serverUrl(): Promise<string> {
  const given = process.env['LANYARD_TEST_DATABASE']
  if (given) return given
  own ??= launchPostgres()
  return (await own).url
}

/** A migrated database for this test alone; its URL. */
export async function freshDatabase(t: TestScope, server?: string): Promise<string> {
  return await databaseOn(server ?? (await serverUrl()), t)
}

async function databaseOn(server: string, t: TestScope): Promise<string> {
  const name = uniqueName('test').replaceAll('-', '_')
  await onServer(server, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`))
  teardown(t, () => onServer(server, async (client) => void (await client.query(`DROP DATABASE ${name} WITH (FORCE)`))))
  return databaseUrl(server, name)
}
