import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Step } from '../core/step.ts'
import type { Embedded } from '../embedded/index.ts'
import type { CommandDeps, Hub } from './open-hub.ts'
import { openHub } from './open-hub.ts'

export interface OwnHub extends Hub, AsyncDisposable {
  readonly plane: Embedded
}

/** The embedded control plane as the hub, in this process, from this folder. */
export async function startOwnHub(dir: string, deps: CommandDeps): Promise<OwnHub> {
  const { startEmbedded } = await import('../embedded/index.ts')
  const plane = await startEmbedded({ dir, ...deps })
  const hub = await openHub({ kubeconfig: plane.adminKubeconfigPath, namespace: 'default' }, deps)
  return {
    ...hub,
    plane,
    async [Symbol.asyncDispose]() {
      await hub.client.close()
      await plane.close()
    },
  }
}

/** The same checks as on a hub of somebody else's, on one that is there for them alone and leaves nothing behind. */
export async function* checkOwnHub(dir: string, deps: CommandDeps): AsyncGenerator<Step> {
  yield { doing: 'starting an embedded hub' }
  const { checkHub } = await import('../demo/hub.ts')
  try {
    await using hub = await startOwnHub(dir, deps)
    yield { did: 'an embedded hub is ready', detail: hub.server }
    yield* checkHub({ ...deps, ...hub })
    const { checkFleet } = await import('./check-fleet.ts')
    yield* checkFleet(hub, join(dir, 'clusters'), deps)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
