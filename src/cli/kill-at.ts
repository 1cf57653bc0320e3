import type { Checkpoint } from '../core/checkpoint.ts'
import { checkpointNames, passBy } from '../core/checkpoint.ts'
import { failures } from './failures.ts'

/**
 * LANYARD_KILL_AT, for the kill tests: `join.csr-created` ends the process there, `join.csr-created:2` when it passes
 * the second time. SIGKILL, so that nothing is tidied up.
 */
export function checkpointFrom(
  setting: string | undefined,
  kill = () => void process.kill(process.pid, 'SIGKILL'),
): Checkpoint {
  if (!setting) return passBy
  const [name = '', times = '1'] = setting.split(':')
  const isKnown = checkpointNames.some((known) => known === name)
  if (!isKnown || !/^[1-9]\d*$/.test(times))
    throw failures.CHECKPOINT_UNKNOWN({ name: setting, known: checkpointNames.join(', ') })
  let left = Number(times)
  return (passed) => {
    if (passed !== name) return
    left -= 1
    if (left === 0) kill()
  }
}
