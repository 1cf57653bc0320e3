import { sessionLabels } from '../../src/access/names.ts'
import { sessionName, slotOf } from '../../src/access/sessions/slot.ts'
import { digestOf, secretOf } from '../../src/access/webhook-tokens/record.ts'
import { BreakglassEscalation } from '../../src/apis/breakglass/breakglass-escalation.ts'
import { BreakglassSession } from '../../src/apis/breakglass/breakglass-session.ts'
import { ClusterConfig } from '../../src/apis/breakglass/cluster-config.ts'
import type { DenyPolicySpec } from '../../src/apis/breakglass/deny-policy.ts'
import { DenyPolicy } from '../../src/apis/breakglass/deny-policy.ts'
import { hubKinds } from '../../src/apis/fleet-kinds.ts'
import { applyManifests } from '../../src/cli/apply-manifests.ts'
import { untilServed } from '../../src/cli/init-steps.ts'
import { after, systemClock } from '../../src/core/clock.ts'
import { systemRandom } from '../../src/core/random.ts'
import { namespaces, secrets } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import { crdManifests } from '../../src/registration/manifests/crds.ts'
import { base64, standInKubeconfig } from '../shared/stand-in.ts'
import { inParallel } from '../shared/timing.ts'
import { clusterName, clusterOf, groupName, protectedNamespace, tokenOf, userOf } from './questions.ts'
import type { StandIns } from './tasks.ts'

export const hubNamespace = 'hub'
const atOnce = 32
const groups = 50

/** Clusters, their tokens, and the policies: what stays the same in every measurement. */
export async function makeWorld(kube: Kube, standIns: StandIns, policies: number): Promise<void> {
  const { signal } = new AbortController()
  const crds = crdManifests(hubKinds)
  await applyManifests(kube, crds, signal)
  await untilServed(crds, { kube, clock: systemClock, random: systemRandom, signal, timeoutMs: 30_000 })
  await kube.of(namespaces).create({ metadata: { name: hubNamespace } })
  const own = kube.of(secrets, hubNamespace)
  await inParallel(standIns.clusters.length, atOnce, async (number) => {
    const name = clusterName(number)
    const issuedAt = systemClock.now().toISOString()
    await own.create(secretOf({ cluster: name, tokens: [{ digest: digestOf(tokenOf(number)), issuedAt }] }))
    await own.create({
      metadata: { name: `kubeconfig${number}` },
      data: { value: base64(standInKubeconfig(standIns.clusters[number], standIns.caPem)) },
    })
    const kubeconfigSecretRef = { name: `kubeconfig${number}`, namespace: hubNamespace }
    const spec = { kubeconfigSecretRef, tenant: `tenant${number % 20}` }
    await kube.of(ClusterConfig.resource, hubNamespace).create({ metadata: { name }, spec })
  })
  await inParallel(groups, atOnce, async (number) => {
    const spec = {
      escalatedGroup: groupName(number),
      allowed: { clusters: ['*'], groups: [`team${number}`] },
      approvers: { users: ['lead@example.com'] },
    }
    await kube
      .of(BreakglassEscalation.resource, hubNamespace)
      .create({ metadata: { name: `escalation${number}` }, spec })
  })
  await inParallel(policies, atOnce, async (number) => {
    await kube
      .of(DenyPolicy.resource)
      .create({ metadata: { name: `policy${number}` }, spec: policyOf(number, standIns.clusters.length) })
  })
}

/** One that denies, for everybody; of the others half are for all clusters, half for one, and none meets what is asked. */
function policyOf(number: number, clusters: number): DenyPolicySpec {
  const verbs = ['delete', 'get', 'list']
  const namespaces = { patterns: [`${protectedNamespace}*`] }
  if (number === 0) return { rules: [{ verbs: ['delete'], apiGroups: [''], resources: ['secrets'], namespaces }] }
  const rules = [
    { verbs, apiGroups: [`group${number}.example.com`], resources: ['*'] },
    {
      verbs,
      apiGroups: [''],
      resources: ['configmaps', 'secrets', 'pods'],
      namespaces: { patterns: [`team${number}-*`] },
    },
  ]
  return number % 2 === 0 ? { rules } : { rules, appliesTo: { clusters: [clusterName(number % clusters)] } }
}

/** All but those that are there already. */
export async function addSessions(kube: Kube, from: number, to: number, clusters: number): Promise<void> {
  const sessions = kube.of(BreakglassSession.resource, hubNamespace)
  const now = systemClock.now()
  await inParallel(to - from, atOnce, async (index) => {
    const number = from + index
    const of = {
      cluster: clusterName(clusterOf(number, clusters)),
      user: userOf(number),
      grantedGroup: groupName(number % groups),
    }
    const metadata = { name: sessionName(of, 1), labels: { [sessionLabels.slot]: slotOf(of) } }
    const spec = { ...of, maxValidFor: '24h', escalation: `escalation${number % groups}`, requestReason: 'bench' }
    const made = await sessions.create({ metadata, spec })
    const status = {
      state: 'Approved' as const,
      approvedAt: now.toISOString(),
      actualStartTime: now.toISOString(),
      expiresAt: after(now, 24 * 3_600_000).toISOString(),
      approver: 'lead@example.com',
      approvers: ['lead@example.com'],
      approvals: [{ approver: 'lead@example.com', at: now.toISOString() }],
    }
    await sessions.update({ ...made, status }, { subresource: 'status' })
  })
}
