import { beSmall } from '../../../src/core/small-process.ts'
import { task } from '../tasks.ts'

if (task<'agent'>().small) beSmall()
await import('./agent-body.ts')
