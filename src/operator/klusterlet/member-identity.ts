import type { Secret } from 'kubernetes-types/core/v1.d.ts'
import { isFailure } from '../../core/failure.ts'
import type { Connection } from '../../kube/connection.ts'
import type { Stored } from '../../kube/objects.ts'
import { hubRoleArn } from '../../registration/drivers/awsirsa/names.ts'
import { agentConnection } from '../../registration/operations/secret-connection.ts'
import { eksPairOf } from './aws-driver.ts'
import type { Looking } from './hub-connection.ts'

export type MemberIdentity =
  | {
      readonly connection: Connection
      /** What it depends on besides the Secret. */
      readonly version: string
    }
  /** How the sentence about the kubeconfig in the Secret goes on. */
  | { readonly wrong: string }

type Asked = Pick<Looking, 'klusterlet' | 'driver' | 'kube' | 'clock' | 'env' | 'namespace' | 'signal'>

/** The hub as the agent itself, from what the agent keeps in its Secret. */
export async function memberIdentity(secret: Stored<Secret>, asked: Asked): Promise<MemberIdentity> {
  if (asked.driver === 'awsirsa') return await awsIdentity(secret, asked)
  const connection = agentConnection(secret)
  return connection ? { connection, version: '' } : { wrong: 'is none that an agent wrote' }
}

/** By a token of the account of the agent: its Secret holds no key, and the plugin that it names is not run here. */
async function awsIdentity(secret: Stored<Secret>, asked: Asked): Promise<MemberIdentity> {
  const { klusterlet, kube, clock, env, namespace, signal } = asked
  // On demand: most agents come by certificates.
  const { accountIdentity } = await import('../../registration/drivers/awsirsa/account-identity.ts')
  try {
    const found = await accountIdentity(secret, namespace, { kube, clock, env }, signal)
    if (!found) return { wrong: 'is none that an agent with an AWS identity wrote' }
    const pair = eksPairOf(klusterlet.spec ?? {})
    const wanted = pair && 'hub' in pair ? hubRoleArn(pair.hub, pair.managed) : undefined
    if (wanted !== undefined && found.access.roleArn !== wanted)
      return { wrong: `is for ${found.access.roleArn}, and the Klusterlet asks for ${wanted}; the agent replaces it` }
    return { connection: found.connection, version: found.role }
  } catch (error) {
    signal.throwIfAborted()
    if (!isFailure(error)) throw error
    return { wrong: `cannot be used: ${error.message}` }
  }
}
