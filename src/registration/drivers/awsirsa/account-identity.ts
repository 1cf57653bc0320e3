import type { Secret as SecretObject } from 'kubernetes-types/core/v1.d.ts'
import type { Clock } from '../../../core/clock.ts'
import { textOf } from '../../../fleet/secret-texts.ts'
import type { Connection } from '../../../kube/connection.ts'
import { serviceAccounts } from '../../../kube/kinds.ts'
import type { Kube } from '../../../kube/kube.ts'
import type { Env } from '../../../kube/kubeconfig/index.ts'
import { agentAccount } from '../../manifests/agent.ts'
import { roleArnAnnotation } from '../../manifests/hub-aws.ts'
import { awsHubConnection } from './agent-connection.ts'
import type { HubAccess } from './agent-kubeconfig.ts'
import { readAwsKubeconfig } from './agent-kubeconfig.ts'
import { failures } from './token/failures.ts'
import { tokenSource } from './token/token-source.ts'

export interface AccountDeps {
  /** The cluster of the agent, as somebody who may ask for tokens of its account. */
  kube: Kube
  clock: Clock
  /** Of this process: the way to STS. Who this process itself is for AWS does not matter. */
  env: Env
}

/** The hub as the agent. */
export interface AccountIdentity {
  readonly connection: Connection
  /** As what the hub is asked. */
  readonly access: HubAccess
  /** The role of the agent's pod. */
  readonly role: string
}

const audience = 'sts.amazonaws.com'
/** Only until it is exchanged. Kubernetes gives no shorter ones. */
const lifeSeconds = 600

/**
 * As the agent whose AWS identity is that of its service account, for somebody other than its pod: a token of the account
 * is all that EKS gives the pod, and whoever may ask for one can be what the pod is. The plugin in the kubeconfig is not
 * run: whoever can write the Secret must not get a program run here. Undefined where no such agent wrote the Secret.
 */
export async function accountIdentity(
  { data = {} }: SecretObject,
  namespace: string,
  { kube, clock, env }: AccountDeps,
  signal: AbortSignal,
): Promise<AccountIdentity | undefined> {
  const found = readAwsKubeconfig(textOf(data, 'kubeconfig') ?? '')
  if (!found) return undefined
  const account = `${namespace}/${agentAccount}`
  const accounts = kube.of(serviceAccounts, namespace)
  const role = (await accounts.metadata.find(agentAccount, { signal }))?.metadata.annotations?.[roleArnAnnotation]
  if (!role) throw failures.AWS_ACCOUNT_WITHOUT_ROLE({ account })

  const review = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { audiences: [audience], expirationSeconds: lifeSeconds },
  }
  const { stanza, access } = found
  const tokens = tokenSource(access, {
    clock,
    env: { ...withoutKeys(env), AWS_WEB_IDENTITY_TOKEN_FILE: `of ServiceAccount ${account}`, AWS_ROLE_ARN: role },
    async readFile() {
      const answer = await accounts.createSubresource<object, { status?: { token?: string } }>(
        agentAccount,
        'token',
        review,
      )
      return answer.status?.token ?? ''
    },
  })
  return { connection: awsHubConnection(stanza, tokens), access, role }
}

const ofThisProcess = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_ROLE_SESSION_NAME']

const withoutKeys = (env: Env): Env =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !ofThisProcess.includes(name)))
