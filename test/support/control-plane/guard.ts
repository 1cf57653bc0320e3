import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Nothing may outlive the process that started a control plane, even one that is killed. A shell waits for the end of
 * a pipe that only the owner holds, then kills by pid file and removes the folder. Rejected: `setpriv --pdeathsig`,
 * which only Linux has.
 */
const clearAway = `
while read -r _; do :; done
for file in "$1"/*.pid; do [ -f "$file" ] && kill -9 "$(cat "$file")"; done
for _ in 1 2 3 4 5; do rm -rf "$1" && break; sleep 0.2; done
`

export interface GuardedDir {
  readonly path: string
  /** Removes it. Its programs must have ended. */
  remove(): void
}

const prefix = 'lanyard-control-plane-'

/** A new folder, of a control plane for example. Programs in it are those that have a `<program>.pid` there. */
export function createGuardedDir(parent = tmpdir()): GuardedDir {
  sweep(parent)
  const path = mkdtempSync(join(parent, `${prefix}${process.pid}-`))
  const guard = spawn('/bin/sh', ['-c', clearAway, 'guard', path], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  guard.unref()
  const lifeline = guard.stdin as Socket
  lifeline.unref()
  // The guard itself may be killed; then the next sweep does its work.
  lifeline.on('error', () => {})
  return {
    path,
    remove() {
      rmSync(path, { recursive: true, force: true, maxRetries: 5 })
      lifeline.end()
    },
  }
}

/** Clears away what is left of owners whose guard was killed as well, as when a machine is restarted. */
export function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    const owner = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1]
    if (owner === undefined || isAlive(Number(owner))) continue
    try {
      clear(join(parent, name))
    } catch {
      // It belongs to another user, who sweeps it some day.
    }
  }
}

function clear(dir: string): void {
  for (const pid of pidsIn(dir)) if (commandOf(pid).includes(dir)) kill(pid)
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
}

function pidsIn(dir: string): number[] {
  try {
    const files = readdirSync(dir).filter((file) => file.endsWith('.pid'))
    return files.map((file) => Number(readFileSync(join(dir, file), 'utf8')))
  } catch {
    // Somebody else sweeps it at the same time.
    return []
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Empty when there is no such process: a pid may long belong to somebody else. */
function commandOf(pid: number): string {
  try {
    return process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      : execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return ''
  }
}
