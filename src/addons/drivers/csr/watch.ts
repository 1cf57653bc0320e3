import { sharedCsrSource } from '../../../fleet/csr/shared-watch.ts'
import type { CsrSource, CsrSourceOptions } from '../../../fleet/csr/watch.ts'
import { csrSource } from '../../../fleet/csr/watch.ts'
import { labels } from '../../../fleet/names.ts'

/** By the client that asks: the items of a cluster ask as its agent, by one client. */
const shared = new WeakMap<object, CsrSource>()

/** The requests of all add-ons of a cluster, watched once however many items wait for an answer. */
export const requestsOfAddons =
  ({ cluster, ...deps }: Omit<CsrSourceOptions, 'selector'> & { cluster: string }): CsrSource =>
  (kube, tell) => {
    const selector = `${labels.clusterName}=${cluster},${labels.addonName}`
    const source = shared.get(kube) ?? sharedCsrSource(csrSource({ selector, ...deps }))
    shared.set(kube, source)
    return source(kube, tell)
  }
