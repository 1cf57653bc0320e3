import { isDeepStrictEqual } from 'node:util'
import type { AuditConfig, AuditConfigSpec } from '../../apis/breakglass/audit-config.ts'
import type { AuditSink } from '../../apis/breakglass/audit-sink-fields.ts'
import { refProblem } from '../../fleet/field-problems.ts'
import type { Mistake } from '../../fleet/mistake.ts'
import { mistake } from '../../fleet/mistake.ts'
import type { NamedSecret } from '../../fleet/secret-rights.ts'
import { namespaceMistakes } from './check-namespaces.ts'

const blocks = ['log', 'webhook', 'kafka', 'kubernetes'] as const

/** What is wrong with an AuditConfig, as far as that can be said without asking anybody. */
export function auditMistakes({ spec }: AuditConfig): Mistake[] {
  if (!spec) return [mistake('spec.sinks', 'is required: say where events go')]
  return [
    ...spec.sinks.flatMap((sink, index) => sinkMistakes(`spec.sinks[${index}]`, sink)),
    ...repeatedNames(spec.sinks),
    ...auditSecrets(spec).flatMap(({ field, ref }) => {
      const problem = refProblem(ref)
      return problem === undefined ? [] : [mistake(field, problem, ref)]
    }),
    ...namespaceMistakes('spec.filtering.includeNamespaces', spec.filtering?.includeNamespaces),
    ...namespaceMistakes('spec.filtering.excludeNamespaces', spec.filtering?.excludeNamespaces),
    ...rateMistakes(spec),
  ]
}

/** What has no settings needs no block. */
function sinkMistakes(at: string, sink: AuditSink): Mistake[] {
  const others = blocks.filter((block) => block !== sink.type && sink[block] !== undefined)
  const mistakes = others.map((block) =>
    mistake(`${at}.${block}`, `is of another type than ${sink.type}; leave it out`),
  )
  if ((sink.type === 'webhook' || sink.type === 'kafka') && !sink[sink.type])
    mistakes.push(mistake(`${at}.${sink.type}`, `is required with type ${sink.type}`))
  for (const url of [sink.webhook?.url, sink.webhook?.batchUrl])
    if (url !== undefined && !URL.canParse(url)) mistakes.push(mistake(`${at}.webhook`, 'must have URLs', url))
  return mistakes
}

function repeatedNames(sinks: readonly AuditSink[]): Mistake[] {
  const names = sinks.map(({ name }) => name)
  return names.flatMap((name, index) =>
    names.indexOf(name) < index ? [mistake(`spec.sinks[${index}].name`, `is that of another sink: ${name}`)] : [],
  )
}

function rateMistakes({ sampling }: AuditConfigSpec): Mistake[] {
  const { rate = '1.0' } = sampling ?? {}
  const isPart = /^\d+(\.\d+)?$/.test(rate) && Number(rate) <= 1
  return isPart ? [] : [mistake('spec.sampling.rate', 'must be a number from 0.0 to 1.0', rate)]
}

/** Every Secret that it names. */
export const auditSecrets = ({ sinks }: AuditConfigSpec): NamedSecret[] => sinks.flatMap(secretsOf)

function secretsOf({ webhook, kafka }: AuditSink, index: number): NamedSecret[] {
  const named = {
    'webhook.authSecretRef': webhook?.authSecretRef,
    'webhook.tls.caSecretRef': webhook?.tls?.caSecretRef,
    'kafka.tls.caSecretRef': kafka?.tls?.caSecretRef,
    'kafka.tls.clientCertSecretRef': kafka?.tls?.clientCertSecretRef,
    'kafka.sasl.credentialsSecretRef': kafka?.sasl?.credentialsSecretRef,
  }
  return Object.entries(named).flatMap(([path, ref]) => (ref ? [{ field: `spec.sinks[${index}].${path}`, ref }] : []))
}

/** What they hold is sent where the same sink says: so all of a sink's count as soon as anything in it changes. */
export const auditSecretsPutToUse = (spec: AuditConfigSpec, old: AuditConfigSpec | undefined): NamedSecret[] =>
  spec.sinks.flatMap((sink, index) =>
    old?.sinks.some((before) => isDeepStrictEqual(before, sink)) ? [] : secretsOf(sink, index),
  )

/** Sinks that are taken and get nothing. */
export const unservedSinks = ({ sinks }: AuditConfigSpec): string[] =>
  sinks.filter(({ type }) => type === 'kafka').map(({ name }) => name)

/** Settings that are taken for the sake of existing objects and change nothing. What is as by default is not told. */
export function idleSettings({ queue, sinks }: AuditConfigSpec): string[] {
  const idle: string[] = []
  if (queue?.workers !== undefined && queue.workers !== 5)
    idle.push('spec.queue.workers: has no effect, as each sink gets its events in order, one batch at a time')
  if (queue?.dropOnFull === false)
    idle.push('spec.queue.dropOnFull: has no effect; when the queue is full events are let go, counted and told of')
  for (const [index, { log }] of sinks.entries()) {
    const at = `spec.sinks[${index}].log`
    if (log?.format === 'console') idle.push(`${at}.format: has no effect, as only JSON lines can be proven`)
    if (log?.level !== undefined && log.level !== 'info')
      idle.push(`${at}.level: has no effect; minSeverity says which events get there`)
  }
  return idle
}

export const auditWarnings = (spec: AuditConfigSpec): string[] => [...sinkWarnings(spec), ...idleSettings(spec)]

const sinkWarnings = ({ sinks }: AuditConfigSpec): string[] =>
  sinks.flatMap(({ type, webhook, kafka }, index) => {
    const at = `spec.sinks[${index}]`
    const warnings: string[] = []
    if (type === 'kafka') warnings.push(`${at}: Lanyard does not send to Kafka; nothing gets there`)
    if (webhook?.url.startsWith('http://') && webhook.authSecretRef)
      warnings.push(`${at}.webhook.url: is not https, so the credentials are sent in the clear`)
    if (webhook?.tls?.insecureSkipVerify || kafka?.tls?.insecureSkipVerify)
      warnings.push(`${at}: takes whatever certificate it is shown; give caSecretRef instead`)
    return warnings
  })
