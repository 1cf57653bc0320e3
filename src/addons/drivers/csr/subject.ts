import { accountUser, addonAccounts, addonGroup, addonUser } from '../../../fleet/names.ts'
import type { SubjectInput } from '../../../pki/index.ts'
import type { ItemSubject, RegistrationItem } from '../../registrations.ts'
import { subjectOf } from '../../registrations.ts'

/** As whom an item wants its certificate: what its registration says, and the usual where that says nothing. */
export function wantedSubject({ cluster, addon, ...item }: RegistrationItem): ItemSubject & { user: string } {
  const subject = subjectOf(item.subject)
  return {
    ...subject,
    user: subject.user ?? addonUser(cluster, addon),
    groups: subject.groups ?? [addonGroup(cluster, addon)],
  }
}

export const certificateSubject = ({ user = '', groups = [], organizationUnits = [] }: ItemSubject): SubjectInput => ({
  commonName: user,
  organizations: groups,
  organizationalUnits: organizationUnits,
})

/** What the token driver wrote, by either name of the add-on's account. */
export const isAccountOf = ({ cluster, addon }: RegistrationItem, user: string | undefined): boolean =>
  addonAccounts(cluster, addon).some((account) => accountUser(cluster, account) === user)
