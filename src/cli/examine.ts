import type { EscalationTrouble } from '../access/operations/escalation-troubles.ts'
import { escalationCauses, readEscalationTroubles } from '../access/operations/escalation-troubles.ts'
import { readAddons } from '../addons/overview/read-addons.ts'
import type { Trouble } from '../addons/overview/troubles.ts'
import { addonCauses } from '../addons/overview/troubles.ts'
import { connect } from '../kube/client/index.ts'
import { isForbidden, isNotFound } from '../kube/failures.ts'
import type { Finding, Patient } from '../registration/doctor/index.ts'
import { causes, diagnose } from '../registration/doctor/index.ts'
import { openCluster } from './open-cluster.ts'
import type { CommandDeps } from './open-hub.ts'
import { printable } from './printable.ts'
import type { Settings } from './settings.ts'

export interface Examination {
  settings: Settings
  name?: string
  managedKubeconfig?: string
  managedContext?: string
  agentNamespace: string
  deployed: boolean
}

/** The findings, and what a person reads of them. */
export async function examine(
  { settings, name, managedKubeconfig, managedContext, agentNamespace, deployed }: Examination,
  deps: CommandDeps,
): Promise<{ findings: AnyFinding[]; text: string }> {
  const hasCluster = managedKubeconfig !== undefined || managedContext !== undefined
  await using opened = new AsyncDisposableStack()
  const patient: Patient = {}
  if (name !== undefined) patient.name = name
  if (name !== undefined || !hasCluster) patient.hub = opened.use((await openCluster(settings, deps)).client)
  if (hasCluster) {
    const { client } = await openCluster({ kubeconfig: managedKubeconfig, context: managedContext }, deps)
    patient.managed = { kube: opened.use(client), namespace: agentNamespace, isDeployed: deployed }
  }
  const ofCluster = await diagnose(patient, {
    ...deps,
    connect: (to) => connect(to, { ...deps, options: { retries: 0 } }),
  })
  // A cluster in trouble takes its add-ons with it: what explains the others is enough.
  const findings: AnyFinding[] = [
    ...(ofCluster.length === 0 ? await addonsOf(patient, deps) : ofCluster),
    ...(await escalationsOf(patient, deps)),
  ]
  return { findings, text: findings.length === 0 ? healthy(patient) : findings.map(asText).join('\n') }
}

type AnyFinding = Finding | AddonFinding | EscalationTrouble

interface AddonFinding extends Trouble {
  readonly addon: string
}

async function addonsOf({ name, hub }: Patient, { clock, signal }: CommandDeps): Promise<AddonFinding[]> {
  if (!hub || name === undefined) return []
  const addons = await readAddons(hub, { cluster: name, now: clock.now(), signal }).catch(noneSeen)
  return addons.flatMap(({ addon, troubles }) => troubles.map((trouble) => ({ addon, ...trouble })))
}

/** Of the whole hub where no cluster is named: then who may not look is told so. */
async function escalationsOf({ name, hub }: Patient, { signal }: CommandDeps): Promise<EscalationTrouble[]> {
  if (!hub) return []
  return await readEscalationTroubles(hub, { cluster: name, signal }).catch((error: unknown) => {
    if (name === undefined && isForbidden(error)) throw error
    return noneSeen(error)
  })
}

/** Nothing where this user may not look, or the hub has no such kind. */
function noneSeen(error: unknown): [] {
  if (isForbidden(error) || isNotFound(error)) return []
  throw error
}

function healthy({ hub, managed }: Patient): string {
  const sides = [hub && 'the hub', managed && 'the cluster'].filter(Boolean).join(' and ')
  return `✔ nothing is wrong, as far as ${sides} can tell\n`
}

function asText(finding: AnyFinding): string {
  const { id, evidence, fix } = finding
  const seen = 'addon' in finding ? `${finding.addon}: ${evidence}` : evidence
  return printable(
    `✖ ${id}: ${{ ...causes, ...addonCauses, ...escalationCauses }[id]}\n  seen: ${seen}\n  do:   ${fix}\n`,
  )
}
