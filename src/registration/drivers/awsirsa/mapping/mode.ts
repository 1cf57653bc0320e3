import type { Clock } from '../../../../core/clock.ts'
import { isFailure } from '../../../../core/failure.ts'
import type { Eks } from '../clients/ports.ts'
import { failures } from '../failures.ts'
import type { EksCluster } from '../names.ts'
import type { MappingKind } from './mapping.ts'

/** People change the mode rarely, and only towards access entries. */
const keptMs = 300_000

export interface Mode {
  /** Which kind of mapping the hub's EKS cluster goes by. */
  kind(): Promise<MappingKind>
  /** Asks EKS again next time: it did something that does not fit what is known. */
  forget(): void
}

export interface ModeDeps {
  eks: Pick<Eks, 'authenticationMode'>
  hub: Pick<EksCluster, 'arn'>
  /** Whether the hub's own API server is one of EKS, as its version says. */
  isEks: () => Promise<boolean>
  clock: Pick<Clock, 'now'>
}

/**
 * By the authentication mode of the EKS cluster, which is asked for once in five minutes, however many ask. A hub that is
 * none of EKS has only the ConfigMap, which the authenticator of AWS reads wherever it is installed.
 */
export function mappingMode({ eks, hub, isEks, clock }: ModeDeps): Mode {
  let known: { at: number; kind: Promise<MappingKind> } | undefined
  const ask = async (): Promise<MappingKind> => {
    try {
      const mode = await eks.authenticationMode()
      return mode === 'API' || mode === 'API_AND_CONFIG_MAP' ? 'access-entry' : 'aws-auth'
    } catch (error) {
      if (!isFailure(error, 'AWS_NOT_FOUND')) throw error
      if (!(await isEks())) return 'aws-auth'
      throw failures.AWS_HUB_UNKNOWN({ hub: hub.arn }, error)
    }
  }
  return {
    kind() {
      const now = clock.now().getTime()
      if (known && now - known.at < keptMs && now >= known.at) return known.kind
      const asked = { at: now, kind: ask() }
      known = asked
      // An answer that never came is not kept; whoever waits for it hears why.
      asked.kind.catch(() => {
        if (known === asked) known = undefined
      })
      return asked.kind
    },
    forget() {
      known = undefined
    },
  }
}
