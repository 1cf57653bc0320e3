import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Resident memory of some processes, all together. */
export function memoryOf(pids: readonly number[]): number {
  const lines = execFileSync('ps', ['-o', 'rss=', '-p', pids.join(',')], { encoding: 'utf8' })
    .trim()
    .split('\n')
  if (lines.length !== pids.length) throw new Error('a process of the control plane is gone')
  return lines.reduce((sum, line) => sum + Number(line) * 1_024, 0)
}

/** Processor time that some processes have used so far, all together. Linux only; 0 elsewhere. */
export const cpuMsOf = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + cpuMsOfOne(pid), 0)

/** The kernel counts it in hundredths of a second. */
const tickMs = 10

function cpuMsOfOne(pid: number): number {
  if (process.platform !== 'linux') return 0
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // A program's name may hold spaces and ends with a bracket; user and system time are the 12th and 13th field behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * tickMs
}
