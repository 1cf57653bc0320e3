import type { Klusterlet, KlusterletSpec } from '../../apis/operator/klusterlet.ts'
import { agentNamespace } from '../../fleet/names.ts'
import type { AgentInstallation } from '../../registration/manifests/agent.ts'
import type { OperatorSettings } from '../deps.ts'
import type { JudgedGates } from '../gates.ts'
import { isOn, judgeGates } from '../gates.ts'
import { podChoices } from '../pod-choices.ts'
import { agentAwsOf, eksPairOf } from './aws-driver.ts'
import { ignoredFields } from './ignored.ts'
import type { ServedDriver } from './reviews.ts'

export type KlusterletPlan =
  | {
      readonly step: 'refuse'
      readonly why: string
      readonly gateMistakes: readonly string[]
    }
  | { readonly step: 'install'; readonly installation: AgentInstallation; readonly ignored: readonly string[] }

/** What a Klusterlet comes to. Pure; what cannot be carried out whole is not carried out at all. */
export function planKlusterlet(klusterlet: Klusterlet, settings: PlanSettings): KlusterletPlan {
  const spec = klusterlet.spec ?? {}
  const gates = judgeGates(settings.gates.agent, spec.registrationConfiguration?.featureGates)
  const situation: Situation = { spec, gates, settings, severalHubs: isOn(settings.gates.agent, gates, 'MultipleHubs') }
  const mistakes = checks.flatMap((check) => check(situation) ?? [])
  if (mistakes.length > 0)
    return {
      step: 'refuse',
      why: mistakes.join('; '),
      gateMistakes: gates.mistakes,
    }
  return {
    step: 'install',
    installation: installationOf(klusterlet, situation),
    ignored: ignoredFields(spec, situation.severalHubs),
  }
}

export type PlanSettings = Pick<OperatorSettings, 'image' | 'agentNamespaces' | 'gates'>

export const namespaceOf = (klusterlet: Klusterlet): string => klusterlet.spec?.namespace || agentNamespace

interface Situation {
  readonly spec: KlusterletSpec
  readonly gates: JudgedGates
  readonly settings: PlanSettings
  readonly severalHubs: boolean
}
/** What is wrong, as a sentence that names the field; undefined for nothing. */
type Check = (situation: Situation) => string | undefined

const later = ['grpc']
/** Whether this version joins so. */
export const isServed = (driver: string): driver is ServedDriver => driver === 'csr' || driver === 'awsirsa'

const leastCertificateSeconds = 3_600
const leastTokenSeconds = 600

const driverIsUnusable: Check = ({ spec }) => {
  const driver: string = spec.registrationConfiguration?.registrationDriver?.authType ?? 'csr'
  if (isServed(driver)) return undefined
  const field = `registrationConfiguration.registrationDriver.authType is ${driver}`
  return later.includes(driver)
    ? `${field}, which comes with a later version; this one has csr and awsirsa`
    : `${field}, which this version does not know; it knows csr and awsirsa`
}

const arnsAreWrong: Check = ({ spec }) => {
  const pair = eksPairOf(spec)
  return pair && 'wrong' in pair ? pair.wrong : undefined
}

const awsHasOneHub: Check = ({ spec, severalHubs }) =>
  severalHubs && spec.registrationConfiguration?.registrationDriver?.authType === 'awsirsa'
    ? 'the gate MultipleHubs is on, and registrationConfiguration.registrationDriver.authType is awsirsa, which names one hub; turn the gate off'
    : undefined

const addOnDriverIsUnknown: Check = ({ spec }) => {
  const driver: string = spec.registrationConfiguration?.addOnKubeClientRegistrationDriver?.authType ?? 'csr'
  if (driver === 'csr' || driver === 'token') return undefined
  return `registrationConfiguration.addOnKubeClientRegistrationDriver.authType is ${driver}, which this version does not know; it knows csr and token`
}

const modeIsUnusable: Check = ({ spec }) => {
  const mode = spec.deployOption?.mode || 'Default'
  if (mode === 'Default' || mode === 'Singleton') return undefined
  return `deployOption.mode is ${mode}; this version runs agents on the cluster itself (Default, Singleton)`
}

const namespaceIsForeign: Check = ({ spec, settings: { agentNamespaces } }) => {
  const namespace = spec.namespace || agentNamespace
  if (agentNamespaces.includes(namespace)) return undefined
  return `namespace is ${namespace}, where this operator has no rights; it works in ${agentNamespaces.join(', ')} (--agent-namespaces of lanyard operator and lanyard deploy operator)`
}

const certificateIsTooShort: Check = ({ spec }) => {
  const seconds = spec.registrationConfiguration?.clientCertExpirationSeconds ?? 0
  if (seconds === 0 || seconds >= leastCertificateSeconds) return undefined
  return `registrationConfiguration.clientCertExpirationSeconds is ${seconds}; it is 0 or at least ${leastCertificateSeconds}`
}

const tokenIsTooShort: Check = ({ spec }) => {
  const seconds = tokenSeconds(spec)
  if (seconds === 0 || seconds >= leastTokenSeconds) return undefined
  return `registrationConfiguration.addOnKubeClientRegistrationDriver.token.expirationSeconds is ${seconds}; it is 0 or at least ${leastTokenSeconds}`
}

const hubsAreMissing: Check = ({ spec, severalHubs }) =>
  severalHubs && secretsOfHubs(spec).length < 2
    ? 'the gate MultipleHubs is on; name two or more Secrets in registrationConfiguration.bootstrapKubeConfigs, with the type LocalSecrets'
    : undefined

const gatesAreWrong: Check = ({ gates: { mistakes } }) =>
  mistakes.length > 0 ? `registrationConfiguration.featureGates: ${mistakes.join(', ')}` : undefined

const claimsAreNegative: Check = ({ spec }) => {
  const most = spec.registrationConfiguration?.clusterClaimConfiguration?.maxCustomClusterClaims ?? 0
  return most < 0
    ? `registrationConfiguration.clusterClaimConfiguration.maxCustomClusterClaims is ${most}; it is 0 or more`
    : undefined
}

const checks: readonly Check[] = [
  modeIsUnusable,
  namespaceIsForeign,
  driverIsUnusable,
  arnsAreWrong,
  awsHasOneHub,
  addOnDriverIsUnknown,
  gatesAreWrong,
  certificateIsTooShort,
  tokenIsTooShort,
  hubsAreMissing,
  claimsAreNegative,
]

const tokenSeconds = ({ registrationConfiguration }: KlusterletSpec): number => {
  const { authType, token } = registrationConfiguration?.addOnKubeClientRegistrationDriver ?? {}
  return authType === 'token' ? (token?.expirationSeconds ?? 0) : 0
}

const secretsOfHubs = ({ registrationConfiguration }: KlusterletSpec): string[] => {
  const { type, localSecretsConfig } = registrationConfiguration?.bootstrapKubeConfigs ?? {}
  return type === 'LocalSecrets' ? (localSecretsConfig?.kubeConfigSecrets ?? []).map(({ name }) => name) : []
}

/** A flag for each field that is set; what is unset is left to the agent, so that its defaults are said once. */
function installationOf(klusterlet: Klusterlet, { spec, gates, settings, severalHubs }: Situation): AgentInstallation {
  const registration = spec.registrationConfiguration ?? {}
  const {
    registrationDriver,
    addOnKubeClientRegistrationDriver: addOns,
    clusterClaimConfiguration: claims,
  } = registration
  const { uid } = klusterlet.metadata ?? {}
  const pair = eksPairOf(spec)
  const timeout = registration.bootstrapKubeConfigs?.localSecretsConfig?.hubConnectionTimeoutSeconds
  const installation: { [Field in keyof AgentInstallation]: AgentInstallation[Field] | undefined } = {
    namespace: namespaceOf(klusterlet),
    image: spec.registrationImagePullSpec || spec.imagePullSpec || settings.image,
    clusterName: spec.clusterName || undefined,
    agentId: spec.deployOption?.mode === 'Singleton' ? uid : undefined,
    featureGates: gates.gates,
    clusterAnnotations: registration.clusterAnnotations,
    clientCertExpirationSeconds: pair ? undefined : registration.clientCertExpirationSeconds,
    registrationAuth: registrationDriver?.authType,
    aws: pair && 'hub' in pair ? agentAwsOf(pair) : undefined,
    addonKubeClientRegistrationAuth: addOns?.authType,
    addonTokenExpirationSeconds: tokenSeconds(spec) || undefined,
    externalServerUrls: spec.externalServerURLs?.map(({ url }) => url),
    bootstrapSecrets: severalHubs ? secretsOfHubs(spec) : undefined,
    hubConnectionTimeoutSeconds: severalHubs ? timeout : undefined,
    maxCustomClusterClaims: claims?.maxCustomClusterClaims,
    reservedClusterClaimSuffixes: claims?.reservedClusterClaimSuffixes,
    kubeApiQps: registration.kubeAPIQPS,
    kubeApiBurst: registration.kubeAPIBurst,
    pod: podChoices(spec),
  }
  return Object.fromEntries(
    Object.entries(installation).filter(([, value]) => value !== undefined),
  ) as unknown as AgentInstallation
}
