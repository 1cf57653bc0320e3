import type { Deployment } from 'kubernetes-types/apps/v1.d.ts'
import type { Secret } from 'kubernetes-types/core/v1.d.ts'
import { isFailure } from '../../core/failure.ts'
import { agentSecrets } from '../../fleet/names.ts'
import { deployments, secrets } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import { readCertificate } from '../../pki/index.ts'
import { agentDeployment } from '../manifests/agent.ts'
import { bootstrapConnection, textIn } from '../operations/secret-connection.ts'
import type { Finding } from './causes.ts'
import { comesByAws, waitsForAws } from './cluster-side-aws.ts'
import { ifUnknown } from './if-unknown.ts'
import type { ProbeDeps } from './probe.ts'
import { probeBootstrap } from './probe.ts'

export interface ClusterSideOptions {
  kube: Kube
  /** Of the agent. */
  namespace: string
  /** Whether the agent is expected as a Deployment. One that runs elsewhere is judged by its lease on the hub. */
  isDeployed: boolean
}

/** What the cluster itself shows: its agent, its identity, and whether its bootstrap kubeconfig works. */
export async function diagnoseClusterSide(options: ClusterSideOptions, deps: ProbeDeps): Promise<Finding[]> {
  const { kube, namespace, isDeployed } = options
  const { signal } = deps
  const [deployment, bootstrap, identity] = await Promise.all([
    kube.of(deployments, namespace).find(agentDeployment, { signal }).catch(ifUnknown),
    kube.of(secrets, namespace).find(agentSecrets.bootstrap, { signal }).catch(ifUnknown),
    kube.of(secrets, namespace).find(agentSecrets.hubKubeconfig, { signal }).catch(ifUnknown),
  ])
  const isByAws = comesByAws(deployment)
  // A certificate of before stays there until the agent has come in by its role, and is nothing to renew.
  const isLeftOver = isByAws && identity !== undefined && textIn(identity, 'tls.crt') !== undefined
  const ended = identity && !isByAws ? expiryOf(identity, deps.clock.now()) : undefined
  return [
    isDeployed ? agentOf(deployment, namespace) : undefined,
    ended,
    isByAws && (!identity || isLeftOver) ? await waitsForAws({ kube, namespace, isLeftOver }, signal) : undefined,
    await bootstrapOf(bootstrap, namespace, deps, isByAws),
  ].filter((finding) => finding !== undefined)
}

function agentOf(deployment: Deployment | undefined, namespace: string): Finding | undefined {
  if (!deployment) {
    const evidence = `there is no Deployment ${agentDeployment} in namespace ${namespace}`
    return { id: 'agent-down', evidence, fix: 'run `lanyard join`, which deploys it' }
  }
  if ((deployment.status?.availableReplicas ?? 0) > 0) return undefined
  const evidence = `Deployment ${namespace}/${agentDeployment} has no available pod`
  const fix = `look at it with \`kubectl -n ${namespace} describe pods\` and \`kubectl -n ${namespace} logs deploy/${agentDeployment}\``
  return { id: 'agent-down', evidence, fix }
}

function expiryOf(secret: Secret, now: Date): Finding | undefined {
  const pem = textIn(secret, 'tls.crt')
  if (pem === undefined) return undefined
  const notAfter = endOf(pem)
  if (!notAfter) {
    const evidence = `Secret ${agentSecrets.hubKubeconfig}: tls.crt is no certificate`
    return { id: 'certificate-expired', evidence, fix: 'the agent asks for a new one; run `lanyard accept` on the hub' }
  }
  if (notAfter > now) return undefined
  const evidence = `Secret ${agentSecrets.hubKubeconfig}: tls.crt ran out at ${notAfter.toISOString()}`
  const fix =
    'the agent asks again with its bootstrap kubeconfig; see that it is valid, then run `lanyard accept` on the hub'
  return { id: 'certificate-expired', evidence, fix }
}

async function bootstrapOf(
  secret: Secret | undefined,
  namespace: string,
  deps: ProbeDeps,
  isByAws: boolean,
): Promise<Finding | undefined> {
  const fix = 'run `lanyard join` with a token of `lanyard token`'
  if (!secret) {
    const evidence = `there is no Secret ${agentSecrets.bootstrap} in namespace ${namespace}`
    return { id: 'bootstrap-missing', evidence, fix }
  }
  let connection: Awaited<ReturnType<typeof bootstrapConnection>>
  try {
    connection = await bootstrapConnection(secret, deps.clock)
  } catch (error) {
    const evidence = error instanceof Error ? error.message : String(error)
    return { id: 'bootstrap-missing', evidence, fix }
  }
  return probeBootstrap(connection, isByAws ? 'awsirsa' : 'csr', deps)
}

function endOf(pem: string): Date | undefined {
  try {
    return readCertificate(pem).notAfter
  } catch (error) {
    if (isFailure(error)) return undefined
    throw error
  }
}
