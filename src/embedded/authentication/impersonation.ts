import { BoundedMap } from '../../kube/bounded-map.ts'
import type { Attributes, Authorizer } from '../authorization/attributes.ts'
import { forbiddenBy } from '../authorization/forbidden.ts'
import type { ApiFailure } from '../status.ts'
import type { WantedUser } from './impersonation-headers.ts'
import { wantedUser } from './impersonation-headers.ts'
import type { Demand, Mode } from './impersonation-modes.ts'
import { modes } from './impersonation-modes.ts'
import type { User } from './user.ts'

/**
 * As whom a request is to be taken: its own user, or the one its headers name, if its own may act as that one.
 * `request` is what is asked, by its own user; `rawHeaders` are names and values by turns. `record` is told by which
 * right, where it is not the one of old.
 */
export type Impersonate = (
  request: Attributes,
  rawHeaders: readonly string[],
  record?: { constrainedBy(right: string): void },
) => Promise<User>

const mostRemembered = 10_000

export function createImpersonation(authorizer: Authorizer): Impersonate {
  /**
   * Which mode a user got through with last: it is tried first, and its "no" is the one that is told. Only the order
   * depends on it, so Kubernetes remembers it without end, and so does this.
   */
  const lastModes = new BoundedMap<string, Mode>(mostRemembered)

  return async (request, rawHeaders, record) => {
    const wanted = wantedUser(rawHeaders)
    if (!wanted) return request.user
    const last = lastModes.get(request.user.name)
    let first: ApiFailure | undefined
    for (const mode of last ? [last, ...modes.filter((other) => other !== last)] : modes) {
      if (!mode.appliesTo(wanted, request.user)) continue
      const refusal = await whyNot(mode, wanted, request, authorizer)
      if (!refusal) {
        lastModes.set(request.user.name, mode)
        if (mode.right !== undefined) record?.constrainedBy(mode.right)
        return mode.becomes(wanted)
      }
      first ??= refusal
    }
    throw first
  }
}

async function whyNot(
  mode: Mode,
  wanted: WantedUser,
  request: Attributes,
  authorizer: Authorizer,
): Promise<ApiFailure | undefined> {
  for (const demand of mode.demands(wanted, request)) {
    const refusal = await refusalOf(demand, authorizer)
    if (refusal) return refusal
  }
  return undefined
}

async function refusalOf({ attributes, refusal }: Demand, authorizer: Authorizer): Promise<ApiFailure | undefined> {
  if (refusal !== undefined) return forbiddenBy(attributes, { verdict: 'no opinion', reason: refusal })
  const decision = await authorizer.authorize(attributes)
  if (decision.verdict === 'allow') return undefined
  const { reason } = decision
  const error = 'error' in decision ? decision.error : undefined
  const why = error && reason ? `${error}: ${reason}` : (error ?? reason)
  return forbiddenBy(attributes, { verdict: 'no opinion', reason: why })
}
