import type { PolicyRequest } from './contract.ts'
import type { Entry } from './shelf.ts'
import { Shelf } from './shelf.ts'

/** Where a policy holds: undefined stands for everywhere. */
export interface Scope {
  readonly clusters: readonly string[] | undefined
  readonly tenants: readonly string[] | undefined
}

/** Entries by where they hold. One that names clusters is under each of them, else under its tenants. */
export class Scopes {
  readonly #everywhere = new Shelf()
  #isEverywhere = false
  readonly #byCluster = new Map<string, Shelf>()
  readonly #byTenant = new Map<string, Shelf>()

  add({ clusters, tenants }: Scope, entry: Entry, budget: number): void {
    for (const shelf of this.#shelves(clusters, tenants)) shelf.add(entry, budget)
  }

  /** Whether there is any entry for the cluster. `tenant`: undefined stands for any. */
  isIn(cluster: string, tenant: string | undefined): boolean {
    const isForTenant = tenant === undefined ? this.#byTenant.size > 0 : this.#byTenant.has(tenant)
    return this.#isEverywhere || this.#byCluster.has(cluster) || isForTenant
  }

  collect(request: PolicyRequest, into: Entry[]): void {
    this.#everywhere.collect(request, into)
    this.#byCluster.get(request.cluster)?.collect(request, into)
    this.#byTenant.get(request.tenant)?.collect(request, into)
  }

  collectPods(request: PolicyRequest, into: Entry[]): void {
    this.#everywhere.collectPods(request, into)
    this.#byCluster.get(request.cluster)?.collectPods(request, into)
    this.#byTenant.get(request.tenant)?.collectPods(request, into)
  }

  #shelves(clusters: Scope['clusters'], tenants: Scope['tenants']): Shelf[] {
    if (clusters) return clusters.map((name) => shelfOf(this.#byCluster, name))
    if (tenants) return tenants.map((name) => shelfOf(this.#byTenant, name))
    this.#isEverywhere = true
    return [this.#everywhere]
  }
}

function shelfOf(shelves: Map<string, Shelf>, name: string): Shelf {
  const found = shelves.get(name) ?? new Shelf()
  shelves.set(name, found)
  return found
}
