/** What runs on a data folder already, by what it wrote there and what the system says of that process. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile, readlink, realpath, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Clock } from '../../core/clock.ts'
import { sleep } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import { failures } from '../failures.ts'
import { isShortFolder } from './socket-folder.ts'

const run = promisify(execFile)
const lookMs = 50
const fastMs = 30_000
const immediateMs = 10_000

export interface Running {
  pid: number
  /** Who started it; undefined when it was none of us. */
  starter: number | undefined
  /** Where its socket lies. */
  socketFolder: string | undefined
}

/** The name under which a server is started: it says whose it is. */
export const clusterName = (starter: number): string => `lanyard-${starter}`

/**
 * Undefined when nothing runs there. A file whose process is another by now is removed: PostgreSQL would heed it. First
 * the socket is asked: of a server in another container the number means nothing here, and two would ruin the data.
 */
export async function runningOn(data: string): Promise<Running | undefined> {
  const lines = (await textOf(join(data, 'postmaster.pid')))?.split('\n')
  const pid = Math.abs(Number(lines?.[0]))
  if (!lines || !Number.isSafeInteger(pid) || pid === 0) return undefined
  const socketFolder = lines[4] || undefined
  const lives = isAlive(pid)
  if (!lives || !(await worksOn(pid, data))) {
    if (socketFolder && (await listensIn(socketFolder))) return { pid, starter: undefined, socketFolder }
    if (lives) await rm(join(data, 'postmaster.pid'), { force: true })
    return undefined
  }
  const starter = /cluster_name=lanyard-(\d+)/.exec((await textOf(join(data, 'postmaster.opts'))) ?? '')?.[1]
  return { pid, starter: starter === undefined ? undefined : Number(starter), socketFolder }
}

/** Nobody but a server that lives takes a connection: the file alone refuses it. */
const listensIn = (socketFolder: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(join(socketFolder, '.s.PGSQL.5432'))
    const settle = (doesListen: boolean) => {
      socket.destroy()
      resolve(doesListen)
    }
    socket.once('connect', () => settle(true))
    // EAGAIN: more wait to be let in than there is room for.
    socket.once('error', ({ code }: NodeJS.ErrnoException) => settle(code === 'EAGAIN'))
  })

/**
 * Ends a server whose starter was killed. One whose starter lives, or that somebody else started, is theirs: throws
 * POSTGRES_RUNNING. Stopped and not adopted: only its parent is told when a process ends.
 */
export async function stopOrphan(data: string, { clock, log }: { clock: Clock; log: Log }): Promise<void> {
  const running = await runningOn(data)
  if (!running) return
  const { pid, starter, socketFolder } = running
  if (starter === undefined || (await parentOf(pid)) === starter) {
    throw failures.POSTGRES_RUNNING({ folder: dirname(data), pid })
  }
  log.info({ pid, starter }, 'a PostgreSQL whose starter is gone is stopped')
  await endProcess(pid, clock)
  if (socketFolder && isShortFolder(socketFolder)) await rm(socketFolder, { recursive: true, force: true })
}

/** Fast, then at once; both keep what was committed. */
export async function endProcess(pid: number, clock: Clock): Promise<void> {
  for (const [signal, limitMs] of [
    ['SIGINT', fastMs],
    ['SIGQUIT', immediateMs],
  ] as const) {
    if (!send(pid, signal)) return
    for (let waitedMs = 0; waitedMs < limitMs; waitedMs += lookMs) {
      if (!isAlive(pid)) return
      await sleep(clock, lookMs)
    }
  }
  throw failures.POSTGRES_STUCK({ pid })
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    // It is there, though not ours to signal.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** One that has ended and that nobody has asked about yet does not count: where no init runs it stays for ever. */
export const isAlive = (pid: number): boolean => send(pid, 0) && !isZombie(pid)

function isZombie(pid: number): boolean {
  try {
    return afterName(readFileSync(`/proc/${pid}/stat`, 'utf8')).startsWith('Z')
  } catch {
    return false
  }
}

/** The second field is a name in brackets, which may hold anything. */
const afterName = (stat: string): string => stat.slice(stat.lastIndexOf(') ') + 2)

/** A server works in its data folder. Where the system does not say, its arguments name it. */
async function worksOn(pid: number, data: string): Promise<boolean> {
  const place = await realpath(data)
  const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => undefined)
  if (cwd !== undefined) return cwd === place
  const args = await psOf(pid, 'args')
  return args === undefined || args.includes(place) || args.includes(data)
}

async function parentOf(pid: number): Promise<number | undefined> {
  const stat = await textOf(`/proc/${pid}/stat`)
  const parent = stat === undefined ? await psOf(pid, 'ppid') : afterName(stat).split(' ')[1]
  return parent === undefined ? undefined : Number(parent)
}

const psOf = (pid: number, field: string): Promise<string | undefined> =>
  run('ps', ['-o', `${field}=`, '-p', String(pid)]).then(
    ({ stdout }) => stdout.trim() || undefined,
    () => undefined,
  )

const textOf = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined)
