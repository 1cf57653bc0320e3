import type { Container, EphemeralContainer, Pod, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import type { PodSecurityRules } from '../../apis/breakglass/pod-security-fields.ts'

/** What makes a pod a risk: `hostPID`, `runAsRoot:web`, `capability:NET_ADMIN:web`, `hostPathWritable:logs`. */
export type Factor = string
type Weights = PodSecurityRules['riskFactors']

/** `capabilities`: those that somebody asks about, so that they are found in a container that has all of them. */
export function factorsOf(pod: Pod, capabilities: Iterable<string>): Factor[] {
  const spec = pod.spec ?? { containers: [] }
  const containers = containersOf(spec)
  const asked = new Set([...capabilities].map(capabilityName))
  return [
    ...(spec.hostNetwork ? ['hostNetwork'] : []),
    ...(spec.hostPID ? ['hostPID'] : []),
    ...(spec.hostIPC ? ['hostIPC'] : []),
    ...containers.filter(({ securityContext }) => securityContext?.privileged).map(named('privilegedContainer')),
    ...containers.filter((container) => mayBeRoot(container, pod)).map(named('runAsRoot')),
    ...containers.flatMap((container) => capabilitiesOf(container, asked)),
    ...(spec.volumes ?? [])
      .filter(({ hostPath }) => hostPath)
      .map(({ name }) => `${isOnlyRead(name, containers) ? 'hostPathReadOnly' : 'hostPathWritable'}:${name}`),
  ]
}

/** What is of the pod counts once, capabilities once a container, volumes each. */
export function scoreOf(factors: readonly Factor[], weights: Weights): number {
  const counted = factors.map((factor) => {
    const [kind = '', name = ''] = factor.split(':')
    if (kind === 'capability') return { once: factor, weight: capabilityWeights(weights).get(name) ?? 0 }
    const weight = weights[kind as Exclude<keyof Weights, 'capabilities'>] ?? 0
    return { once: kind.startsWith('hostPath') ? factor : kind, weight }
  })
  const once = new Map(counted.map(({ once, weight }) => [once, weight]))
  return [...once.values()].reduce((sum, weight) => sum + weight, 0)
}

/** A factor that is named whole, or by how it begins: `capability`, `capability:NET_ADMIN`. */
export function isNamedBy(factor: Factor, names: readonly string[]): boolean {
  return names.some((name) => factor === name || factor.startsWith(`${name}:`))
}

/** As people write them: `CAP_NET_ADMIN` and `net_admin` are `NET_ADMIN`. */
export const capabilityName = (name: string): string => name.toUpperCase().replace(/^CAP_/, '')

export function factorName(name: string): string {
  const [kind, capability, ...rest] = name.split(':')
  return kind === 'capability' && capability !== undefined
    ? [kind, capabilityName(capability), ...rest].join(':')
    : name
}

const capabilityWeights = ({ capabilities = {} }: Weights): Map<string, number> =>
  new Map(Object.entries(capabilities).map(([name, weight]) => [capabilityName(name), weight]))

type AnyContainer = Container | EphemeralContainer

const containersOf = (spec: PodSpec): AnyContainer[] => [
  ...(spec.containers ?? []),
  ...(spec.initContainers ?? []),
  ...(spec.ephemeralContainers ?? []),
]

const named =
  (kind: string) =>
  ({ name }: AnyContainer): Factor =>
    `${kind}:${name}`

/** Unless something says otherwise, an image decides, and most of them run as root. */
function mayBeRoot({ name, securityContext }: AnyContainer, { spec, status }: Pod): boolean {
  if (spec?.os?.name === 'windows') return false
  const user = securityContext?.runAsUser ?? spec?.securityContext?.runAsUser ?? observedUser(name, status)
  if (user !== undefined) return user === 0
  return (securityContext?.runAsNonRoot ?? spec?.securityContext?.runAsNonRoot) !== true
}

/** Newer nodes tell which user a container really runs as. */
function observedUser(name: string, status: Pod['status']): number | undefined {
  const statuses = [status?.containerStatuses, status?.initContainerStatuses, status?.ephemeralContainerStatuses]
  const found = statuses.flatMap((list) => list ?? []).find((container) => container.name === name)
  return (found as { user?: { linux?: { uid?: number } } } | undefined)?.user?.linux?.uid
}

/** `ALL` is each of them that is asked about, but for those dropped by name. */
function capabilitiesOf({ name, securityContext }: AnyContainer, asked: ReadonlySet<string>): Factor[] {
  const added = new Set((securityContext?.capabilities?.add ?? []).map(capabilityName))
  const dropped = new Set((securityContext?.capabilities?.drop ?? []).map(capabilityName))
  const expanded = added.has('ALL') ? [...asked].filter((capability) => !dropped.has(capability)) : []
  return [...new Set([...added, ...expanded])].map((capability) => `capability:${capability}:${name}`)
}

/** One that nobody mounts could be mounted by the next ephemeral container. */
function isOnlyRead(volume: string, containers: readonly AnyContainer[]): boolean {
  const mounts = containers.flatMap(({ volumeMounts }) => volumeMounts ?? []).filter(({ name }) => name === volume)
  return mounts.length > 0 && mounts.every(({ readOnly }) => readOnly === true)
}
