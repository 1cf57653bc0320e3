import type { CredentialRow } from '../accounts/contract.ts'
import type { PullSettings } from '../settings.ts'
import type { RotationRow } from './rows.ts'
import { isImmediate, isOpen } from './rows.ts'

export type RotationFacts = Pick<
  RotationRow,
  | 'id'
  | 'status'
  | 'phase'
  | 'reason'
  | 'force_immediate'
  | 'revoke_first'
  | 'registries'
  | 'flipped_at'
  | 'grace_deadline'
  | 'warned_at'
  | 'confirmed_at'
  | 'attempts'
>
export type CredentialFacts = Pick<CredentialRow, 'id' | 'registry_id' | 'state' | 'rotation_id'>

export interface Situation<C extends CredentialFacts = CredentialFacts> {
  rotation: RotationFacts
  /** All that the cluster has, whatever their state. */
  credentials: readonly C[]
  /** The registries of the installation that have credentials of their own, and whether a document needs them. */
  registries: ReadonlyMap<string, { required: boolean }>
  /** Suspended, being deleted, or not known any more. */
  isBlocked: boolean
  /** Registries at which something failed since the rotation was taken up: not tried again before the next time. */
  failed: ReadonlySet<string>
}

export type Step<C extends CredentialFacts = CredentialFacts> =
  | { step: 'nothing' }
  /** The cluster may not have new credentials. */
  | { step: 'cancel' }
  | { step: 'begin'; registries: string[] }
  | { step: 'create'; registries: string[] }
  /** One transaction: all that is staged is served from then on, and what it replaces is superseded. */
  | { step: 'flip'; staged: C[]; replaced: C[]; phase: 'dual' | 'revoking' }
  | { step: 'warn'; of: 'deadline' | 'held' }
  | { step: 'end-grace' }
  | { step: 'retire'; credentials: C[] }
  | { step: 'complete' }
  | { step: 'fail' }
  /** Something failed: later again, with back-off. */
  | { step: 'retry' }
  | { step: 'wait'; until: Date }

const dayMs = 86_400_000

/**
 * What an open rotation needs next. Of a registry that no document depends on (`required: false`) and that fails while
 * the others work, the old credential stays in service and the rotation goes on without it: the policy's next one tries
 * again. After a compromise it is cut all the same: a document that lacks an optional host is better than a stolen token.
 */
export function decide<C extends CredentialFacts>(
  situation: Situation<C>,
  now: Date,
  settings: PullSettings['rotation'],
): Step<C> {
  const { rotation, isBlocked } = situation
  if (!isOpen(rotation)) return { step: 'nothing' }
  if (isBlocked) return { step: 'cancel' }
  if (rotation.status === 'pending' || !rotation.phase) return begin(situation)
  switch (rotation.phase) {
    case 'creating':
      return creating(situation, settings)
    case 'dual':
      return dual(rotation, now, settings)
    case 'revoking':
      return revoking(situation)
  }
}

const served = ['active', 'superseded']

function begin<C extends CredentialFacts>({ rotation, credentials, registries }: Situation<C>): Step<C> {
  const has = new Set(credentials.filter(({ state }) => served.includes(state)).map((one) => one.registry_id))
  const wanted = rotation.registries ?? [...registries.keys()]
  const found = wanted.filter((id) => has.has(id) && registries.has(id))
  return found.length === 0 ? { step: 'cancel' } : { step: 'begin', registries: found }
}

function creating<C extends CredentialFacts>(situation: Situation<C>, settings: PullSettings['rotation']): Step<C> {
  const { rotation, registries, failed } = situation
  const again: Step<C> = rotation.attempts + 1 >= settings.attempts ? { step: 'fail' } : { step: 'retry' }
  // Cut first when that was asked for: whatever is made while the old one still lets somebody in comes too early.
  const uncut = rotation.revoke_first ? outgoing(situation, ['revoking']) : []
  const cuttable = uncut.filter((one) => !failed.has(one.registry_id))
  if (cuttable.length > 0) return { step: 'retire', credentials: cuttable }
  if (uncut.length > 0) return again

  const made = new Set(own(situation, ['staged', 'active']).map((one) => one.registry_id))
  const missing = (rotation.registries ?? []).filter((id) => registries.has(id) && !made.has(id))
  const untried = missing.filter((id) => !failed.has(id))
  if (untried.length > 0) return { step: 'create', registries: untried }
  if (made.size === 0 || missing.some((id) => registries.get(id)?.required)) return again
  return flip(situation)
}

function flip<C extends CredentialFacts>(situation: Situation<C>): Step<C> {
  const immediate = isImmediate(situation.rotation)
  const staged = own(situation, ['staged'])
  const arriving = new Set(staged.map((one) => one.registry_id))
  const replaced = outgoing(situation, ['active']).filter((one) => immediate || arriving.has(one.registry_id))
  return { step: 'flip', staged, replaced, phase: immediate ? 'revoking' : 'dual' }
}

function dual<C extends CredentialFacts>(
  { confirmed_at, grace_deadline, warned_at }: RotationFacts,
  now: Date,
  { warnMs, onGraceExpiry }: PullSettings['rotation'],
): Step<C> {
  if (confirmed_at || !grace_deadline) return { step: 'end-grace' }
  if (now >= grace_deadline) {
    if (onGraceExpiry === 'revoke') return { step: 'end-grace' }
    const isTold = warned_at !== null && warned_at >= grace_deadline
    return isTold ? { step: 'wait', until: new Date(now.getTime() + dayMs) } : { step: 'warn', of: 'held' }
  }
  const warnAt = new Date(grace_deadline.getTime() - warnMs)
  if (warned_at) return { step: 'wait', until: grace_deadline }
  return now >= warnAt ? { step: 'warn', of: 'deadline' } : { step: 'wait', until: warnAt }
}

/** The sweeper may have finished an account after the flip that nobody had waited for. */
function revoking<C extends CredentialFacts>(situation: Situation<C>): Step<C> {
  if (isImmediate(situation.rotation) && own(situation, ['staged']).length > 0) return flip(situation)
  const left = [...outgoing(situation, ['superseded', 'revoking']), ...own(situation, ['provisioning', 'staged'])]
  const untried = left.filter((one) => !situation.failed.has(one.registry_id))
  if (untried.length > 0) return { step: 'retire', credentials: untried }
  return left.length > 0 ? { step: 'retry' } : { step: 'complete' }
}

const own = <C extends CredentialFacts>({ rotation, credentials }: Situation<C>, states: readonly string[]): C[] =>
  credentials.filter((one) => one.rotation_id === rotation.id && states.includes(one.state))

/** What the rotation replaces. */
const outgoing = <C extends CredentialFacts>({ rotation, credentials }: Situation<C>, states: readonly string[]): C[] =>
  credentials.filter(
    (one) =>
      one.rotation_id !== rotation.id &&
      states.includes(one.state) &&
      (rotation.registries ?? []).includes(one.registry_id),
  )
