import { systemClock } from '../core/clock.ts'
import type { LogLevel } from '../core/log.ts'
import { createLog } from '../core/log.ts'
import { createMetrics } from '../core/metrics.ts'
import { systemRandom } from '../core/random.ts'
import { apiCallMetrics } from '../kube/client-metrics.ts'
import type { ProcessDeps } from './process-parts.ts'

/** What hub, agent and operator begin with. The limits are for their clients. */
export async function beginProcess(
  name: string,
  options: { logLevel: LogLevel; kubeApiQps: number; kubeApiBurst: number },
) {
  const isTerminal = process.stderr.isTTY
  const log = createLog({ level: options.logLevel, pretty: isTerminal, colour: isTerminal })
  const metrics = await createMetrics({ process: true })
  const common: ProcessDeps = { clock: systemClock, random: systemRandom, log, metrics }
  const limits = {
    qps: options.kubeApiQps,
    burst: options.kubeApiBurst,
    userAgent: name,
    onRequest: apiCallMetrics(metrics),
  }
  return { common, limits }
}
