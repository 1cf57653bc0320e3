import { beReady, beSmall } from '../core/small-process.ts'

/**
 * To be imported before everything else: what V8 has reserved by then stays. An agent runs on every cluster and has
 * little to do; a hub and the pull secret service have bursts to get through, so they keep their
 * compilers.
 */
const [command] = process.argv.slice(2)
if (command === 'agent') beSmall()
if (command === 'hub' || command === 'pull-secrets') beReady()
