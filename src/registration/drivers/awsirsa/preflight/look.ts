import { isFailure } from '../../../../core/failure.ts'
import type { Iam } from '../clients/ports.ts'
import type { EksCluster } from '../names.ts'
import { readDocument } from '../same-document.ts'
import type { RoleSight } from './judge.ts'

/** AWS as whoever runs the command. */
export interface PreflightAws {
  readonly iam: Pick<Iam, 'findRole' | 'findPolicy' | 'policiesOf'>
  /** The account that the credentials are of. */
  callerAccount(): Promise<string>
  /** As EKS prints it, with https://; undefined where EKS knows no such cluster, or none of it. */
  issuerOf(cluster: EksCluster): Promise<string | undefined>
}

/** The role as it is, or why nobody can tell. Changes nothing, and throws only for what is not AWS's. */
export async function lookAtRole(name: string, account: string, aws: PreflightAws): Promise<RoleSight> {
  try {
    const caller = await aws.callerAccount()
    if (caller !== account)
      return { sight: 'unseen', why: `your AWS credentials are of account ${caller}, and the role is in ${account}` }
    const role = await aws.iam.findRole(name)
    if (!role) return { sight: 'absent' }
    const { inline, attached } = await aws.iam.policiesOf(name)
    const texts = await Promise.all(inline.map((policy) => aws.iam.findPolicy(name, policy)))
    return {
      sight: 'seen',
      trust: readDocument(role.trust),
      policies: texts.flatMap((text) => (text === undefined ? [] : [readDocument(text)])),
      attached,
      tags: role.tags,
    }
  } catch (error) {
    return { sight: 'unseen', why: whyUnseen(error) }
  }
}

/** In words about the person: those of the catalogue are about a hub. */
export function whyUnseen(error: unknown): string {
  if (!isFailure(error) || !error.code.startsWith('AWS_')) throw error
  const { operation = 'AWS' } = error.params
  if (error.code === 'AWS_NO_CREDENTIALS') return 'there are no AWS credentials here'
  if (error.code === 'AWS_REFUSED') return `your AWS identity may not do ${operation}`
  if (error.code === 'AWS_CREDENTIALS_WRONG') return `AWS does not take your credentials (${operation})`
  return error.message
}
