import { beFrugal, beSmall } from '../core/small-process.ts'

/**
 * To be imported before everything else: what V8 has reserved by then stays. An agent runs on every cluster and has
 * little to do; a hub has bursts to get through, so it keeps its compilers.
 */
const [command] = process.argv.slice(2)
if (command === 'agent') beSmall()
if (command === 'hub') beFrugal()
