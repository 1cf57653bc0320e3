import { accountUser, agentNamespace, hubNamespace } from '../../../../fleet/names.ts'
import { agentAccount } from '../../../manifests/agent.ts'
import { hubAccount } from '../../../manifests/hub-rbac.ts'
import type { EksCluster, Wrong } from '../names.ts'
import type { NeededRole } from '../prerequisites/index.ts'
import { clusterPrerequisites, hubPrerequisites, parseOidcProvider } from '../prerequisites/index.ts'
import type { Findings } from './judge.ts'
import { judgeRole } from './judge.ts'
import type { PreflightAws } from './look.ts'
import { lookAtRole, whyUnseen } from './look.ts'
import { agentRequests, hubRequests, podRequest } from './needs.ts'

export interface Preflight extends Findings {
  /** To print where something is missing; absent where there can be none of that name, or its provider is unknown. */
  readonly role?: NeededRole
}

export interface PreflightOptions {
  /** Where it runs. */
  namespace?: string
  /** Absent: EKS is asked. */
  oidcProvider?: string
}

/** The role with which a hub makes the roles of clusters. */
export async function checkHubRole(hub: EksCluster, aws: PreflightAws, options: PreflightOptions = {}) {
  const { namespace = hubNamespace } = options
  const subject = accountUser(namespace, hubAccount)
  const needed = (oidcProvider: string) => hubPrerequisites(hub, { oidcProvider, namespace })
  return await check({ cluster: hub, subject, needed, requests: hubRequests(hub) }, aws, options)
}

/** The role with which the agent of a cluster takes that of the hub. */
export async function checkClusterRole(
  hub: EksCluster,
  managed: EksCluster,
  aws: PreflightAws,
  options: PreflightOptions = {},
) {
  const { namespace = agentNamespace } = options
  const subject = accountUser(namespace, agentAccount)
  const needed = (oidcProvider: string) => clusterPrerequisites(hub, managed, { oidcProvider, namespace })
  return await check({ cluster: managed, subject, needed, requests: agentRequests(hub, managed) }, aws, options)
}

interface Checked {
  cluster: EksCluster
  subject: string
  needed(oidcProvider: string): NeededRole | Wrong
  requests: ReturnType<typeof hubRequests>
}

/** Stands where the provider is not known, in documents that are not printed then. */
const unknownProvider = 'oidc.invalid'

async function check(
  { cluster, subject, needed, requests }: Checked,
  aws: PreflightAws,
  options: PreflightOptions,
): Promise<Preflight> {
  const provider = options.oidcProvider ? { oidcProvider: options.oidcProvider } : await providerOf(cluster, aws)
  const isKnown = 'oidcProvider' in provider
  const role = needed(isKnown ? provider.oidcProvider : unknownProvider)
  if ('wrong' in role) return { missing: [role.wrong], unclear: [] }
  const pod = isKnown ? podRequest(cluster, provider.oidcProvider, subject) : undefined
  const found = judgeRole({ role, pod, requests, subject }, await lookAtRole(role.name, cluster.account, aws))
  const unclear = [...found.unclear, ...(isKnown ? [] : [provider.unclear])]
  return { ...found, unclear, ...(isKnown && { role }) }
}

async function providerOf(cluster: EksCluster, aws: PreflightAws) {
  const unclear = (why: string) => ({ unclear: `the OpenID provider of ${cluster.arn} is not known: ${why}` })
  try {
    const issuer = await aws.issuerOf(cluster)
    if (issuer === undefined) return unclear('EKS does not tell one')
    const parsed = parseOidcProvider(issuer)
    return 'wrong' in parsed ? unclear(parsed.wrong) : parsed
  } catch (error) {
    return unclear(whyUnseen(error))
  }
}
