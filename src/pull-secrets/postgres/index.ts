/** The PostgreSQL that Lanyard runs itself, for who has none: on a Unix socket, for this process alone. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import pg from 'pg'
import type { Clock } from '../../core/clock.ts'
import { sleep } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import { failures } from '../failures.ts'
import { asUser, folderAt, plainEnvironment, prepareFolder, role } from './folder.ts'
import { checkPassage, identityFor } from './identity.ts'
import { reachableBinaries } from './reachable.ts'
import { clusterName, endProcess, runningOn, stopOrphan } from './running.ts'
import { isShortFolder, socketFolderFor } from './socket-folder.ts'

export interface PostgresOptions {
  /** Its folder; made when it is not there. */
  dir: string
  /** A folder of ours above it, through which the one that it runs as may be let when we are root. */
  ours?: string
  log: Log
  clock: Clock
  /** Of its configuration, besides what is set here. */
  settings?: Readonly<Record<string, string | number>>
}

export interface Postgres extends AsyncDisposable {
  /** Holds no secret: the server knows us by who we are to the system. */
  url: string
  pid: number
  /** Resolves after `stop`; rejects with POSTGRES_ENDED when it ends by itself. */
  over: Promise<void>
  /** Fast: connections are cut, what was committed stays. */
  stop(): Promise<void>
}

const lookMs = 50

/**
 * Starts it and waits until it answers. When this process is killed the server goes on without it, and the next start
 * on the folder stops it first. A second start beside a living one is refused with POSTGRES_RUNNING.
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { log, clock, settings = {} } = options
  const folder = folderAt(resolve(options.dir))
  const { dir, data, logFile } = folder
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const identity = await identityFor(data)
  if (identity) await checkPassage(dir, identity, options.ours)
  const binaries = await reachableBinaries(identity)
  await stopOrphan(data, { clock, log })
  await prepareFolder(folder, binaries, identity, settings['fsync'] !== 'off')
  const socketFolder = await socketFolderFor(dir, identity)

  const flags = {
    listen_addresses: '',
    unix_socket_directories: socketFolder,
    unix_socket_permissions: '0700',
    cluster_name: clusterName(process.pid),
    ...settings,
  }
  await using output = await open(logFile, 'w', 0o600)
  const child = spawn(binaries.postgres, ['-D', data, ...Object.entries(flags).map(([k, v]) => `--${k}=${v}`)], {
    ...asUser(identity),
    cwd: dir,
    env: plainEnvironment,
    stdio: ['ignore', output.fd, output.fd],
    // Of its own group: Ctrl+C is for us, and it ends after us.
    detached: true,
  })
  const exited = once(child, 'exit') as Promise<[code: number | null, signal: string | null]>
  let stopping = false
  const over = exited.then(
    ([code, signal]) => {
      if (!stopping) throw failures.POSTGRES_ENDED({ detail: signal ?? `code ${code}`, file: logFile })
    },
    (error: NodeJS.ErrnoException) => {
      throw failures.POSTGRES_ENDED({ detail: error.code, file: logFile }, error)
    },
  )
  over.catch(() => {})
  const url = (database: string) => `postgresql://${role}@/${database}?host=${encodeURIComponent(socketFolder)}`
  const hasEnded = () => child.pid === undefined || child.exitCode !== null || child.signalCode !== null
  const stop = async () => {
    if (hasEnded()) return
    stopping = true
    const ending = endProcess(child.pid as number, clock)
    await exited
    await ending
    if (isShortFolder(socketFolder)) await rm(socketFolder, { recursive: true, force: true })
  }
  // Two that start at once have one socket: whoever answers may be the other one's.
  const isUp = async () => (await answers(url('postgres'))) && (await runningOn(data))?.pid === child.pid
  try {
    while (!hasEnded() && !(await isUp())) await sleep(clock, lookMs)
    if (hasEnded()) await over
  } catch (error) {
    const winner = await runningOn(data)
    if (winner) throw failures.POSTGRES_RUNNING({ folder: dir, pid: winner.pid }, error)
    throw error
  }
  await makeDatabase(url('postgres'))
  log.info({ folder: dir, pid: child.pid, user: identity?.name }, 'PostgreSQL runs')
  return { url: url(role), pid: child.pid as number, over, stop, [Symbol.asyncDispose]: stop }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  return await client
    .connect()
    .then(
      () => true,
      () => false,
    )
    .finally(() => client.end().catch(() => {}))
}

async function makeDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [role])
    if (rowCount === 0) await client.query(`CREATE DATABASE ${role}`)
  } finally {
    await client.end()
  }
}
