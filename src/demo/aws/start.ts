import { systemClock } from '../../core/clock.ts'
import { addCluster, openAccount } from './accounts.ts'
import type { AwsAccount, AwsCall, AwsOptions, AwsStandIn } from './contract.ts'
import { callerOfToken } from './eks-token.ts'
import { faultBox } from './faults.ts'
import { issuerHost } from './iam-providers.ts'
import { serve } from './serving.ts'
import type { World } from './state.ts'

/** Starts the stand-in on loopback. All state is in memory, and goes with it. */
export async function startAws(options: AwsOptions = {}): Promise<AwsStandIn> {
  const { clock = systemClock, canary = '', pageSize = 100, rolesPerAccount = 1000, port } = options
  const world: World = {
    clock,
    canary,
    pageSize,
    rolesPerAccount,
    newRoleLag: 0,
    readLag: { roles: 0, entries: 0 },
    accounts: new Map(),
    keys: new Map(),
    clusters: new Map(),
    issuers: new Map(),
  }
  const calls: AwsCall[] = []
  const faults = faultBox({
    newRolesUnseenFor(looks) {
      world.newRoleLag = looks
    },
    readsLagFor(looks) {
      world.readLag = { roles: looks, entries: looks }
    },
  })
  const { host, close } = await serve(world, faults, calls, port)
  const accounts = new Map<string, AwsAccount>()
  const account: AwsStandIn['account'] = (id, { partition } = {}) => {
    const opened = accounts.get(id) ?? openAccount(world, id, partition)
    accounts.set(id, opened)
    return opened
  }
  return {
    url: `http://${host}`,
    account,
    cluster(wanted) {
      account(wanted.account)
      const owner = world.accounts.get(wanted.account)
      if (!owner) throw new Error(`no account ${wanted.account}`)
      return addCluster(world, owner, () => host, wanted)
    },
    issuerKeys: (issuer, keys) => void world.issuers.set(issuerHost(issuer), keys),
    faults,
    calls,
    identityOf(token, clusterName) {
      const verdict = callerOfToken(world, host, token, clusterName)
      if ('refused' in verdict) return verdict
      const { arn, principal, account, userId } = verdict.caller
      return { arn, principalArn: principal.arn, account: account.id, userId }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
