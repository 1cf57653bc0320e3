import type { HubStanza } from '../../../fleet/hub-stanza.ts'
import { onTheWay, throughProxy } from '../../../fleet/hub-stanza.ts'
import type { Connection } from '../../../kube/connection.ts'
import type { TokenSource } from './token/token-source.ts'

/** As the agent itself. Its tokens are made in this process: the plugin of its kubeconfig is for others. */
export const awsHubConnection = (
  { server, ca, serverName, ...rest }: HubStanza,
  tokens: Pick<TokenSource, 'token'>,
): Connection =>
  throughProxy({
    server: server.replace(/\/+$/, ''),
    tls: { ...(ca !== undefined && { ca }), ...(serverName !== undefined && { serverName }) },
    ...onTheWay(rest),
    credentials: async (asked) => ({ authorization: (await tokens.token(asked)).token }),
  })
