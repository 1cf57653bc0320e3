import type { AwsService } from './contract.ts'
import type { PolicyDocument } from './policy-document.ts'
import { refuse } from './refusals.ts'
import type { RawRequest } from './request.ts'
import type { Signature } from './signature.ts'
import { isSignedWith } from './signature.ts'
import type { AccessKey, Account, Role, User, World } from './state.ts'
import { isLive } from './state.ts'

/** Who signed a call. */
export interface Caller {
  account: Account
  /** Of a session, its own. */
  arn: string
  userId: string
  /** Behind the session. */
  principal: Role | User
  role?: Role
  /** Of the session, over those of the role. */
  tags: ReadonlyMap<string, string>
  sessionPolicy?: PolicyDocument
}

export const signatureMinutes = 15
const services: readonly string[] = ['iam', 'sts', 'eks'] satisfies AwsService[]

/** Checks a signature, in the order AWS does, and answers whose it is. */
export function authenticate(world: World, request: RawRequest, signature: Signature): Caller {
  checkScope(signature)
  checkHeaders(request, signature)
  const key = world.keys.get(signature.accessKeyId)
  if (!key) refuse('KEY_UNKNOWN')
  checkDate(world.clock.now(), signature.date)
  if (!isSignedWith(key.secret, request, signature)) refuse('SIGNATURE_WRONG')
  return callerOf(world, key, signature)
}

function checkScope({ scope, date }: Signature): void {
  if (scope.date !== date.slice(0, 8)) refuse('SCOPE_WRONG', { expected: `the date ${date.slice(0, 8)}` })
  if (!/^[a-z]{2,}(-[a-z]+)+-\d+$/.test(scope.region)) refuse('SCOPE_WRONG', { expected: 'a valid region' })
  if (!services.includes(scope.service)) refuse('SCOPE_WRONG', { expected: 'correct service' })
}

function checkHeaders({ headers }: RawRequest, { signedHeaders }: Signature): void {
  for (const header of ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))])
    if (!signedHeaders.includes(header)) refuse('HEADER_UNSIGNED', { header })
}

function checkDate(now: Date, date: string): void {
  const signedAt = timeOf(date).getTime()
  const leeway = signatureMinutes * 60_000
  const [earliest, latest] = [new Date(now.getTime() - leeway), new Date(now.getTime() + leeway)]
  // NaN is neither, so this asks for what is fine.
  if (!(signedAt >= earliest.getTime())) refuse('SIGNATURE_EXPIRED', { date, earliest: earliest.toISOString() })
  if (signedAt > latest.getTime()) refuse('SIGNATURE_EARLY', { date, latest: latest.toISOString() })
}

export const timeOf = (date: string): Date =>
  new Date(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))

function callerOf({ clock }: World, key: AccessKey, { sessionToken }: Signature): Caller {
  if ('user' in key) {
    const { user } = key
    if (sessionToken !== undefined) refuse('KEY_UNKNOWN')
    return { account: user.account, arn: user.arn, userId: user.id, principal: user, tags: new Map() }
  }
  const { role, name, token, expiresAt, tags, policy } = key.session
  if (sessionToken !== token) refuse('KEY_UNKNOWN')
  if (expiresAt <= clock.now()) refuse('SESSION_EXPIRED')
  if (!isLive(role)) refuse('KEY_UNKNOWN')
  return {
    account: role.account,
    arn: sessionArn(role, name),
    userId: `${role.id}:${name}`,
    principal: role,
    role,
    tags: new Map([...role.tags, ...tags]),
    ...(policy && { sessionPolicy: policy }),
  }
}

/** The path of the role is not in it. */
export const sessionArn = ({ account, name }: Role, session: string): string =>
  `arn:${account.partition}:sts::${account.id}:assumed-role/${name}/${session}`
