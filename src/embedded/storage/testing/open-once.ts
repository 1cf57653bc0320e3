// Opens the store in the folder it is given, and is killed at the checkpoint it is given, if it gets there.
import type { CheckpointName } from '../../../core/checkpoint.ts'
import { openIn } from './stores.ts'

const [, , dir = '', at = '' as CheckpointName] = process.argv
const store = openIn(dir, {
  checkpoint: (name) => {
    if (name === at) process.kill(process.pid, 'SIGKILL')
  },
})
await store.close()
process.stdout.write('opened\n')
