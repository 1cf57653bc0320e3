import { aborted, isAbort } from '../../core/lifecycle.ts'
import type { Kube } from '../../kube/kube.ts'
import type { CsrNews, CsrSource } from './watch.ts'

interface Shared {
  readonly listeners: Set<CsrNews>
  readonly stop: AbortController
  readonly running: Promise<void>
}

/** One watch for all that ask as the same client: it begins with the first of them and ends with the last. */
export function sharedCsrSource(source: CsrSource): CsrSource {
  const watches = new WeakMap<Kube, Shared>()

  function begin(kube: Kube): Shared {
    const listeners: Shared['listeners'] = new Set()
    const stop = new AbortController()
    const running = source(kube, (csr) => {
      for (const tell of [...listeners]) tell(csr)
    })(stop.signal)
    running.catch(() => {})
    const shared = { listeners, stop, running }
    watches.set(kube, shared)
    return shared
  }

  return (kube, tell) => async (signal) => {
    const begun = watches.get(kube)
    const shared = begun ?? begin(kube)
    // A function of its own: two may tell the same.
    const listener: CsrNews = (csr) => tell(csr)
    shared.listeners.add(listener)
    // A watch tells of what is there when it begins; who comes later has missed that.
    if (begun) tell()
    try {
      await Promise.race([aborted(signal), shared.running])
    } finally {
      shared.listeners.delete(listener)
      if (shared.listeners.size === 0) {
        if (watches.get(kube) === shared) watches.delete(kube)
        shared.stop.abort()
        await shared.running.catch((error: unknown) => {
          if (!isAbort(error, shared.stop.signal)) throw error
        })
      }
    }
  }
}
