import type { Container, PodSpec, ServiceAccount } from 'kubernetes-types/core/v1.d.ts'
import { goQuote } from '../go-quote.ts'

type EnvironmentUse = { secret: string; by: string }

function environmentUses({ env = [], envFrom = [] }: Container): EnvironmentUse[] {
  return [
    ...env.flatMap(({ name, valueFrom }) =>
      valueFrom?.secretKeyRef ? [{ secret: valueFrom.secretKeyRef.name ?? '', by: `envVar ${name}` }] : [],
    ),
    ...envFrom.flatMap(({ secretRef }) => (secretRef ? [{ secret: secretRef.name ?? '', by: 'envFrom' }] : [])),
  ]
}

/** Whether a pod names any secret, wherever it may. */
export const hasSecrets = ({
  volumes = [],
  initContainers = [],
  containers,
  imagePullSecrets = [],
}: PodSpec): boolean =>
  imagePullSecrets.length > 0 ||
  volumes.some(({ secret, projected }) => secret || projected?.sources?.some((source) => source.secret)) ||
  [...initContainers, ...containers].some((container) => environmentUses(container).length > 0)

/** For accounts that list the secrets their pods may use: the first one that is not on the list. */
export function whySecretsNotAllowed(spec: PodSpec, account: ServiceAccount): string | undefined {
  const mountable = new Set(account.secrets?.map(({ name }) => name))
  const pullable = new Set(account.imagePullSecrets?.map(({ name }) => name))
  const unless = `is not allowed because service account ${account.metadata?.name} does not reference that`
  const named = (secret: string) => `secret.secretName=${goQuote(secret)} ${unless} secret`

  for (const { secret } of spec.volumes ?? [])
    if (secret?.secretName && !mountable.has(secret.secretName)) return `volume with ${named(secret.secretName)}`
  const containers = [
    ...(spec.initContainers ?? []).map((container) => ['init container', container] as const),
    ...spec.containers.map((container) => ['container', container] as const),
  ]
  for (const [what, container] of containers)
    for (const { secret, by } of environmentUses(container))
      if (!mountable.has(secret)) return `${what} ${container.name} with ${by} referencing ${named(secret)}`
  for (const [at, { name = '' }] of (spec.imagePullSecrets ?? []).entries())
    if (!pullable.has(name)) return `imagePullSecrets[${at}].name=${goQuote(name)} ${unless} imagePullSecret`
  return undefined
}
