import { sessionAnnotations } from '../names.ts'
import type { Person } from '../people/contract.ts'
import type { Session } from './contract.ts'

/**
 * How a person is called in records: what others know them by best. Where there are several providers, a name that only
 * one of them gives is told with it, since people of another may have it too.
 */
export function approverOf({ email, username, subject, identityProvider, amongProviders }: Person): string {
  const name = username ?? subject ?? ''
  return email ?? (amongProviders && name !== '' ? `${identityProvider}:${name}` : name)
}

export const isSameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

const namesOf = (given: { readonly email?: string; readonly username?: string; readonly subject?: string }): string[] =>
  [given.email, given.username, given.subject].filter((name) => name !== undefined && name !== '') as string[]

/** Whether a person goes by this name, whichever of theirs it is. */
export const isCalled = (person: Person, name: string): boolean => namesOf(person).some((own) => isSameName(own, name))

export const hasIdentity = (person: Person): boolean => namesOf(person).length > 0

/** Names that a person may be known by although nobody vouches for them. */
const possibleNamesOf = (person: Person): string[] => [
  ...namesOf(person),
  ...(person.claimedEmail ? [person.claimedEmail] : []),
]

/** Whether the session could be for this person, by any of their names and whoever vouches for them. */
export const mayBeFor = ({ spec }: Session, person: Person, prefixes: readonly string[] = []): boolean =>
  [spec.user, ...namesOf(spec.requestedBy ?? {})].some((name) => mayBeCalled(person, name, prefixes))

/**
 * Whether the person could be who asked, for themselves or for somebody. For what nobody may do to their own request:
 * rather one too many is kept from it.
 */
export function mayBeRequester(session: Session, person: Person, prefixes: readonly string[] = []): boolean {
  const creator = createdBy(session)
  return mayBeFor(session, person, prefixes) || (creator !== undefined && mayBeCalled(person, creator, prefixes))
}

const createdBy = ({ metadata }: Session): string | undefined => metadata.annotations?.[sessionAnnotations.createdBy]

/** Not at the API of the hub, which writes down who asked. */
export const isMadeByHand = (session: Session): boolean =>
  session.spec.requestedBy === undefined || createdBy(session) !== undefined

/** An API server knows people by a name with a prefix: one that is set here, or whatever ends where prefixes do. */
const mayBeCalled = (person: Person, name: string, prefixes: readonly string[]): boolean =>
  possibleNamesOf(person).some((own) => {
    if (!isSameName(own, name.slice(-own.length))) return false
    const prefix = name.slice(0, -own.length)
    return prefix === '' || /[:#/]$/.test(prefix) || prefixes.some((one) => isSameName(one, prefix))
  })

/**
 * Whether the person surely is who asked. For what only they may do: a name that somebody chose for themselves at
 * another identity provider is not enough.
 */
export function isRequester({ spec }: Session, person: Person): boolean {
  const { requestedBy, identityProviderName, identityProviderIssuer, allowIDPMismatch } = spec
  const isSameIssuer = identityProviderIssuer === undefined || identityProviderIssuer === person.issuer
  if (!isSameIssuer && !allowIDPMismatch) return false
  // Of several providers one that is not named, or another one: only a mail address means the same person everywhere.
  const isOtherOrAny =
    identityProviderIssuer === undefined ? identityProviderName !== person.identityProvider : !isSameIssuer
  if (person.amongProviders && isOtherOrAny) return isSameMail(person, requestedBy ? requestedBy.email : spec.user)
  if (!requestedBy) return isCalled(person, spec.user)
  const isSame = (a: string | undefined, b: string | undefined) =>
    a !== undefined && b !== undefined && a !== '' && isSameName(a, b)
  if (isSameIssuer && requestedBy.subject && person.subject) return requestedBy.subject === person.subject
  return isSame(requestedBy.email, person.email) || isSame(requestedBy.username, person.username)
}

const isSameMail = ({ email }: Person, name: string | undefined): boolean =>
  email !== undefined && name !== undefined && isSameName(email, name)
