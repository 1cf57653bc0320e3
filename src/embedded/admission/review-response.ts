import { isObject } from '../../core/schema/schema.ts'
import { goQuote } from '../go-quote.ts'
import { illegalBase64At } from '../kinds/decode/base64.ts'
import { jsonTypeOf } from '../kinds/decode/go-types.ts'
import type { StatusDetails } from '../status.ts'
import { ApiFailure } from '../status.ts'
import { reviewGroup } from './review.ts'
import type { WebhookType } from './webhooks.ts'

/** What a webhook said. */
export interface Verdict {
  readonly allowed: boolean
  readonly status: RefusalStatus
  readonly warnings: readonly string[]
  /** A JSON patch as text. Empty: nothing is to be changed. */
  readonly patch: string
  readonly patchType: string
}

interface RefusalStatus {
  code?: number
  reason?: string
  message?: string
  details?: StatusDetails
}

interface Expected {
  readonly uid: string
  readonly reviewVersion: string
  readonly type: WebhookType
}

/** The verdict in an AdmissionReview. Throws an Error that says, as the real server does, why it is none. */
export function readVerdict(review: Record<string, unknown>, expected: Expected): Verdict {
  const { apiVersion = '', kind = '' } = review as { apiVersion?: string; kind?: string }
  checkReviewType(`${apiVersion ?? ''}`, `${kind ?? ''}`, expected)
  const { response } = review
  const fields = decodeResponse(response)
  if (fields === undefined) throw new Error('received invalid webhook response: webhook response was absent')
  // In v1beta1 a response need not say what it answers, nor what type its patch is of.
  const flaw = expected.reviewVersion === 'v1' ? flawOf(fields, `${apiVersion}`, `${kind}`, expected) : undefined
  if (flaw) throw new Error(`received invalid webhook response: ${flaw}`)
  const { allowed = false, status, warnings = [], patch = '', patchType } = fields
  return {
    allowed,
    status: status ?? {},
    warnings,
    patch: Buffer.from(patch, 'base64').toString(),
    patchType: patchType ?? 'JSONPatch',
  }
}

/** None at all is decoded all the same, and held against it later. */
function checkReviewType(apiVersion: string, kind: string, { reviewVersion }: Expected): void {
  if (apiVersion === '' && kind === '') return
  const [group, version] = [apiVersion.slice(0, apiVersion.lastIndexOf('/')), apiVersion.split('/').at(-1)]
  if (kind !== 'AdmissionReview' || group !== reviewGroup || (version !== 'v1' && version !== 'v1beta1'))
    throw new Error(
      `failed to call webhook: no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    )
  if (version !== reviewVersion)
    throw new Error(
      `failed to call webhook: converting (${version}.AdmissionReview) to (${reviewVersion}.AdmissionReview): unknown conversion`,
    )
}

interface ResponseFields {
  uid?: string
  allowed?: boolean
  status?: RefusalStatus
  patch?: string
  patchType?: string
  warnings?: string[]
}

const fieldTypes: Readonly<Record<string, readonly [type: string, words: string]>> = {
  uid: ['string', 'types.UID'],
  allowed: ['bool', 'bool'],
  status: ['object', 'v1.Status'],
  patch: ['string', '[]uint8'],
  patchType: ['string', 'v1.PatchType'],
  warnings: ['array', '[]string'],
}

const statusTypes: Readonly<Record<string, string>> = {
  code: 'number',
  reason: 'string',
  message: 'string',
  details: 'object',
}
const statusWords: Readonly<Record<string, string>> = {
  code: 'int32',
  reason: 'v1.StatusReason',
  message: 'string',
  details: 'v1.StatusDetails',
}

function decodeResponse(response: unknown): ResponseFields | undefined {
  if (response === undefined || response === null) return undefined
  if (!isObject(response)) throw mismatch(response, 'AdmissionReview.response', 'v1.AdmissionResponse')
  const fields: Record<string, unknown> = {}
  for (const [name, [type, words]] of Object.entries(fieldTypes)) {
    const value = response[name]
    if (value === undefined || value === null) continue
    if (jsonTypeOf(value) !== type) throw mismatch(value, `AdmissionResponse.response.${name}`, words)
    fields[name] = value
  }
  const { patch, warnings = [], status = {} } = fields as ResponseFields
  const illegalAt = patch === undefined ? undefined : illegalBase64At(patch)
  if (illegalAt !== undefined) throw new Error(`failed to call webhook: illegal base64 data at input byte ${illegalAt}`)
  for (const warning of warnings)
    if (typeof warning !== 'string') throw mismatch(warning, 'AdmissionResponse.response.warnings', 'string')
  for (const [name, value] of Object.entries(status))
    if (name in statusTypes && jsonTypeOf(value) !== statusTypes[name])
      throw mismatch(value, `Status.response.status.${name}`, statusWords[name] ?? '')
  return fields
}

const mismatch = (value: unknown, field: string, type: string): Error =>
  new Error(
    `failed to call webhook: json: cannot unmarshal ${jsonTypeOf(value)} into Go struct field ${field} of type ${type}`,
  )

function flawOf(fields: ResponseFields, apiVersion: string, kind: string, expected: Expected): string | undefined {
  const { uid = '' } = fields
  if (uid !== expected.uid) return `expected response.uid=${goQuote(expected.uid)}, got ${goQuote(uid)}`
  if (kind !== 'AdmissionReview')
    return `expected webhook response of ${reviewGroup}/v1, Kind=AdmissionReview, got ${apiVersion || '/'}, Kind=${kind}`
  return expected.type === 'mutating' ? flawOfPatch(fields) : flawOfValidation(fields)
}

function flawOfPatch({ patch = '', patchType }: ResponseFields): string | undefined {
  if (patch !== '' && patchType === undefined) return 'webhook returned response.patch but not response.patchType'
  if (patch === '' && patchType !== undefined) return 'webhook returned response.patchType but not response.patch'
  return patchType === '' ? 'webhook returned invalid response.patchType of ""' : undefined
}

function flawOfValidation({ patch = '', patchType }: ResponseFields): string | undefined {
  if (patch !== '') return 'validating webhook may not return response.patch'
  return patchType === undefined ? undefined : 'validating webhook may not return response.patchType'
}

const isRefusal = (code: number): boolean => Number.isInteger(code) && code >= 400 && code <= 599

/** The "no" of a webhook, with as much of it as the webhook said. */
export function denial(webhook: string, { code = 0, reason = '', message = '', details }: RefusalStatus): ApiFailure {
  const denied = `admission webhook ${goQuote(webhook)} denied the request`
  const why = message || reason
  return new ApiFailure(
    isRefusal(code) ? code : 400,
    reason,
    why === '' ? `${denied} without explanation` : `${denied}: ${why}`,
    details,
  )
}
