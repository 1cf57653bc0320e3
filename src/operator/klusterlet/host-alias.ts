import type { KlusterletSpec } from '../../apis/operator/klusterlet.ts'
import type { Connection } from '../../kube/connection.ts'

/** The way to a hub whose name no DNS knows, as the pod of the agent has it: its address is called by its name. */
export function throughAlias(connection: Connection, alias: KlusterletSpec['hubApiServerHostAlias']): Connection {
  if (!alias) return connection
  const url = new URL(connection.server)
  if (url.hostname !== alias.hostname.toLowerCase()) return connection
  url.hostname = alias.ip
  const server = url.href.replace(/\/+$/, '')
  return { ...connection, server, tls: { ...connection.tls, serverName: connection.tls.serverName ?? alias.hostname } }
}
