import type { RequestRecord } from '../audit/record.ts'
import { decodeTyped } from '../kinds/decode/decode-typed.ts'
import type { ParsedBody } from '../kinds/decode/parse-body.ts'
import { contentTypeOf, parseBody } from '../kinds/decode/parse-body.ts'
import { Undecodable } from '../kinds/decode/unfit.ts'
import { Unrecognized } from '../kinds/decode/unrecognized.ts'
import { schemaOf } from '../kinds/facts/schemas.ts'
import { badRequest } from '../status.ts'
import type { Sent } from './decode.ts'
import type { DeleteOptions } from './delete.ts'
import { checkDeleteOptions } from './delete.ts'
import { booleanIn, integerIn } from './query.ts'

/** A request as the layers below the server see it. */
export interface ApiRequest {
  readonly method: string
  /** Path and query, as they were sent. */
  readonly uri: string
  /** Decoded, without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Names and values by turns, as they were sent. */
  readonly rawHeaders: readonly string[]
  /** At most the size that the server takes; throws 413 for more. */
  readBody(): Promise<Buffer>
  /** For the audit log, where there is one. */
  readonly audit?: RequestRecord | undefined
}

export const headerOf = ({ headers }: Pick<ApiRequest, 'headers'>, name: string): string | undefined => {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** What a path is for. */
export interface ExpectedBody {
  readonly kind: string
  readonly apiVersion: string
  readonly custom?: boolean
}

/** The object in the body. */
export async function readSent(request: ApiRequest, { kind, apiVersion, custom }: ExpectedBody): Promise<Sent> {
  const media = contentTypeOf(headerOf(request, 'content-type'), custom)
  const bytes = await request.readBody()
  return { ...parseBody(bytes, media, kind, apiVersion), bytes }
}

/** From the body, where there is one, else from the query. */
export async function readDeleteOptions(request: ApiRequest): Promise<DeleteOptions> {
  const body = await request.readBody()
  const options = body.length > 0 ? fromBody(body, headerOf(request, 'content-type')) : fromQuery(request.query)
  if (body.length > 0) request.audit?.sentOptions(options)
  checkDeleteOptions(options)
  return options
}

function fromBody(body: Buffer, contentType: string | undefined): DeleteOptions {
  const { value } = parseOptions(body, contentTypeOf(contentType))
  const { kind = 'DeleteOptions', apiVersion = 'v1' } = value
  if (kind !== 'DeleteOptions')
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    )
  try {
    const { object } = decodeTyped(schemaOf('v1', 'DeleteOptions'), value, 'DeleteOptions')
    const { kind: _, apiVersion: __, metadata: ___, ...options } = object
    return options as DeleteOptions
  } catch (error) {
    throw error instanceof Undecodable ? badRequest(error.why) : error
  }
}

/** Options are read without the words that go around what is wrong with an object. */
function parseOptions(body: Buffer, mediaType: string): ParsedBody {
  try {
    return parseBody(body, mediaType, 'DeleteOptions')
  } catch (error) {
    throw error instanceof Unrecognized ? badRequest(error.why) : error
  }
}

function fromQuery(query: URLSearchParams): DeleteOptions {
  const gracePeriodSeconds = integerIn(query, 'gracePeriodSeconds')
  const propagationPolicy = query.get('propagationPolicy')
  const orphanDependents = booleanIn(query, 'orphanDependents')
  const dryRun = query.getAll('dryRun')
  return {
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(propagationPolicy !== null && { propagationPolicy }),
    ...(orphanDependents !== undefined && { orphanDependents }),
    ...(dryRun.length > 0 && { dryRun }),
  }
}
