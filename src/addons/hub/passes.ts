import type { ManagedClusterAddOn } from '../../apis/addon/managed-cluster-addon.ts'
import type { Condition } from '../../core/conditions.ts'
import { findCondition } from '../../core/conditions.ts'
import type { Run } from '../../core/lifecycle.ts'
import { aborted } from '../../core/lifecycle.ts'
import type { Pass, Passes } from '../../core/pass.ts'
import { ownedPassBoard } from '../../core/pass-board.ts'
import type { Reason } from '../../core/reason.ts'
import { reasons } from '../../core/reasons.ts'
import { addonConditions } from '../../fleet/names.ts'
import type { Stored } from '../../kube/objects.ts'
import { keyOf } from '../../kube/objects.ts'
import type { RegistrationItem } from '../registrations.ts'
import { itemName, itemsOf } from '../registrations.ts'
import type { AddonHubDeps } from './deps.ts'

/** The credentials of add-ons, as their agents tell of them in conditions. Lists what there is while `run` runs. */
export function addonPasses({ view, clock }: Pick<AddonHubDeps, 'view' | 'clock'>): Passes & { readonly run: Run } {
  const { tell, ...board } = ownedPassBoard(clock)
  return {
    ...board,
    async run(signal) {
      using _ = view.addons.on(({ type, object }) => tell(keyOf(object), type === 'deleted' ? [] : passesOf(object)))
      await aborted(signal)
    },
  }
}

/** One for each item whose end the status tells. */
export function passesOf(addon: Stored<ManagedClusterAddOn>): Pass[] {
  const items = itemsOf(addon)
  const conditions = (addon.status?.conditions ?? []) as Condition[]
  return items.flatMap((item) => {
    const types = item.driver === 'token' ? addonConditions.tokenRefreshed : [addonConditions.certificateRotated]
    const condition = types.map((type) => findCondition(conditions, type)).find((found) => found !== undefined)
    return condition ? (passOf(item, items, condition) ?? []) : []
  })
}

function passOf(item: RegistrationItem, items: readonly RegistrationItem[], condition: Condition): Pass | undefined {
  const { cluster, addon, secret, signer, driver } = item
  const times = timesIn(wordsOn(item, items, condition.message))
  const expiresAt = times.at(-1)
  if (!expiresAt) return undefined
  // A certificate tells its beginning as well; of a token only the condition's own age is known.
  const issuedAt = times.length > 1 ? (times[0] as Date) : new Date(condition.lastTransitionTime)
  return {
    id: `addon/${cluster}/${addon}/${secret.name}`,
    kind: 'addon',
    holder: `${cluster}/${addon}`,
    issuer: driver === 'token' ? tokenIssuer : signer,
    issuedAt,
    expiresAt,
    keptIn: `cluster/${cluster}: secret/${secret.namespace}/${secret.name}`,
    // Only the managed cluster has the material.
    fingerprint: '',
    state: condition.status === 'True' ? reasons.PassIssued : (condition.reason as Reason),
  }
}

const tokenIssuer = 'serviceaccounts/token'

/** The part of a message that is about an item: where several have something to tell, each is named. */
function wordsOn(item: RegistrationItem, items: readonly RegistrationItem[], message: string): string {
  const parts = message.split('; ', 2 * items.length)
  const partOn = (one: RegistrationItem) => parts.find((part) => part.startsWith(`${itemName(one)}: `))
  return partOn(item) ?? (items.some(partOn) ? '' : message)
}

/** Agents write these: what looks like a time need not be one. */
const timesIn = (text: string): Date[] =>
  [...text.matchAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g)]
    .map(([time]) => new Date(time))
    .filter((time) => !Number.isNaN(time.getTime()))
