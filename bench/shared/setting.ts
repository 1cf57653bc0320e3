import { availableParallelism, loadavg } from 'node:os'
import { CannotBuild, ensureAssets } from '../../tools/kube-assets/build.ts'

/** Progress on standard error, with the seconds since the start: standard out is for the table. */
export function progress(): (line: string) => void {
  const startedAt = performance.now()
  return (line) => console.error(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${line}`)
}

/** Has the programs of a real control plane built, and warns when the machine is busy. Resolves to its load. */
export async function prepareMachine(say: (line: string) => void): Promise<number> {
  try {
    await ensureAssets({ names: ['etcd', 'kube-apiserver', 'kube-controller-manager'] })
  } catch (error) {
    if (!(error instanceof CannotBuild)) throw error
    console.error(error.message)
    process.exit(1)
  }
  const [load = 0] = loadavg()
  if (load > availableParallelism() / 2) say(`the machine is busy (load ${load.toFixed(1)}): expect wide ranges`)
  return load
}
