import { spokeReasons } from '../../../fleet/spoke/index.ts'
import type { Rule } from '../status-of.ts'

export const insecureTls: Rule = ({ result: { trust, server }, before }) => {
  if (trust?.source === 'Insecure')
    return {
      status: 'True',
      reason: spokeReasons.VerificationSkipped,
      message: `whoever answers at ${server} is believed and is sent the credentials of the hub; give the CA instead`,
    }
  if (!trust || !before) return undefined
  return {
    status: 'False',
    reason: spokeReasons.VerificationOn,
    message: `the certificate of ${server} has to be verified`,
  }
}
