import type { Clock } from '../../core/clock.ts'
import { userOf } from '../../fleet/csr/issuance-asker.ts'
import type { Kube } from '../../kube/kube.ts'

/** Whether a user is the hub itself. */
export type IsOwnUser = (username: string | undefined) => Promise<boolean>

/** The hub may be given another identity while it runs; somebody else who asks often must not make it ask often. */
const askAgainMs = 10_000

/** By asking the API server who the hub is. Where that does not tell, nobody is. */
export function ownUser({ kube, clock }: { kube: Kube; clock: Pick<Clock, 'now'> }): IsOwnUser {
  let known: { readonly user: Promise<string | undefined>; readonly at: number } | undefined
  const ask = () => {
    const user = userOf(kube)
    known = { user, at: clock.now().getTime() }
    user.catch(() => {
      known = undefined
    })
    return user
  }
  return async (username) => {
    if (!username) return false
    if (known && (await known.user) === username) return true
    if (known && clock.now().getTime() - known.at < askAgainMs) return false
    return (await ask()) === username
  }
}
