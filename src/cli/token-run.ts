import type { Command } from 'commander'
import { systemClock } from '../core/clock.ts'
import { systemRandom } from '../core/random.ts'
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
  const invitation = invitationTo(connection, token, options.hubApiserver)
  if (options.output === 'json') {
    process.stdout.write(`${JSON.stringify(invitationData(invitation), null, 2)}\n`)
    return
  }
  const until = token.expiresAt ? ` until ${token.expiresAt.toISOString()}` : ''
  process.stdout.write(
    `token=${token.token.reveal()}\nIt is good${until}. On the cluster that shall join, run:\n\n${commandToJoin(invitation)}\n`,
  )
  if (isLoopback(invitation.server))
    process.stdout.write(
      `\n${invitation.server} leads nowhere from another machine; --hub-apiserver gives another address.\n`,
    )
}
