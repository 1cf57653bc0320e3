import type { Container, PodSpec, PodTemplateSpec, Volume } from 'kubernetes-types/core/v1.d.ts'
import { containerErrors } from './container-checks.ts'
import type { FieldError } from './field-errors.ts'
import { duplicateValue, forbiddenField, invalidFor, invalidValue, notSupported, required } from './field-errors.ts'
import { checkLabels } from './label-selector.ts'
import { checkAnnotations } from './metadata.ts'
import { dnsLabelFlaws, dnsSubdomainFlaws } from './names.ts'

const restartPolicies = ['Always', 'OnFailure', 'Never']
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']

export function podSpecErrors(spec: PodSpec, field: string): FieldError[] {
  const { containers, initContainers = [], volumes = [], restartPolicy = '', dnsPolicy = '' } = spec
  const errors: FieldError[] = []
  const goodVolumes = new Set<string>()
  for (const [index, volume] of volumes.entries()) {
    const flaws = volumeErrors(volume, goodVolumes, `${field}.volumes[${index}]`)
    if (flaws.length === 0) goodVolumes.add(volume.name)
    errors.push(...flaws)
  }
  if (containers.length === 0) errors.push(required(`${field}.containers`))
  const names = new Set<string>()
  const each = (list: readonly Container[], path: string) => {
    for (const [index, container] of list.entries()) {
      errors.push(...containerErrors(container, goodVolumes, `${path}[${index}]`))
      if (names.has(container.name)) errors.push(duplicateValue(`${path}[${index}].name`, container.name))
      names.add(container.name)
    }
  }
  each(containers, `${field}.containers`)
  each(initContainers, `${field}.initContainers`)
  for (const [index, container] of initContainers.entries())
    errors.push(...initContainerErrors(container, `${field}.initContainers[${index}]`))
  if (!restartPolicies.includes(restartPolicy))
    errors.push(notSupported(`${field}.restartPolicy`, restartPolicy, restartPolicies))
  if (!dnsPolicies.includes(dnsPolicy)) errors.push(notSupported(`${field}.dnsPolicy`, dnsPolicy, dnsPolicies))
  errors.push(...checkLabels(spec.nodeSelector ?? {}, `${field}.nodeSelector`))
  errors.push(...referenceErrors(spec, field))
  return errors
}

const maxSeconds = 2 ** 31 - 1

function referenceErrors(spec: PodSpec, field: string): FieldError[] {
  const { activeDeadlineSeconds: deadline } = spec
  const named = (
    name: 'serviceAccountName' | 'nodeName' | 'priorityClassName' | 'hostname' | 'subdomain',
    flawsOf: (value: string) => string[],
  ) => {
    const value = spec[name]
    return value ? invalidFor(`${field}.${name}`, value, flawsOf(value)) : []
  }
  return [
    ...named('serviceAccountName', dnsSubdomainFlaws),
    ...named('nodeName', dnsSubdomainFlaws),
    ...(deadline !== undefined && (deadline < 1 || deadline > maxSeconds)
      ? [invalidValue(`${field}.activeDeadlineSeconds`, deadline, `must be between 1 and ${maxSeconds}, inclusive`)]
      : []),
    ...named('hostname', dnsLabelFlaws),
    ...named('subdomain', dnsLabelFlaws),
    ...named('priorityClassName', dnsSubdomainFlaws),
  ]
}

/** The first one in this order is what a volume is; all others are too many. */
const sourceOrder = [
  ...['emptyDir', 'hostPath', 'gitRepo', 'gcePersistentDisk', 'awsElasticBlockStore', 'secret', 'nfs', 'iscsi'],
  ...['glusterfs', 'flocker', 'persistentVolumeClaim', 'rbd', 'cinder', 'cephfs', 'quobyte', 'downwardAPI', 'fc'],
  ...['flexVolume', 'configMap', 'azureFile', 'vsphereVolume', 'photonPersistentDisk', 'portworxVolume', 'azureDisk'],
  ...['storageos', 'projected', 'scaleIO', 'csi', 'ephemeral', 'image'],
]

const placeOf = (source: string): number => sourceOrder.indexOf(source)

/** The real server's slips of the pen. */
const writtenAs: Readonly<Record<string, string>> = { cephfs: 'cephFS', downwardAPI: 'downwarAPI' }

function volumeErrors(volume: Volume, taken: ReadonlySet<string>, field: string): FieldError[] {
  const { name = '', ...sources } = volume
  const [first, ...more] = Object.keys(sources).toSorted((one, other) => placeOf(one) - placeOf(other))
  const errors =
    first === undefined ? [required(field, 'must specify a volume type')] : sourceErrors(volume, first, field)
  errors.push(
    ...more.map((source) =>
      forbiddenField(`${field}.${writtenAs[source] ?? source}`, 'may not specify more than 1 volume type'),
    ),
  )
  if (name === '') errors.push(required(`${field}.name`))
  else errors.push(...invalidFor(`${field}.name`, name, dnsLabelFlaws(name)))
  if (taken.has(name)) errors.push(duplicateValue(`${field}.name`, name))
  return errors
}

/** What a source cannot do without. */
const essential: Readonly<Record<string, string>> = {
  secret: 'secretName',
  configMap: 'name',
  hostPath: 'path',
  persistentVolumeClaim: 'claimName',
}

function sourceErrors(volume: Volume, source: string, field: string): FieldError[] {
  const wanted = essential[source]
  if (wanted === undefined) return []
  const value = (volume as unknown as Record<string, Record<string, unknown>>)[source]?.[wanted]
  return value ? [] : [required(`${field}.${source}.${wanted}`)]
}

function initContainerErrors(container: Container, field: string): FieldError[] {
  if (container.restartPolicy === 'Always') return []
  return (['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const)
    .filter((part) => container[part] !== undefined)
    .map((part) =>
      forbiddenField(`${field}.${part}`, 'may not be set for init containers without restartPolicy=Always'),
    )
}

/** What a workload makes pods from. */
export function templateErrors({ metadata = {}, spec }: PodTemplateSpec, field: string): FieldError[] {
  return [
    ...checkLabels(metadata.labels ?? {}, `${field}.labels`),
    ...checkAnnotations(metadata.annotations ?? {}, `${field}.annotations`),
    ...podSpecErrors(spec ?? { containers: [] }, `${field}.spec`),
    ...(spec?.ephemeralContainers?.length
      ? [forbiddenField(`${field}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template')]
      : []),
  ]
}
