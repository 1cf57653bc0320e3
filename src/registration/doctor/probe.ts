import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import type { Clock } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import type { KubeClient } from '../../kube/client/index.ts'
import type { Connection } from '../../kube/connection.ts'
import { isForbidden, isUnauthorized, KubeFailure } from '../../kube/failures.ts'
import { selfSubjectAccessReviews } from '../../kube/kinds.ts'
import type { Finding } from './causes.ts'

export interface ProbeDeps {
  connect(connection: Connection): KubeClient
  clock: Clock
  signal: AbortSignal
}

const { group, plural: resource } = ManagedCluster.resource

/** What joining begins with. */
const toAppear = { group, resource, verb: 'create' }
const toAsk = { group: 'certificates.k8s.io', resource: 'certificatesigningrequests', verb: 'create' }
const needs = { csr: [toAppear, toAsk], awsirsa: [toAppear] } as const

const deadlineMs = 5_000

/** Tries the bootstrap kubeconfig out, without changing anything; undefined when nothing is wrong with it. */
export async function probeBootstrap(
  connection: Connection,
  driver: keyof typeof needs,
  deps: ProbeDeps,
): Promise<Finding | undefined> {
  const { server } = connection
  await using hub = deps.connect(connection)
  try {
    for (const resourceAttributes of needs[driver]) {
      const { status } = await hub
        .of(selfSubjectAccessReviews)
        .create({ spec: { resourceAttributes } }, { signal: deps.signal, deadlineMs })
      if (status?.allowed) continue
      const { verb, resource: what } = resourceAttributes
      const fix = 'repeat `lanyard init` on the hub, which grants it'
      return { id: 'bootstrap-rights-missing', evidence: `on ${server} it may not ${verb} ${what}`, fix }
    }
    return undefined
  } catch (error) {
    deps.signal.throwIfAborted()
    const found = await explained(error, connection, deps.clock)
    if (found) return found
    throw error
  }
}

async function explained(error: unknown, connection: Connection, clock: Clock): Promise<Finding | undefined> {
  const evidence = `${connection.server}: ${error instanceof Error ? error.message : String(error)}`
  if (isFailure(error, 'KUBE_UNTRUSTED')) {
    const fix = 'get a new join command with `lanyard token` on the hub and repeat `lanyard join`'
    return { id: 'wrong-hub-ca', evidence, fix }
  }
  if (isUnauthorized(error)) {
    const fix = 'get a new token with `lanyard token` on the hub and repeat `lanyard join`'
    return { id: 'bootstrap-token-expired', evidence: `${connection.server}: ${await lifeOf(connection, clock)}`, fix }
  }
  if (isForbidden(error)) {
    const fix = 'repeat `lanyard init` on the hub, which grants it'
    return { id: 'bootstrap-rights-missing', evidence, fix }
  }
  const isNoHub =
    error instanceof KubeFailure ||
    ['KUBE_UNREACHABLE', 'KUBE_DEADLINE', 'KUBE_BAD_ANSWER'].some((code) => isFailure(error, code))
  if (!isNoHub) return undefined
  const fix = 'check the address and the way to it; `lanyard token` on the hub prints a join command with the right one'
  return { id: 'wrong-hub-url', evidence, fix }
}

/** What the token says of its own end, where it is one that says so. */
async function lifeOf({ credentials }: Connection, clock: Clock): Promise<string> {
  const token = (await credentials?.())?.authorization?.reveal() ?? ''
  const [, payload = ''] = token.split('.')
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp?: number }
    const end = new Date((exp ?? Number.NaN) * 1_000)
    if (Number.isNaN(end.getTime())) return 'the credential is not accepted'
    return end <= clock.now() ? `the token ran out at ${end.toISOString()}` : 'the token is not accepted'
  } catch {
    return 'the credential is not accepted'
  }
}
