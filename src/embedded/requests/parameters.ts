import type { FieldError } from '../../core/schema/field-errors.ts'
import { checkFieldManager } from '../patch/manager-name.ts'
import { ApiFailure, badRequest, invalid } from '../status.ts'
import { booleanIn, integerIn, versionFlaw } from './query.ts'

/** Parameters of list and watch, as far as they can be read without knowing the kind. */
export interface ListParameters {
  labelSelector: string
  fieldSelector: string
  limit: number
  continueToken: string
  /** Undefined: the client named none. */
  resourceVersion: number | undefined
  match: 'Exact' | 'NotOlderThan' | undefined
  timeoutSeconds: number | undefined
  allowBookmarks: boolean
  sendInitialEvents: boolean | undefined
}

const forbiddenOption = (field: string, why: string): FieldError => ({
  reason: 'FieldValueForbidden',
  field,
  message: `Forbidden: ${why}`,
})

export function readListParameters(query: URLSearchParams, isWatch: boolean): ListParameters {
  const given = query.get('resourceVersion') ?? ''
  const match = query.get('resourceVersionMatch') ?? ''
  const parameters = {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    timeoutSeconds: integerIn(query, 'timeoutSeconds'),
    limit: integerIn(query, 'limit') ?? 0,
    continueToken: query.get('continue') ?? '',
    allowBookmarks: booleanIn(query, 'allowWatchBookmarks') ?? false,
    sendInitialEvents: booleanIn(query, 'sendInitialEvents'),
  }
  const errors = isWatch ? watchErrors(match, parameters) : listErrors(given, match, parameters)
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors)
  return {
    ...parameters,
    resourceVersion: readResourceVersion(given, !isWatch),
    match: match === '' ? undefined : (match as 'Exact' | 'NotOlderThan'),
  }
}

type Asked = Pick<ListParameters, 'continueToken' | 'sendInitialEvents'>

const forbidMatch = (why: string) => forbiddenOption('resourceVersionMatch', why)

const unsupportedMatch = (match: string, supported: string): FieldError => ({
  reason: 'FieldValueNotSupported',
  field: 'resourceVersionMatch',
  message: `Unsupported value: ${JSON.stringify(match)}: supported values: ${supported}`,
})

function listErrors(version: string, match: string, { continueToken, sendInitialEvents }: Asked): FieldError[] {
  const errors: FieldError[] = []
  if (match !== '') {
    if (version === '') errors.push(forbidMatch('resourceVersionMatch is forbidden unless resourceVersion is provided'))
    if (continueToken !== '') errors.push(forbidMatch('resourceVersionMatch is forbidden when continue is provided'))
    if (match !== 'Exact' && match !== 'NotOlderThan')
      errors.push(unsupportedMatch(match, '"Exact", "NotOlderThan", ""'))
    if (match === 'Exact' && version === '0')
      errors.push(forbidMatch('resourceVersionMatch "exact" is forbidden for resourceVersion "0"'))
  }
  if (sendInitialEvents !== undefined)
    errors.push(forbiddenOption('sendInitialEvents', 'sendInitialEvents is forbidden for list'))
  return errors
}

function watchErrors(match: string, { continueToken, sendInitialEvents }: Asked): FieldError[] {
  const errors: FieldError[] = []
  if (sendInitialEvents === undefined && match !== '')
    errors.push(forbidMatch('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'))
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan')
    errors.push(forbidMatch('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'))
  if (match !== '' && match !== 'NotOlderThan') errors.push(unsupportedMatch(match, '"NotOlderThan"'))
  if (continueToken !== '') errors.push(forbidMatch('resourceVersionMatch is forbidden when continue is provided'))
  return errors
}

function readResourceVersion(text: string, isList: boolean): number | undefined {
  if (text === '') return undefined
  const flaw = versionFlaw(text)
  if (flaw === undefined) return Number(text)
  throw isList ? badRequest(`invalid resource version: ${flaw}`) : new ApiFailure(500, '', flaw)
}

/** Of a get: the version that it must not be older than. */
export const readGetVersion = (query: URLSearchParams): number =>
  readResourceVersion(query.get('resourceVersion') ?? '', false) ?? 0

export interface WriteParameters {
  dryRun: boolean
  fieldManager: string
  fieldValidation: 'Strict' | 'Warn' | 'Ignore'
  /** As webhooks are shown it: CreateOptions, UpdateOptions or PatchOptions with what the client gave. */
  options: Readonly<Record<string, unknown>>
  force: boolean | undefined
}

const validations = ['Ignore', 'Warn', 'Strict']

export function readWriteParameters(query: URLSearchParams, options: string): WriteParameters {
  const dryRun = query.getAll('dryRun')
  const validation = query.get('fieldValidation') ?? ''
  const errors: FieldError[] = []
  if (dryRun.some((value) => value !== 'All')) errors.push(...dryRunErrors(dryRun))
  if (validation !== '' && !validations.includes(validation))
    errors.push({
      reason: 'FieldValueNotSupported',
      field: 'fieldValidation',
      message: `Unsupported value: ${JSON.stringify(validation)}: supported values: "", "Ignore", "Strict", "Warn"`,
    })
  if (options !== 'PatchOptions') errors.push(...checkFieldManager(query.get('fieldManager') ?? ''))
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: options }, '', errors)
  const fieldManager = query.get('fieldManager') ?? ''
  const isForced = booleanIn(query, 'force')
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: validation === '' ? 'Warn' : (validation as 'Strict' | 'Warn' | 'Ignore'),
    options: {
      kind: options,
      apiVersion: 'meta.k8s.io/v1',
      ...(dryRun.length > 0 && { dryRun }),
      ...(isForced !== undefined && { force: isForced }),
      ...(fieldManager && { fieldManager }),
      ...(validation && { fieldValidation: validation }),
    },
    force: isForced,
  }
}

export const dryRunErrors = (given: readonly string[]): FieldError[] => [
  {
    reason: 'FieldValueNotSupported',
    field: 'dryRun',
    message: `Unsupported value: ${goList(given)}: supported values: "All"`,
  },
]

const goList = (values: readonly string[]): string => `[${values.map((value) => JSON.stringify(value)).join(',')}]`
