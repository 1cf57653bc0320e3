import type { ClusterManager, ClusterManagerSpec } from '../../apis/operator/cluster-manager.ts'
import type { OperatorSettings } from '../deps.ts'
import { isOn, judgeGates } from '../gates.ts'
import { podChoices } from '../pod-choices.ts'
import { awsWish, driversField } from './aws-driver.ts'
import type { InstalledHub } from './manifests.ts'

export type ClusterManagerPlan =
  | { readonly step: 'refuse'; readonly why: string; readonly gateMistakes: readonly string[] }
  | { readonly step: 'install'; readonly installation: InstalledHub; readonly ignored: readonly string[] }

type PlanSettings = Pick<OperatorSettings, 'image' | 'hubNamespace' | 'gates'>
const approvalGate = 'ManagedClusterAutoApproval'
const reachGate = 'Reach'
const accessGate = 'Access'

/** What a ClusterManager comes to. Pure; what cannot be carried out whole is not carried out at all. */
export function planClusterManager({ spec = {} }: ClusterManager, settings: PlanSettings): ClusterManagerPlan {
  const registration = spec.registrationConfiguration ?? {}
  const gates = judgeGates(settings.gates.hub, registration.featureGates)
  const asked = registration.registrationDrivers ?? []
  const drivers: string[] = asked.map(({ authType }) => authType)
  const approves = isOn(settings.gates.hub, gates, approvalGate)
  const wish = awsWish(asked, approves)
  const mistakes = [
    ...(spec.deployOption?.mode === 'Hosted'
      ? ['deployOption.mode is Hosted; this version runs hubs where they are']
      : []),
    ...drivers.flatMap((driver, index) => driverMistake(driver, index)),
    ...wish.mistakes,
    ...gates.mistakes.map((mistake) => `registrationConfiguration.featureGates: ${mistake}`),
  ]
  if (mistakes.length > 0) return { step: 'refuse', why: mistakes.join('; '), gateMistakes: gates.mistakes }
  const users = autoApproved(spec)
  const whyNoUsers = whyNobody(users, drivers, approves)
  return {
    step: 'install',
    installation: {
      namespace: settings.hubNamespace,
      image: spec.registrationImagePullSpec || settings.image,
      featureGates: gates.gates,
      reach: isOn(settings.gates.hub, gates, reachGate),
      access: isOn(settings.gates.hub, gates, accessGate),
      pod: podChoices(spec),
      ...(drivers.length > 0 && { registrationDrivers: drivers }),
      ...(users.length > 0 && whyNoUsers === undefined && { autoApprovedUsers: users }),
      ...(wish.aws && { aws: wish.aws }),
    },
    ignored: [...ignoredFields(spec, whyNoUsers), ...wish.ignored],
  }
}

const later = ['grpc']

function driverMistake(driver: string, index: number): string[] {
  const field = `${driversField}[${index}].authType is ${driver}`
  if (driver === 'csr' || driver === 'awsirsa') return []
  if (later.includes(driver)) return [`${field}, which comes with a later version; this one has csr and awsirsa`]
  return [`${field}, which this version does not know; it knows csr and awsirsa`]
}

/** Why users are not approved of; undefined where they are, or where there are none. */
function whyNobody(users: readonly string[], drivers: readonly string[], approves: boolean): string | undefined {
  if (users.length === 0) return undefined
  if (!approves) return `the gate ${approvalGate} is off`
  return drivers.length === 0 || drivers.includes('csr') ? undefined : 'csr is not among the drivers'
}

/** The older list and that of the driver, each user once. */
function autoApproved({ registrationConfiguration: registration = {} }: ClusterManagerSpec): string[] {
  const ofDrivers = (registration.registrationDrivers ?? []).flatMap(({ csr }) => csr?.autoApprovedIdentities ?? [])
  return [...new Set([...(registration.autoApproveUsers ?? []), ...ofDrivers])]
}

function ignoredFields(spec: ClusterManagerSpec, whyNoUsers: string | undefined): string[] {
  const work = spec.workConfiguration
  const isSet: [string, unknown][] = [
    ['workImagePullSpec', spec.workImagePullSpec],
    ['placementImagePullSpec', spec.placementImagePullSpec],
    ['addOnManagerImagePullSpec', spec.addOnManagerImagePullSpec],
    ['deployOption.default', spec.deployOption?.default],
    ['deployOption.hosted', spec.deployOption?.hosted],
    // kube is what the API server puts there by itself.
    ['workConfiguration', work && (work.featureGates?.length || (work.workDriver ?? 'kube') !== 'kube')],
    ['placementConfiguration', spec.placementConfiguration],
    ['addOnManagerConfiguration', spec.addOnManagerConfiguration],
    ['serverConfiguration', spec.serverConfiguration],
    ['registrationConfiguration.importerConfiguration', spec.registrationConfiguration?.importerConfiguration],
    [`registrationConfiguration: users that are approved of without asking (${whyNoUsers})`, whyNoUsers],
  ]
  return isSet.flatMap(([field, value]) => (value ? [field] : []))
}
