/** Every cluster's registry credentials: minted, pooled, rotated, suspended. Runs with no Kubernetes anywhere. */
import { accounts } from './accounts/index.ts'
import type { PullDeps } from './deps.ts'
import { ending } from './ending/index.ts'
import { issuing } from './issuing/index.ts'
import { counted, reencryption } from './keys/index.ts'
import type { Loop } from './loop.ts'
import { pool } from './pool/index.ts'
import type { Registries } from './registries/entry.ts'
import { rotation } from './rotation/index.ts'
import type { PullSecretService } from './service.ts'

export interface PullSecrets extends PullSecretService {
  /** What has to run in the background; in several processes at once if need be. */
  loops: readonly Loop[]
}

export function pullSecrets(given: PullDeps): PullSecrets {
  const deps = { ...given, vault: counted(given.vault, given.metrics) }
  const made = accounts(deps)
  const later = accounts({ ...deps, registries: behindRequests(deps.registries) })
  const pooling = pool(deps, later)
  const rotating = rotation(deps, { urgent: made, usual: later })
  const issued = issuing(deps, made, pooling)
  const ended = ending(deps, made, rotating, issued)
  const endedLater = ending(deps, later, rotating, issued)
  const sweep: Loop = {
    name: 'sweep',
    everyMs: deps.settings.loops.sweepMs,
    async tick(signal) {
      try {
        await later.sweep(signal)
      } finally {
        await endedLater.sweep(signal)
      }
    },
  }
  const loops = [sweep, pooling.loop, ...rotating.loops, reencryption(deps)]
  return { issuing: issued, ending: ended, rotating, pooling, loops }
}

/** The same, but that calls nobody waits for go after those of requests. */
const behindRequests = (registries: Registries): Registries => ({
  ...registries,
  driver: (id, priority = 'background') => registries.driver(id, priority),
})
