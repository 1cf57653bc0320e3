import type { User } from '../authentication/user.ts'
import type { Authorizer } from '../authorization/attributes.ts'

export const certificatesGroup = 'certificates.k8s.io'
export const requestsPlural = 'certificatesigningrequests'

/** Whether a user may approve or sign for a signer: by its name, or by `<domain>/*`. */
export async function mayAtSigner(
  authorizer: Authorizer,
  user: User,
  verb: 'approve' | 'sign',
  signerName: string,
): Promise<boolean> {
  for (const name of [signerName, `${signerName.split('/')[0]}/*`]) {
    const { verdict } = await authorizer.authorize({
      user,
      verb,
      group: certificatesGroup,
      version: '*',
      resource: 'signers',
      subresource: '',
      namespace: '',
      name,
    })
    if (verdict === 'allow') return true
  }
  return false
}
