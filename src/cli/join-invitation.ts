import type { Connection } from '../kube/connection.ts'
import { pinsOf } from './ca-pin.ts'
import type { JoinToken } from './token-issue.ts'

/** All that a cluster needs to ask a hub. */
export interface Invitation extends JoinToken {
  server: string
  /** None: the hub's certificate is one that every machine trusts. */
  pins: readonly string[]
  /** Of a hub that clusters join by AWS IAM alone. */
  hubClusterArn?: string | undefined
}

export const invitationTo = ({ server, tls }: Connection, token: JoinToken, address?: string): Invitation => ({
  ...token,
  server: address ?? server,
  pins: tls.ca === undefined ? [] : pinsOf(tls.ca),
})

/**
 * A command to paste on the managed cluster. The token goes through a pipe: as an argument it would stand in the
 * process list of that machine.
 */
export function commandToJoin({ token, server, pins, hubClusterArn }: Invitation): string {
  const trust = pins.map((pin) => ` --ca-pin ${pin}`).join('')
  const byAws = hubClusterArn === undefined ? '' : ` --registration-auth awsirsa --eks-hub-cluster-arn ${hubClusterArn}`
  return `echo ${token.reveal()} | lanyard join --hub-token-file - --hub-apiserver ${server}${trust}${byAws} --cluster-name <cluster_name>`
}

/** The names of the field, and ours beside them. */
export const invitationData = (invitation: Invitation): Record<string, unknown> => ({
  'hub-token': invitation.token.reveal(),
  'hub-apiserver': invitation.server,
  'ca-pins': invitation.pins,
  ...(invitation.expiresAt && { 'expires-at': invitation.expiresAt.toISOString() }),
  'join-command': commandToJoin(invitation),
})

/** Whether only this machine can go there. */
export const isLoopback = (server: string): boolean =>
  ['localhost', '127.0.0.1', '[::1]'].includes(new URL(server).hostname)
