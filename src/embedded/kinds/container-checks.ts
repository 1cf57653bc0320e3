import type { Container, EnvVar, Probe } from 'kubernetes-types/core/v1.d.ts'
import type { FieldError } from './field-errors.ts'
import {
  duplicateValue,
  forbiddenField,
  invalidFor,
  invalidValue,
  mustNotBeNegative,
  notFoundValue,
  notSupported,
  required,
} from './field-errors.ts'
import { configKeyFlaws, dnsLabelFlaws, portFlaws, portNameFlaws } from './names.ts'

export const protocols = ['SCTP', 'TCP', 'UDP']
const pullPolicies = ['Always', 'IfNotPresent', 'Never']
const messagePolicies = ['File', 'FallbackToLogsOnError']

/** `volumes` are the names of those that the pod has. */
export function containerErrors(container: Container, volumes: ReadonlySet<string>, field: string): FieldError[] {
  const { name = '', image = '', terminationMessagePolicy = '', imagePullPolicy = '', volumeMounts = [] } = container
  const errors: FieldError[] = []
  if (name === '') errors.push(required(`${field}.name`))
  else errors.push(...invalidFor(`${field}.name`, name, dnsLabelFlaws(name)))
  if (image === '') errors.push(required(`${field}.image`))
  if (!messagePolicies.includes(terminationMessagePolicy))
    errors.push(notSupported(`${field}.terminationMessagePolicy`, terminationMessagePolicy, messagePolicies))
  errors.push(...portErrors(container.ports ?? [], `${field}.ports`))
  for (const [index, variable] of (container.env ?? []).entries())
    errors.push(...variableErrors(variable, `${field}.env[${index}]`))
  errors.push(...mountErrors(volumeMounts, volumes, `${field}.volumeMounts`))
  if (!pullPolicies.includes(imagePullPolicy))
    errors.push(notSupported(`${field}.imagePullPolicy`, imagePullPolicy, pullPolicies))
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
    const probe = container[name]
    if (probe) errors.push(...probeErrors(probe, `${field}.${name}`))
  }
  return errors
}

function portErrors(ports: NonNullable<Container['ports']>, field: string): FieldError[] {
  const errors: FieldError[] = []
  const names = new Set<string>()
  for (const [index, { name = '', containerPort = 0, hostPort = 0, protocol = '' }] of ports.entries()) {
    const path = `${field}[${index}]`
    const nameFlaws = name === '' ? [] : portNameFlaws(name)
    errors.push(...invalidFor(`${path}.name`, name, nameFlaws))
    if (name !== '' && nameFlaws.length === 0 && names.has(name)) errors.push(duplicateValue(`${path}.name`, name))
    names.add(name)
    if (containerPort === 0) errors.push(required(`${path}.containerPort`))
    else errors.push(...invalidFor(`${path}.containerPort`, containerPort, portFlaws(containerPort)))
    if (hostPort !== 0) errors.push(...invalidFor(`${path}.hostPort`, hostPort, portFlaws(hostPort)))
    if (!protocols.includes(protocol)) errors.push(notSupported(`${path}.protocol`, protocol, protocols))
  }
  return errors
}

function variableErrors({ name = '', value = '', valueFrom }: EnvVar, field: string): FieldError[] {
  const errors: FieldError[] = []
  if (name === '') errors.push(required(`${field}.name`))
  else if (!/^[\x20-\x3c\x3e-\x7e]+$/.test(name)) {
    const why = "a valid environment variable name must consist only of printable ASCII characters other than '='"
    errors.push(invalidValue(`${field}.name`, name, why))
  }
  if (!valueFrom) return errors
  const path = `${field}.valueFrom`
  for (const source of ['configMapKeyRef', 'secretKeyRef'] as const) {
    const reference = valueFrom[source]
    if (!reference) continue
    if (!reference.name) errors.push(required(`${path}.${source}.name`))
    if (!reference.key) errors.push(required(`${path}.${source}.key`))
    else errors.push(...invalidFor(`${path}.${source}.key`, reference.key, configKeyFlaws(reference.key)))
  }
  if (valueFrom.fieldRef && !valueFrom.fieldRef.fieldPath) errors.push(required(`${path}.fieldRef.fieldPath`))
  const sources = Object.keys(valueFrom).length
  if (sources === 0)
    errors.push(
      invalidValue(
        path,
        '',
        'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
      ),
    )
  else if (value !== '') errors.push(invalidValue(path, '', 'may not be specified when `value` is not empty'))
  else if (sources > 1) errors.push(invalidValue(path, '', 'may not have more than one field specified at a time'))
  return errors
}

function mountErrors(
  mounts: NonNullable<Container['volumeMounts']>,
  volumes: ReadonlySet<string>,
  field: string,
): FieldError[] {
  const errors: FieldError[] = []
  const paths = new Set<string>()
  for (const [index, { name = '', mountPath = '' }] of mounts.entries()) {
    const path = `${field}[${index}]`
    if (name === '') errors.push(required(`${path}.name`))
    if (!volumes.has(name)) errors.push(notFoundValue(`${path}.name`, name))
    if (mountPath === '') errors.push(required(`${path}.mountPath`))
    if (paths.has(mountPath)) errors.push(invalidValue(`${path}.mountPath`, mountPath, 'must be unique'))
    paths.add(mountPath)
  }
  return errors
}

function probeErrors(probe: Probe, field: string): FieldError[] {
  const handlers = (['exec', 'httpGet', 'tcpSocket', 'grpc'] as const).filter((name) => probe[name] !== undefined)
  const errors = handlers
    .slice(1)
    .map((name) => forbiddenField(`${field}.${name}`, 'may not specify more than 1 handler type'))
  if (handlers.length === 0) errors.push(required(field, 'must specify a handler type'))
  for (const name of [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ] as const)
    errors.push(...mustNotBeNegative(`${field}.${name}`, probe[name]))
  return errors
}
