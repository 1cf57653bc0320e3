import { connect } from '../kube/client/index.ts'
import type { Finding, Patient } from '../registration/doctor/index.ts'
import { causes, diagnose } from '../registration/doctor/index.ts'
import { failures } from '../registration/operations/failures.ts'
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
): Promise<{ findings: Finding[]; text: string }> {
  const hasCluster = managedKubeconfig !== undefined || managedContext !== undefined
  if (name === undefined && !hasCluster) throw failures.DOCTOR_NOWHERE()
  await using opened = new AsyncDisposableStack()
  const patient: Patient = {}
  if (name !== undefined) {
    patient.name = name
    patient.hub = opened.use((await openCluster(settings, deps)).client)
  }
  if (hasCluster) {
    const { client } = await openCluster({ kubeconfig: managedKubeconfig, context: managedContext }, deps)
    patient.managed = { kube: opened.use(client), namespace: agentNamespace, isDeployed: deployed }
  }
  const findings = await diagnose(patient, {
    ...deps,
    connect: (to) => connect(to, { ...deps, options: { retries: 0 } }),
  })
  return { findings, text: findings.length === 0 ? healthy(patient) : findings.map(asText).join('\n') }
}

function healthy({ name, managed }: Patient): string {
  const sides = [name !== undefined && 'the hub', managed && 'the cluster'].filter(Boolean).join(' and ')
  return `✔ nothing is wrong, as far as ${sides} can tell\n`
}

const asText = ({ id, evidence, fix }: Finding): string =>
  printable(`✖ ${id}: ${causes[id]}\n  seen: ${evidence}\n  do:   ${fix}\n`)
