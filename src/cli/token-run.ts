import type { Command } from 'commander'
import { systemClock } from '../core/clock.ts'
import { systemRandom } from '../core/random.ts'
import { isEks } from '../fleet/eks.ts'
import { hubNamespace } from '../fleet/names.ts'
import { KubeFailure } from '../kube/failures.ts'
import { serviceAccounts } from '../kube/kinds.ts'
import type { Kube } from '../kube/kube.ts'
import { readHubAccount } from '../registration/manifests/hub-aws.ts'
import { hubAccount } from '../registration/manifests/hub-rbac.ts'
import { commandToJoin, invitationData, invitationTo, isLoopback } from './join-invitation.ts'
import { openCluster } from './open-cluster.ts'
import { loadSettings } from './settings.ts'
import type { Stop } from './stop-signal.ts'
import type { TokenOptions } from './token.ts'
import { issueJoinToken } from './token-issue.ts'

export async function printToken(options: TokenOptions, command: Command, stop: Stop): Promise<void> {
  const { settings, log } = await loadSettings(command)
  const deps = { clock: systemClock, random: systemRandom, log, signal: stop.signal }
  const { client, connection } = await openCluster(settings, deps)
  await using _client = client
  const token = await issueJoinToken({
    ...deps,
    kube: client,
    server: connection.server,
    useBootstrapToken: options.useBootstrapToken ?? false,
    lifetimeMs: options.expires,
  })
  const { hubClusterArn, isEksServer } = await awsOf(client, settings.namespace ?? hubNamespace, stop.signal)
  const plain = invitationTo(connection, token, options.hubApiserver)
  const invitation = { ...plain, hubClusterArn }
  // Only a server of EKS surely signs no certificates: elsewhere a hub may take clusters either way.
  const byCsr = hubClusterArn === undefined || isEksServer ? undefined : commandToJoin(plain)
  if (options.output === 'json') {
    const data = { ...invitationData(invitation), ...(byCsr && { 'join-command-csr': byCsr }) }
    process.stdout.write(`${JSON.stringify(data, null, 2)}\n`)
    return
  }
  const until = token.expiresAt ? ` until ${token.expiresAt.toISOString()}` : ''
  process.stdout.write(
    `token=${token.token.reveal()}\nIt is good${until}. On the cluster that shall join, run:\n\n${commandToJoin(invitation)}\n`,
  )
  if (byCsr)
    process.stdout.write(`\nOr, where the hub runs the driver csr as well, on a cluster outside of EKS:\n\n${byCsr}\n`)
  if (isLoopback(invitation.server))
    process.stdout.write(
      `\n${invitation.server} leads nowhere from another machine; --hub-apiserver gives another address.\n`,
    )
}

/** What the account of the hub says of AWS. Who may not read it gets the command without. */
async function awsOf(
  kube: Kube,
  namespace: string,
  signal: AbortSignal,
): Promise<{ hubClusterArn?: string; isEksServer: boolean }> {
  try {
    const account = await kube.of(serviceAccounts, namespace).find(hubAccount, { signal })
    const { hubClusterArn } = readHubAccount(account ?? {})
    if (hubClusterArn === undefined) return { isEksServer: false }
    const { gitVersion } = await kube.request<{ gitVersion: string }>({ path: '/version', signal })
    return { hubClusterArn, isEksServer: isEks(gitVersion) }
  } catch (error) {
    if (error instanceof KubeFailure) return { isEksServer: false }
    throw error
  }
}
