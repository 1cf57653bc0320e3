import type { Caller } from './authenticate.ts'
import type { Context } from './conditions.ts'
import { context } from './conditions.ts'
import { checked, checkedNumber, checkedTags } from './limits.ts'
import { accessPolicy } from './policy-document.ts'
import { callerKeys, trustVerdict, verdictOfCaller } from './policy-evaluation.ts'
import type { Params, Xml } from './query-protocol.ts'
import { refuse } from './refusals.ts'
import { shownSession, startSession } from './sessions.ts'
import type { Role, World } from './state.ts'
import { rolesOf } from './state.ts'

const chainSeconds = 3600

/** Needs no permission, and no policy can take it away. */
export const getCallerIdentity = ({ account, arn, userId }: Caller): Xml => ({
  Arn: arn,
  UserId: userId,
  Account: account.id,
})

export function assumeRole(world: World, caller: Caller, params: Params): Xml {
  const arn = checked('roleArn', params.get('RoleArn'))
  const name = checked('roleSessionName', params.get('RoleSessionName'))
  const seconds = durationIn(params)
  const tags = checkedTags(params.structures('Tags'))
  const document = params.get('Policy')
  const externalId = params.get('ExternalId')
  const known = context([
    ...callerKeys(caller),
    ['sts:RoleSessionName', [name]],
    ...(externalId === undefined ? [] : [['sts:ExternalId', [externalId]] as const]),
  ])
  const role = findRole(world, arn)
  if (!role || !mayAssume(caller, role, 'sts:AssumeRole', known))
    return refuse('ASSUME_NOT_ALLOWED', { caller: caller.arn, role: arn })
  if (tags.size > 0 && !mayAssume(caller, role, 'sts:TagSession', known))
    return refuse('TAG_SESSION_NOT_ALLOWED', { caller: caller.arn, role: arn })
  if (caller.role && seconds > chainSeconds) refuse('DURATION_OVER_CHAIN')
  if (seconds > role.maxSessionSeconds) refuse('DURATION_OVER_ROLES')
  const policy = document === undefined ? undefined : accessPolicy(document)
  return shownSession(role, name, startSession(world, role, { name, seconds, tags, policy }))
}

export const findRole = (world: World, arn: string): Role | undefined => rolesOf(world).find((role) => role.arn === arn)

export const durationIn = (params: Params): number =>
  checkedNumber('durationSeconds', params.get('DurationSeconds'), { least: 900, most: 43_200, fallback: chainSeconds })

/**
 * The role has to trust the caller, and the caller's own policies have to allow it. A trust policy that names a caller
 * of its own account, and not the account as a whole, is enough by itself; a Deny on either side decides.
 */
function mayAssume(caller: Caller, role: Role, action: string, known: Context): boolean {
  const own = verdictOfCaller(caller, { action, resource: role.arn, known })
  const root = `arn:${caller.account.partition}:iam::${caller.account.id}:root`
  const asks = (...means: string[]) => trustVerdict(role.trust, { kind: 'AWS', means, action, known })
  if (own === 'denied' || asks(caller.principal.id, root) !== 'allowed') return false
  const isNamed = asks(caller.principal.id) === 'allowed'
  return own === 'allowed' || (isNamed && caller.account === role.account && !caller.sessionPolicy)
}
