import { goQuote } from '../go-quote.ts'
import { badRequest, notAcceptable } from '../status.ts'

/** How a client wants its answer. */
export interface Form {
  readonly as: 'object' | 'Table' | 'PartialObjectMetadata'
  readonly media: 'application/json' | 'application/yaml'
  readonly isPretty: boolean
  /** Of a Table: what each row carries besides its cells. */
  readonly includeObject: 'None' | 'Metadata' | 'Object'
}

interface Clause {
  media: string
  parameters: Record<string, string>
  quality: number
}

const json = new Set(['application/json', 'application/*', '*/*'])

/** The first thing a client accepts that is served here. Protobuf is not, so JSON is chosen where both are accepted. */
export function negotiate(accept: string | undefined, query: URLSearchParams, userAgent: string): Form {
  const isPretty = wantsPretty(query.get('pretty'), userAgent)
  for (const { media, parameters } of clausesOf(accept)) {
    const isYaml = media === 'application/yaml'
    const as = formOf(parameters)
    if ((json.has(media) || isYaml) && as)
      return {
        as,
        media: isYaml ? 'application/yaml' : 'application/json',
        isPretty: isPretty || parameters['pretty'] === '1',
        includeObject: as === 'Table' ? includedIn(query.get('includeObject') || 'Metadata') : 'Metadata',
      }
  }
  throw notAcceptable(
    'only the following media types are accepted: application/json, application/yaml; a client that asks for protobuf alone needs its JSON switch (--kube-api-content-type=application/json)',
  )
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
  if (g !== 'meta.k8s.io' || v !== 'v1') return undefined
  if (as === 'Table') return 'Table'
  return as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList' ? 'PartialObjectMetadata' : undefined
}

function clausesOf(accept: string | undefined): Clause[] {
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
