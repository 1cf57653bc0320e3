import type { Served } from '../tasks.ts'
import { cpuMsOf } from '../usage.ts'

/** Times some requests on both ends. */
export async function served(servingPids: readonly number[], work: () => Promise<void>): Promise<Served> {
  const serverCpu = cpuMsOf(servingPids)
  const clientCpu = process.cpuUsage()
  const start = performance.now()
  await work()
  const ms = performance.now() - start
  const { user, system } = process.cpuUsage(clientCpu)
  return { ms, serverCpuMs: cpuMsOf(servingPids) - serverCpu, clientCpuMs: (user + system) / 1_000 }
}
