import type { Secret as SecretObject } from 'kubernetes-types/core/v1.d.ts'
import type { Clock } from '../../core/clock.ts'
import { Secret } from '../../core/secret.ts'
import { hubConnection, readHubKubeconfig } from '../../fleet/hub-stanza.ts'
import type { Connection } from '../../kube/connection.ts'
import { connectionOf, parseKubeconfig } from '../../kube/kubeconfig/index.ts'

export const textIn = ({ data }: SecretObject, key: string): string | undefined => {
  const found = data?.[key]
  return found === undefined ? undefined : Buffer.from(found, 'base64').toString()
}

/**
 * Where the bootstrap kubeconfig in a Secret leads. Whoever may write that Secret must not get a program run, or a file
 * read, on the machine of whoever looks at it: so it has to hold all that it needs.
 */
export async function bootstrapConnection(secret: SecretObject, clock: Clock): Promise<Connection> {
  const source = `Secret ${secret.metadata?.namespace}/${secret.metadata?.name}`
  const config = parseKubeconfig(textIn(secret, 'kubeconfig') ?? '', { name: source })
  return (await connectionOf(config, { source, clock, env: {}, selfContained: true })).connection
}

/** The hub as the agent itself: only its address is taken from the kubeconfig. Undefined where that is none of ours. */
export function agentConnection(secret: SecretObject): Connection | undefined {
  const stanza = readHubKubeconfig(textIn(secret, 'kubeconfig') ?? '')
  const [certPem, key] = [textIn(secret, 'tls.crt'), textIn(secret, 'tls.key')]
  if (!stanza || certPem === undefined || key === undefined) return undefined
  return hubConnection(stanza, () => ({ certPem, keyPem: Secret.of(key) }))
}
