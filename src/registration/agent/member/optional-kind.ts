import type { Clock } from '../../../core/clock.ts'
import { sleep } from '../../../core/clock.ts'
import { isNotFound, KubeFailure } from '../../../kube/failures.ts'
import type { Source } from '../../../kube/list-watch.ts'
import type { KubeObject } from '../../../kube/objects.ts'

/**
 * The objects of a kind that the server may not serve: then there are none, and after `againMs` it is asked again.
 * Rejected: to let the informer fail and back off, which logs a warning a minute for a cluster that simply has no such
 * kind, and is never synced.
 */
export const optionalKind = <T extends KubeObject>(
  source: Source<T>,
  { clock, againMs }: { clock: Pick<Clock, 'countdown'>; againMs: number },
): Source<T> => ({
  async *pages(options) {
    try {
      yield* source.pages(options)
    } catch (error) {
      if (!isNotFound(error)) throw error
      yield { metadata: { resourceVersion: absent }, items: [] }
    }
  },
  async *watch(options) {
    if (options?.resourceVersion !== absent) return yield* source.watch(options)
    await sleep(clock, againMs, options?.signal)
    throw new KubeFailure({ code: 410, reason: 'Expired', message: 'time to ask for the kind again' }, asked)
  },
})

/** No server has this version. */
const absent = 'absent'
const asked = { method: 'GET', path: '' }
