import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { OwnControlPlane } from '../../test/support/control-plane/contract.ts'
import { launchEmbedded } from '../../test/support/control-plane/embedded.ts'
import { launchKube } from '../../test/support/control-plane/kube.ts'

/** One side of the comparison. */
export interface Contestant {
  readonly name: string
  /** One that nobody has used yet. */
  launch(): Promise<Plane>
}

export interface Plane extends AsyncDisposable {
  readonly kubeconfig: string
  /** Of all that belongs to it. */
  readonly pids: readonly number[]
  /** Of what answers requests: without the controllers, where these are a program of their own. */
  readonly servingPids: readonly number[]
  /** Ends it in an orderly way and starts it again. Resolves to the milliseconds until /readyz said yes. */
  restart(options?: { empty: boolean }): Promise<number>
}

/** The bundle, as it is published. `flags` are Node's. */
export const embedded = (bundle: string, flags: readonly string[]): Contestant => ({
  name: 'embedded',
  launch: async () => planeOf(await launchEmbedded({}, [...flags, bundle]), 'data', 'data/admin.kubeconfig'),
})

/** With fsync, which tests do without: the embedded one answers a write when it is on disk, and so must this one. */
export const real: Contestant = {
  name: 'kube-apiserver + etcd',
  launch: async () =>
    planeOf(
      await launchKube({ flags: { etcd: { 'unsafe-no-fsync': false } } }, process.env),
      'etcd-data',
      'admin.kubeconfig',
    ),
}

const controllers = 'kube-controller-manager'

function planeOf(plane: OwnControlPlane, data: string, kubeconfig: string): Plane {
  const pidsOf = (isWanted: (program: string) => boolean) =>
    Object.entries(plane.pids).flatMap(([program, pid]) => (pid !== undefined && isWanted(program) ? [pid] : []))
  return {
    kubeconfig: join(plane.dir, kubeconfig),
    get pids() {
      return pidsOf(() => true)
    },
    get servingPids() {
      return pidsOf((program) => program !== controllers)
    },
    async restart({ empty } = { empty: false }) {
      for (const program of plane.programs.toReversed()) await plane.kill(program, 'SIGTERM')
      if (empty) await clear(join(plane.dir, data))
      const startedAt = performance.now()
      for (const program of plane.programs) if (program !== controllers) await plane.start(program)
      const readyMs = performance.now() - startedAt
      if (plane.programs.includes(controllers)) await plane.start(controllers)
      return readyMs
    },
    [Symbol.asyncDispose]: () => plane.stop(),
  }
}

async function clear(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true })
}
