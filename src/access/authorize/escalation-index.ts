import type { SpokeView } from '../../fleet/spoke/index.ts'
import type { Key } from '../../kube/objects.ts'
import { keyOf } from '../../kube/objects.ts'
import type { Escalation, Session } from '../sessions/contract.ts'
import { isAmong, isForCluster, isReady, requestersProviders } from '../sessions/matching.ts'
import type { AccessView } from '../view.ts'
import type { Asked } from './contract.ts'

/** An escalation that may be asked for, with what was found out about it. */
interface Offer {
  readonly escalation: Escalation
  readonly byCluster: Map<string, boolean>
}

const everybody = 'system:authenticated'

/** Who may ask for what where, by the groups that may: for the hints in answers, so never a scan. */
export class EscalationIndex {
  readonly #view: Pick<AccessView, 'escalations'>
  readonly #providers: Pick<SpokeView['providers'], 'list'>
  readonly #byGroup = new Map<string, Map<Key, Offer>>()
  #namesOfIssuers: ReadonlyMap<string, string> | undefined
  /** Another number whenever an escalation changed. */
  version = 0

  constructor(view: Pick<AccessView, 'escalations'>, providers: Pick<SpokeView['providers'], 'list' | 'on'>) {
    this.#view = view
    this.#providers = providers
    providers.on(() => {
      this.#namesOfIssuers = undefined
    })
    view.escalations.on((change) => {
      this.version += 1
      this.#drop(change.type === 'updated' ? change.previous : change.object)
      if (change.type !== 'deleted') this.#add(change.object)
    })
  }

  /** Whether somebody in these groups, as the cluster knows them, may ask for anything there. */
  hasOfferFor(cluster: string, { groups, issuer }: Pick<Asked, 'groups' | 'issuer'>, prefixes: readonly string[]) {
    if (this.#byGroup.size === 0) return false
    if (this.#offers(everybody, cluster, issuer)) return true
    for (const group of groups) {
      if (this.#offers(group, cluster, issuer)) return true
      for (const prefix of prefixes) {
        const is = group.startsWith(prefix) && this.#offers(group.slice(prefix.length), cluster, issuer)
        if (is || this.#offers(`${prefix}${group}`, cluster, issuer)) return true
      }
    }
    return false
  }

  /** The controller of a session, if it is still the one that it was. */
  ownerOf({ metadata }: Session): Escalation | undefined {
    const owner = (metadata.ownerReferences ?? []).find(({ controller }) => controller)
    const found = owner && this.#view.escalations.get(`${metadata.namespace}/${owner.name}`)
    return found?.metadata.uid === owner?.uid ? found : undefined
  }

  #offers(group: string, cluster: string, issuer: string | undefined): boolean {
    const offers = this.#byGroup.get(group)
    if (!offers) return false
    for (const offer of offers.values()) if (isFor(offer, cluster) && this.#takes(offer, issuer)) return true
    return false
  }

  #takes({ escalation }: Offer, issuer: string | undefined): boolean {
    const allowed = requestersProviders(escalation)
    if (issuer === undefined || allowed.length === 0) return true
    this.#namesOfIssuers ??= new Map(
      this.#providers.list().map(({ metadata, spec }) => [spec?.issuer ?? spec?.oidc.authority ?? '', metadata.name]),
    )
    return isAmong(allowed, this.#namesOfIssuers.get(issuer) ?? '')
  }

  #add(escalation: Escalation): void {
    if (!escalation.spec?.escalatedGroup || escalation.metadata.deletionTimestamp || !isReady(escalation)) return
    const offer: Offer = { escalation, byCluster: new Map() }
    for (const group of escalation.spec.allowed.groups ?? []) {
      const offers = this.#byGroup.get(group) ?? new Map<Key, Offer>()
      this.#byGroup.set(group, offers.set(keyOf(escalation), offer))
    }
  }

  #drop(escalation: Escalation): void {
    for (const group of escalation.spec?.allowed.groups ?? []) {
      const offers = this.#byGroup.get(group)
      offers?.delete(keyOf(escalation))
      if (offers?.size === 0) this.#byGroup.delete(group)
    }
  }
}

/** Asked about clusters that there are only, so what is remembered is bounded. */
function isFor({ escalation, byCluster }: Offer, cluster: string): boolean {
  const known = byCluster.get(cluster)
  if (known !== undefined) return known
  const is = isForCluster(escalation, cluster)
  byCluster.set(cluster, is)
  return is
}
