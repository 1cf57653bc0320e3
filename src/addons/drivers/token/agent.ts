import { accountUser } from '../../../fleet/names.ts'
import type { AgentDriver } from '../driver.ts'
import { accountOf, declaredAccount, infrastructureOf } from './accounts.ts'
import { tokenCredential } from './credential.ts'

/** The agent's half of add-ons that come to the hub by a token of a service account. */
export const tokenAgentDriver: AgentDriver = {
  name: 'token',
  declaration(item, addon) {
    if (item.type !== 'kubeClient') return 'a custom signer gives certificates; the driver token cannot serve it'
    const declared = item.driver === 'token' ? accountOf(item.subject.user, item) : undefined
    const account = declaredAccount(declared, infrastructureOf(addon, item), item)
    return { driver: 'token', subject: { user: accountUser(item.cluster, account) } }
  },
  credential: tokenCredential,
}
