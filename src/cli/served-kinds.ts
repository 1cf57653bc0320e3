import type { BackoffOptions } from '../core/backoff.ts'
import { backoffMs } from '../core/backoff.ts'
import { sleep } from '../core/clock.ts'
import type { Run } from '../core/lifecycle.ts'
import { isAbort } from '../core/lifecycle.ts'
import { isNotFound } from '../kube/failures.ts'
import type { Kube } from '../kube/kube.ts'
import type { KubeObject, Resource } from '../kube/objects.ts'
import { apiVersionOf } from '../kube/objects.ts'
import type { ProcessDeps } from './process-parts.ts'

const pauses: BackoffOptions = { baseMs: 1_000, maxMs: 30_000 }

/** What is read of an APIResourceList. */
interface ServedResources {
  readonly resources?: readonly { readonly name: string }[]
}

export interface GateKinds {
  readonly gate: string
  readonly kinds: readonly Resource<KubeObject>[]
}

/** What of a gate begins once the API server serves any of its kinds. */
export type OnceServed = (run: Run) => Run

/**
 * A hub may run on an API server without the kinds of a gate: then nothing of the gate is begun, which is logged once for
 * all of it, and the server is asked again. Where only some are missing, as after an upgrade, the rest goes on, and the
 * informer of each that is missing says so. Where the server does not tell, the gate begins as if it had all.
 */
export function onceServed(kube: Kube, { gate, kinds }: GateKinds, { clock, random, log }: ProcessDeps): OnceServed {
  let isLogged = false

  async function look(signal: AbortSignal): Promise<'all' | 'some' | 'none'> {
    const apiVersions = [...new Set(kinds.map(apiVersionOf))]
    const lists = apiVersions.map(async (apiVersion) => {
      const path = `/apis/${apiVersion}`
      const { resources = [] } = await kube
        .request<ServedResources>({ path, signal })
        .catch((error: unknown): ServedResources => {
          if (isNotFound(error)) return {}
          throw error
        })
      return resources.map(({ name }) => `${apiVersion}/${name}`)
    })
    const served = (await Promise.all(lists)).flat()
    const found = kinds.filter((kind) => served.includes(`${apiVersionOf(kind)}/${kind.plural}`))
    return found.length === kinds.length ? 'all' : found.length > 0 ? 'some' : 'none'
  }

  async function untilServed(signal: AbortSignal): Promise<void> {
    // What is being installed just now comes kind by kind: where there were none before, some have to stay some.
    let before: 'some' | 'none' = 'some'
    for (let attempt = 0; ; attempt += 1) {
      const now = await look(signal).catch((error: unknown) => {
        signal.throwIfAborted()
        log.debug({ err: error, gate }, 'kinds of a gate could not be looked for')
        return 'all' as const
      })
      if (now === 'all' || (now === 'some' && before === 'some')) break
      before = now
      if (!isLogged)
        log.warn(
          { gate, kinds: kinds.map(({ kind }) => kind) },
          'kinds of a gate are not served; install them with lanyard init, or turn the gate off',
        )
      isLogged = true
      await sleep(clock, backoffMs(attempt, pauses, random), signal)
    }
    if (isLogged) log.info({ gate }, 'kinds of a gate are served now')
    isLogged = false
  }

  return (run) => async (signal) => {
    try {
      await untilServed(signal)
    } catch (error) {
      if (isAbort(error, signal)) return
      throw error
    }
    await run(signal)
  }
}
