// Does one thing of the data's care, and is killed at the checkpoint it is given, the time it is given.
import { backup } from '../backup.ts'
import { compact } from '../compact.ts'
import { correctionOf } from '../corrections.ts'
import { fsck } from '../fsck.ts'
import { restore } from '../restore.ts'
import { careDeps, everyOtherMap } from './folders.ts'

const [, , verb = '', dir = '', file = '', at = '', times = '1'] = process.argv
let left = Number(times)
const deps = careDeps({
  checkpoint: (name) => {
    if (name === at && --left === 0) process.kill(process.pid, 'SIGKILL')
  },
})
const everyOther = [correctionOf('maps', 'configmaps', everyOtherMap)]
const verbs: Record<string, () => Promise<object>> = {
  backup: () => backup({ dir, to: file, overwrite: true }, deps),
  restore: () => restore({ dir, from: file, replace: true }, deps),
  'restore-corrected': () => restore({ dir, from: file, replace: true, corrections: everyOther }, deps),
  compact: () => compact({ dir }, deps),
  repair: () => fsck({ dir }, file, deps),
}
await verbs[verb]?.()
process.stdout.write('done\n')
