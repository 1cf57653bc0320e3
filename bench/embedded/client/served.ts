import type { Served } from '../tasks.ts'
import { cpuMsOf } from '../usage.ts'

/** Times some requests, here and at the servers. */
export async function served(servingPids: readonly number[], work: () => Promise<void>): Promise<Served> {
  const serverCpu = cpuMsOf(servingPids)
  const start = performance.now()
  await work()
  const ms = performance.now() - start
  return { ms, serverCpuMs: cpuMsOf(servingPids) - serverCpu }
}
