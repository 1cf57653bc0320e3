import type { ClusterFacts } from '../cluster.ts'
import { failures } from '../failures.ts'
import type { Registries, RegistryEntry } from '../registries/entry.ts'
import type { GenerateRequest } from '../service.ts'
import type { PullSettings } from '../settings.ts'

/** A field of a request as the API names it, and what is wrong with it. */
export interface FieldError {
  field: 'cluster_id' | 'cloud_provider' | 'region' | 'external_resource_id' | 'registries' | 'reason'
  value?: string
  constraint: 'required' | 'pattern' | 'enum' | 'length'
  message: string
}

/** PULL_INPUT; its `errors` say which fields. */
export const wrongInput = (errors: readonly FieldError[]) =>
  failures.PULL_INPUT({
    count: errors.length,
    fields: errors.map(({ field, message }) => `${field} ${message}`).join('; '),
    ...{ errors },
  })

const longest = 255
const clusterIdPattern = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it looks for
const hasControls = /[\u0000-\u001f\u007f]/
const standardProviders = ['gcp', 'aws', 'azure']

const shown = (value: string): string => (value.length > 100 ? `${value.slice(0, 100)}…` : value)

/** It is put into paths: nothing that could lead elsewhere. */
export const clusterIdErrors = (id: string): FieldError[] =>
  clusterIdPattern.test(id)
    ? []
    : [
        {
          field: 'cluster_id',
          value: shown(id),
          constraint: 'pattern',
          message: 'must be letters, digits, dots, dashes and underscores, with a letter or digit at both ends',
        },
      ]

export function checkClusterId(id: string): void {
  const errors = clusterIdErrors(id)
  if (errors.length > 0) throw wrongInput(errors)
}

/** Why somebody suspends or resumes: for the audit log. */
export function checkReason(reason: string): void {
  if (reason.length >= 1 && reason.length <= 1024) return
  throw wrongInput([{ field: 'reason', constraint: 'length', message: 'must have 1 to 1024 characters' }])
}

function textErrors(field: FieldError['field'], value: string | undefined): FieldError[] {
  if (!value) return [{ field, constraint: 'required', message: 'is missing' }]
  if (value.length > longest || hasControls.test(value))
    return [
      { field, value: shown(value), constraint: 'length', message: `must be at most ${longest} printable characters` },
    ]
  return []
}

export function providerErrors(provider: string | undefined, { extraProviders }: PullSettings): FieldError[] {
  const wrong = textErrors('cloud_provider', provider)
  if (wrong.length > 0 || provider === undefined) return wrong
  const known = [...standardProviders, ...extraProviders]
  if (known.some((one) => one.toLowerCase() === provider.toLowerCase())) return []
  const message = `must be one of ${known.join(', ')}`
  return [{ field: 'cloud_provider', value: shown(provider), constraint: 'enum', message }]
}

export const regionErrors = (region: string | undefined): FieldError[] => textErrors('region', region)

export const registryErrors = (registries: Registries, ids: readonly string[] | undefined): FieldError[] => {
  if (ids?.length === 0) return [{ field: 'registries', constraint: 'required', message: 'must name at least one' }]
  return (ids ?? [])
    .filter((id) => !registries.find(id))
    .map((id) => ({
      field: 'registries',
      value: shown(id),
      constraint: 'enum',
      message: `must be of ${registries.entries.map((entry) => entry.id).join(', ')}`,
    }))
}

/** All that is wrong at once, so that nobody has to ask a field at a time. */
export const generateErrors = (
  { cluster, registries: ids }: GenerateRequest,
  { settings, registries }: { settings: PullSettings; registries: Registries },
): FieldError[] => [
  ...clusterIdErrors(cluster.id),
  ...providerErrors(cluster.cloudProvider, settings),
  ...regionErrors(cluster.region),
  ...(cluster.externalResourceId ? textErrors('external_resource_id', cluster.externalResourceId) : []),
  ...registryErrors(registries, ids),
]

export interface CheckedRequest {
  cluster: ClusterFacts
  /** Those whose credentials are wanted, in the order of the configuration. */
  sources: readonly RegistryEntry[]
}

/** Throws PULL_INPUT. An alias stands for its source, and brings its siblings along. */
export function checkedRequest(
  request: GenerateRequest,
  deps: { settings: PullSettings; registries: Registries },
): CheckedRequest {
  const errors = generateErrors(request, deps)
  if (errors.length > 0) throw wrongInput(errors)
  const { externalResourceId, ...facts } = request.cluster
  const cluster = { ...facts, ...(externalResourceId && { externalResourceId }) }
  const { sources } = deps.registries
  if (!request.registries) return { cluster, sources }
  const wanted = new Set(
    request.registries.map((id) => {
      const entry = deps.registries.find(id)
      return entry?.credentialSource ?? entry?.id
    }),
  )
  return { cluster, sources: sources.filter(({ id }) => wanted.has(id)) }
}
