import type { Container, ContainerStatus, Pod, PodSpec, PodStatus, Probe, Volume } from 'kubernetes-types/core/v1.d.ts'

/** What the API server fills in, in pods and in the templates of them. */
export function defaultPodSpec(spec: PodSpec): void {
  spec.containers ??= []
  spec.restartPolicy ||= 'Always'
  spec.dnsPolicy ||= 'ClusterFirst'
  spec.securityContext ??= {}
  spec.terminationGracePeriodSeconds ??= 30
  spec.schedulerName ||= 'default-scheduler'
  const account = spec.serviceAccountName || spec.serviceAccount
  if (account) Object.assign(spec, { serviceAccountName: account, serviceAccount: account })
  for (const volume of spec.volumes ?? []) defaultVolume(volume)
  for (const container of containersOf(spec)) defaultContainer(container)
}

/** Besides, in pods alone. */
export function defaultPod(pod: Pod): void {
  pod.spec ??= { containers: [] }
  const { spec } = pod
  defaultPodSpec(spec)
  spec.enableServiceLinks ??= true
  for (const { resources, ports } of containersOf(spec)) {
    if (resources?.limits) resources.requests = { ...resources.limits, ...resources.requests }
    if (spec.hostNetwork) for (const port of ports ?? []) port.hostPort ||= port.containerPort
  }
}

const containersOf = ({ containers, initContainers = [] }: PodSpec): Container[] => [...initContainers, ...containers]

function defaultContainer(container: Container): void {
  container.name ??= ''
  container.resources ??= {}
  container.terminationMessagePath ||= '/dev/termination-log'
  container.terminationMessagePolicy ||= 'File'
  container.imagePullPolicy ||= isLatest(container.image ?? '') ? 'Always' : 'IfNotPresent'
  for (const port of container.ports ?? []) port.protocol ||= 'TCP'
  for (const { valueFrom } of container.env ?? []) if (valueFrom?.fieldRef) valueFrom.fieldRef.apiVersion ||= 'v1'
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container
  for (const probe of [livenessProbe, readinessProbe, startupProbe]) if (probe) defaultProbe(probe)
  for (const handler of [lifecycle?.postStart, lifecycle?.preStop])
    if (handler?.httpGet) defaultHttpGet(handler.httpGet)
}

/** An image without tag and digest is the latest one. */
function isLatest(image: string): boolean {
  if (image.includes('@')) return false
  const tag = /:([^/:]*)$/.exec(image)?.[1]
  return tag === undefined || tag === 'latest'
}

function defaultProbe(probe: Probe): void {
  probe.timeoutSeconds ||= 1
  probe.periodSeconds ||= 10
  probe.successThreshold ||= 1
  probe.failureThreshold ||= 3
  if (probe.httpGet) defaultHttpGet(probe.httpGet)
  if (probe.grpc) probe.grpc.service ??= ''
}

function defaultHttpGet(action: NonNullable<Probe['httpGet']>): void {
  action.path ||= '/'
  action.scheme ||= 'HTTP'
}

const fileMode = 0o644

function defaultVolume(volume: Volume): void {
  if (Object.keys(volume).every((key) => key === 'name')) volume.emptyDir = {}
  if (volume.secret) volume.secret.defaultMode ??= fileMode
  if (volume.configMap) volume.configMap.defaultMode ??= fileMode
  if (volume.hostPath) volume.hostPath.type ??= ''
  const { downwardAPI, projected } = volume
  if (downwardAPI) downwardAPI.defaultMode ??= fileMode
  if (projected) projected.defaultMode ??= fileMode
  const downward = [downwardAPI, ...(projected?.sources ?? []).map((source) => source.downwardAPI)]
  for (const { fieldRef } of downward.flatMap((source) => source?.items ?? []))
    if (fieldRef) fieldRef.apiVersion ||= 'v1'
  for (const { serviceAccountToken } of projected?.sources ?? []) {
    if (serviceAccountToken) serviceAccountToken.expirationSeconds ??= 3600
  }
}

/** What kubelet's scheduler of memory goes by: how much of what a pod may take was asked for. */
export function qosClassOf(spec: PodSpec): NonNullable<PodStatus['qosClass']> {
  const resources = containersOf(spec).map((container) => container.resources ?? {})
  const counted = (list: Record<string, string> | undefined) =>
    Object.entries(list ?? {}).filter(
      ([name, amount]) => (name === 'cpu' || name === 'memory') && !/^0+\D*$/.test(amount),
    )
  if (resources.every(({ limits, requests }) => counted(limits).length + counted(requests).length === 0))
    return 'BestEffort'
  const isGuaranteed = resources.every(({ limits, requests }) => {
    const limited = counted(limits)
    return limited.length === 2 && limited.every(([name, amount]) => (requests?.[name] ?? amount) === amount)
  })
  return isGuaranteed ? 'Guaranteed' : 'Burstable'
}

/** What is always shown of a status, set or not. */
export function completePodStatus(status: PodStatus): void {
  for (const condition of status.conditions ?? []) {
    const times = condition as { lastProbeTime?: string | null; lastTransitionTime?: string | null }
    times.lastProbeTime ??= null
    times.lastTransitionTime ??= null
  }
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status
  for (const container of [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses]) {
    container.state = completeState(container.state)
    container.lastState = completeState(container.lastState)
    container.ready ??= false
    container.restartCount ??= 0
    container.image ??= ''
    container.imageID ??= ''
  }
  if (status.podIP && !status.podIPs) status.podIPs = [{ ip: status.podIP }]
  if (!status.podIP && status.podIPs?.[0]?.ip) status.podIP = status.podIPs[0].ip
}

type State = NonNullable<ContainerStatus['state']>

function completeState(state: State = {}): State {
  const { running, terminated } = state
  return {
    ...state,
    ...(running && { running: { ...unset('startedAt'), ...running } }),
    ...(terminated && {
      terminated: { ...unset('startedAt', 'finishedAt'), ...terminated, exitCode: terminated.exitCode ?? 0 },
    }),
  }
}

const unset = (...times: string[]) => Object.fromEntries(times.map((time) => [time, null]))
