import { goQuote } from '../go-quote.ts'
import { ApiFailure, badRequest, notAcceptable } from '../status.ts'

/** How a client wants its answer. */
export interface Form {
  readonly as: 'object' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList'
  /** Of Table and PartialObjectMetadata. */
  readonly metaVersion: 'v1' | 'v1beta1'
  readonly media: 'application/json' | 'application/yaml'
  readonly isPretty: boolean
  /** Of a Table: what each row carries besides its cells. */
  readonly includeObject: 'None' | 'Metadata' | 'Object'
}

export interface Clause {
  media: string
  parameters: Record<string, string>
  quality: number
}

const json = new Set(['application/json', 'application/*', '*/*'])

/** The first thing a client accepts that is served here. Protobuf is not, so JSON is chosen where both are accepted. */
export function negotiate(
  accept: string | undefined,
  query: URLSearchParams,
  userAgent: string,
  isTabled = true,
): Form {
  for (const clause of clausesOf(accept)) {
    const as = formOf(clause.parameters)
    if (as === 'Table' && !isTabled) continue
    const form = as && formFor(clause, as, query, userAgent)
    if (form) return form
  }
  const hint = accept?.includes(protobuf) ? `; ${jsonSwitch}` : ''
  throw notAcceptable(`only the following media types are accepted: application/json, application/yaml${hint}`)
}

const protobuf = 'application/vnd.kubernetes.protobuf'
const jsonSwitch =
  'a client that asks for protobuf alone needs its JSON switch (--kube-api-content-type=application/json)'

const routed = ['*/*', 'application/json', 'application/yaml', protobuf]
const streamed = ['application/json;stream=watch', `${protobuf};stream=watch`]

/** Where no media type of a client leads anywhere, the real server's router refuses in words of its own. */
export function checkRoute(accept: string | undefined, isList: boolean): void {
  const wanted = (accept?.trim() || '*/*').split(',').map((text) => text.split(';q=')[0]?.trim() ?? '')
  const known = isList ? [...routed, ...streamed] : routed
  if (wanted.some((media) => known.includes(media) || known.includes(media.split(';')[0] ?? ''))) return
  const shown = known.filter((media) => media !== '*/*' && !media.startsWith(protobuf))
  const message = `406: Not Acceptable\n\nAvailable representations: ${shown.join(', ')}`
  throw new ApiFailure(406, 'NotAcceptable', message, {})
}

/** Undefined for a media type that is not served. */
export function formFor(
  { media, parameters }: Clause,
  as: Form['as'],
  query: URLSearchParams,
  userAgent: string,
): Form | undefined {
  const isYaml = media === 'application/yaml'
  if (!json.has(media) && !isYaml) return undefined
  return {
    as,
    metaVersion: parameters['v'] === 'v1beta1' ? 'v1beta1' : 'v1',
    media: isYaml ? 'application/yaml' : 'application/json',
    isPretty: wantsPretty(query.get('pretty'), userAgent) || parameters['pretty'] === '1',
    includeObject: as === 'Table' ? includedIn(query.get('includeObject') || 'Metadata') : 'Metadata',
  }
}

const isIncludable = (asked: string): asked is Form['includeObject'] => ['None', 'Metadata', 'Object'].includes(asked)

function includedIn(asked: string): Form['includeObject'] {
  if (isIncludable(asked)) return asked
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${goQuote(asked)}: must be 'Metadata', 'Object', 'None', or empty`,
  )
}

function formOf({ as, g, v }: Record<string, string>): Form['as'] | undefined {
  if (as === undefined) return 'object'
  if (g !== 'meta.k8s.io' || (v !== 'v1' && v !== 'v1beta1')) return undefined
  return transformed.find((form) => form === as)
}

const transformed = ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'] as const

/** What a client accepts, what it likes best first. */
export function clausesOf(accept: string | undefined): Clause[] {
  if (accept === undefined || accept.trim() === '') return [{ media: '*/*', parameters: {}, quality: 1 }]
  const clauses = accept.split(',').map((text): Clause => {
    const [media = '', ...rest] = text.split(';').map((part) => part.trim())
    const parameters = Object.fromEntries(rest.map((part) => part.split('=').map((side) => side.trim())))
    return {
      media: media.toLowerCase(),
      parameters,
      quality: parameters.q === undefined ? 1 : Number(parameters.q) || 0,
    }
  })
  return clauses.sort((one, other) => other.quality - one.quality)
}

/** People who call with curl or a browser are given what they can read, as the real server does. */
const readers = /^(curl|Wget|Mozilla\/5\.0)/

const yes = new Set(['1', 't', 'T', 'true', 'True', 'TRUE'])

function wantsPretty(asked: string | null, userAgent: string): boolean {
  if (asked !== null && asked !== '') return yes.has(asked)
  return readers.test(userAgent)
}
