import { sessionArn } from './authenticate.ts'
import type { AwsCredentials } from './contract.ts'
import type { Xml } from './query-protocol.ts'
import type { Role, Session, User, World } from './state.ts'
import { secretOf, uniqueId } from './state.ts'

/** Issues the keys of a session. */
export function startSession(
  world: World,
  role: Role,
  options: { name: string; seconds: number; tags?: Map<string, string>; policy?: Session['policy'] },
): Required<AwsCredentials> {
  const { name, seconds, tags = new Map(), policy } = options
  const expiration = new Date(world.clock.now().getTime() + seconds * 1000)
  const issued = {
    accessKeyId: uniqueId('ASIA'),
    secretAccessKey: secretOf(world, 30),
    sessionToken: secretOf(world, 90),
  }
  const session = { role, name, token: issued.sessionToken, expiresAt: expiration, tags, ...(policy && { policy }) }
  world.keys.set(issued.accessKeyId, { id: issued.accessKeyId, secret: issued.secretAccessKey, session })
  return { ...issued, expiration }
}

/** Keys that last. */
export function issueUserKey(world: World, user: User): AwsCredentials {
  const issued = { accessKeyId: uniqueId('AKIA'), secretAccessKey: secretOf(world, 30) }
  world.keys.set(issued.accessKeyId, { id: issued.accessKeyId, secret: issued.secretAccessKey, user })
  return issued
}

export const shownSession = (role: Role, name: string, issued: Required<AwsCredentials>): { [name: string]: Xml } => ({
  AssumedRoleUser: { AssumedRoleId: `${role.id}:${name}`, Arn: sessionArn(role, name) },
  Credentials: {
    AccessKeyId: issued.accessKeyId,
    SecretAccessKey: issued.secretAccessKey,
    SessionToken: issued.sessionToken,
    Expiration: issued.expiration,
  },
})
