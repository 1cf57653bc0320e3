import type { Run } from '../../../core/lifecycle.ts'
import { aborted } from '../../../core/lifecycle.ts'
import type { Source } from '../../../kube/list-watch.ts'
import type { Key, KubeObject } from '../../../kube/objects.ts'

export interface DrainWatches {
  /**
   * Brings `key` back once all of `names` are gone. A hint and no promise: whoever waits looks again anyway. `place`
   * names what is watched, one watch a place and key.
   */
  expect(key: Key, place: string, source: Pick<Source<KubeObject>, 'watch'>, listed: Listed): void
  readonly run: Run
}

export interface Listed {
  names: readonly string[]
  resourceVersion: string
}

/** Beyond this many, clusters that drain are only looked at from time to time. */
const mostWatches = 100
const watchSeconds = 120

/**
 * Watches that live only while something has to go. An informer of all works of all clusters would cost memory all the
 * time for a moment that comes once in a cluster's life.
 */
export function drainWatches(enqueue: (key: Key) => void): DrainWatches {
  const open = new Set<string>()
  let running: AbortSignal | undefined

  async function follow(key: Key, source: Pick<Source<KubeObject>, 'watch'>, listed: Listed, signal: AbortSignal) {
    const left = new Set(listed.names)
    const { resourceVersion } = listed
    for await (const event of source.watch({ resourceVersion, timeoutSeconds: watchSeconds, signal })) {
      if (event.type !== 'DELETED') continue
      left.delete(event.object.metadata.name)
      if (left.size === 0) return enqueue(key)
    }
  }

  return {
    expect(key, place, source, listed) {
      const name = `${key} ${place}`
      if (!running || open.has(name) || open.size >= mostWatches) return
      open.add(name)
      // A watch that fails costs only time: its key is looked at again in any case.
      follow(key, source, listed, running).then(
        () => open.delete(name),
        () => open.delete(name),
      )
    },
    async run(signal) {
      running = signal
      await aborted(signal)
      running = undefined
    },
  }
}
