import type { PullDeps } from '../deps.ts'
import type { Accounts } from './contract.ts'
import { issue } from './issue.ts'
import { retire } from './retire.ts'
import { revive } from './revive.ts'
import { sweep } from './sweep.ts'
import { openToken } from './token.ts'
import { tools } from './tools.ts'

export type { Accounts, AccountWanted, CredentialRow } from './contract.ts'
export { announceChange } from './keep.ts'
export { nextGeneration } from './names.ts'

export function accounts(deps: PullDeps): Accounts {
  const made = tools(deps)
  return {
    issue: (wanted, held, actor) => issue(made, wanted, held, actor),
    retire: (credential, how, held, actor) => retire(made, credential, how, held, actor),
    revive: (credential, cluster, held, actor) => revive(made, credential, cluster, held, actor),
    tokenOf: (credential) => openToken(made, credential),
    sweep: (signal) => sweep(made, signal),
  }
}
