import type { Run } from '../../../core/lifecycle.ts'
import { aborted } from '../../../core/lifecycle.ts'
import type { Source } from '../../../kube/list-watch.ts'
import type { Key, KubeObject } from '../../../kube/objects.ts'

type Watched = Pick<Source<KubeObject>, 'watch'>

export interface DrainWatches {
  /**
   * Brings `key` back once all of `names` are gone, and at each half of the way there, to tell of it. A hint and no promise: whoever waits looks again anyway. `place`
   * names what is watched, one watch a place and key.
   */
  expect(key: Key, place: string, source: Watched, listed: Listed): void
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
  const open = new Map<string, symbol>()
  let running: AbortSignal | undefined

  async function follow(
    key: Key,
    source: Watched,
    { names, resourceVersion }: Listed,
    over: () => void,
    signal: AbortSignal,
  ) {
    const left = new Set(names)
    let lookAt = left.size >> 1
    for await (const event of source.watch({ resourceVersion, timeoutSeconds: watchSeconds, signal })) {
      if (event.type !== 'DELETED' || !left.delete(event.object.metadata.name) || left.size > lookAt) continue
      lookAt = left.size >> 1
      // Before the key comes back, which may want to watch the next ones; to close a watch takes its time.
      if (left.size === 0) over()
      enqueue(key)
      if (left.size === 0) return
    }
  }

  return {
    expect(key, place, source, listed) {
      const name = `${key} ${place}`
      if (!running || open.has(name) || open.size >= mostWatches) return
      const mine = Symbol(name)
      open.set(name, mine)
      const over = () => void (open.get(name) === mine && open.delete(name))
      // A watch that fails costs only time: its key is looked at again in any case.
      follow(key, source, listed, over, running).then(over, over)
    },
    async run(signal) {
      running = signal
      await aborted(signal)
      running = undefined
    },
  }
}
