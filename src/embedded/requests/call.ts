import type { Clock } from '../../core/clock.ts'
import type { Random } from '../../core/random.ts'
import type { Admission } from '../admission/chain.ts'
import type { User } from '../authentication/user.ts'
import type { Authorizer } from '../authorization/attributes.ts'
import type { WriteContext } from '../kinds/kind.ts'
import type { Registry, Served } from '../kinds/registry.ts'
import { splitApiVersion } from '../objects.ts'
import type { About } from '../status.ts'
import type { Store } from '../storage/store.ts'

/** Everything that writes go through besides the kind itself. */
export interface WriteDeps {
  store: Store
  registry: Registry
  admission: Pick<Admission, 'mutate' | 'validate'> & Partial<Pick<Admission, 'asksWebhooks'>>
  authorizer: Authorizer
  clock: Clock
  random: Random
}

/** A request to objects of one kind, by somebody who may make it. */
export interface Call {
  readonly served: Served
  readonly subresource: string
  /** Empty for what is cluster-scoped. */
  readonly namespace: string
  /** Empty for a collection. */
  readonly name: string
  readonly user: User
  /** Of the client: names the field manager where the client does not. */
  readonly userAgent: string
  /** For the Warning headers of the answer. */
  warn(message: string): void
}

export const aboutOf = ({ served }: Pick<Call, 'served'>): About => served.kind

/** By which name a kind is called when an object of it is invalid: two views of one store have one. */
export const storedKind = ({ served }: Pick<Call, 'served'>): { group: string; kind: string } => {
  const { apiVersion, kind } = served.kind.storedAs
  return { group: splitApiVersion(apiVersion).group, kind }
}

export const contextOf = (call: Call, clock: Clock, dryRun: boolean): WriteContext => ({
  user: call.user,
  now: clock.now(),
  dryRun,
  namespace: call.namespace,
})
