import type { AccessHubDeps } from '../hub/deps.ts'
import type { Escalation, MayApprove, Session } from '../sessions/index.ts'
import { approverOf, isRequester, isSameName, mayApprove } from '../sessions/index.ts'
import type { AccessView } from '../view.ts'
import type { Person } from './contract.ts'

/** What a session is to a person. */
export interface Sight {
  readonly isRequester: boolean
  /** Whether they may decide on it, whatever its state. */
  readonly approval: MayApprove
  /** Whether they did, once. */
  readonly hasDecided: boolean
}

export type SightDeps = Pick<AccessHubDeps, 'spokeView' | 'settings'> & { view: AccessView }

/** Whoever asked, decides or decided may see a session. To all others it does not exist. */
export const isVisible = ({ isRequester: isOwn, approval, hasDecided }: Sight): boolean =>
  isOwn || approval.allowed || hasDecided

export function sightOf(session: Session, person: Person, deps: SightDeps): Sight {
  return {
    isRequester: isRequester(session, person),
    approval: approvalOf(session, person, deps),
    hasDecided: hasDecided(session, person),
  }
}

export const approvalOf = (session: Session, person: Person, { view, spokeView, settings }: SightDeps): MayApprove =>
  mayApprove(session, person, {
    escalations: candidates(session, view),
    clusters: spokeView.configs.byIndex('name', session.spec.cluster),
    oidcPrefixes: settings().oidcPrefixes,
  })

/** No more than can say who decides, so that a list of thousands of sessions does not look at all of them for each. */
function candidates({ metadata, spec }: Session, view: AccessView): readonly Escalation[] {
  const owner = (metadata.ownerReferences ?? []).find(({ controller }) => controller)
  if (!owner) return view.escalations.byIndex('group', spec.grantedGroup)
  return view.escalations.byIndex('name', owner.name)
}

function hasDecided({ status }: Session, person: Person): boolean {
  const own = approverOf(person)
  if (own === '') return false
  const decided = [...(status?.approvals ?? []), ...(status?.extension?.approvals ?? [])].some(
    ({ approver, identityProvider }) =>
      isSameName(approver, own) && (identityProvider ?? person.identityProvider) === person.identityProvider,
  )
  return decided || (status?.review?.reviewer !== undefined && isSameName(status.review.reviewer, own))
}
