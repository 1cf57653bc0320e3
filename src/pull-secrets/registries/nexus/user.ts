import { field, textField } from '../http/index.ts'

/** As Nexus shows it and wants it back. Its password is told to nobody. */
export interface NexusUser {
  userId: string
  firstName: string
  lastName: string
  /** It asks for one; nobody reads it. */
  emailAddress: string
  status: 'active' | 'disabled'
  roles: readonly string[]
}

/** A domain that is nobody's and never will be. */
const nobodysAddress = 'pull-account@lanyard.invalid'

export const nexusUser = (userId: string, mark: string, roles: readonly string[]): NexusUser => ({
  userId,
  firstName: 'Lanyard',
  lastName: mark,
  emailAddress: nobodysAddress,
  status: 'active',
  roles,
})

/** Of a list, the one of exactly this id: Nexus searches by a part of it, and in all of its sources. */
export function userOf(json: unknown, userId: string): NexusUser | undefined {
  const found = (Array.isArray(json) ? json : []).find(
    (one) => field(one, 'userId') === userId && field(one, 'source') === 'default',
  )
  if (found === undefined) return undefined
  return {
    ...nexusUser(userId, textField(found, 'lastName') ?? '', []),
    status: field(found, 'status') === 'active' ? 'active' : 'disabled',
  }
}
