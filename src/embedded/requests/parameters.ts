import type { FieldError } from '../../core/schema/field-errors.ts'
import { checkFieldManager } from '../patch/manager-name.ts'
import { ApiFailure, badRequest, invalid } from '../status.ts'
import { isTrueParameter } from './request-info.ts'

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
  const initial = query.get('sendInitialEvents')
  const parameters = {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    limit: readInteger(query.get('limit')) ?? 0,
    continueToken: query.get('continue') ?? '',
    timeoutSeconds: readInteger(query.get('timeoutSeconds')),
    allowBookmarks: isTrueParameter(query.get('allowWatchBookmarks')),
    sendInitialEvents: initial === null || initial === '' ? undefined : isTrueParameter(initial),
  }
  const errors = isWatch
    ? watchErrors(given, match, parameters.sendInitialEvents)
    : listErrors(given, match, parameters.continueToken, parameters.sendInitialEvents)
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors)
  return {
    ...parameters,
    resourceVersion: readResourceVersion(given, isWatch),
    match: match === '' ? undefined : (match as 'Exact' | 'NotOlderThan'),
  }
}

function listErrors(version: string, match: string, token: string, initial: boolean | undefined): FieldError[] {
  if (initial !== undefined) return [forbiddenOption('sendInitialEvents', 'sendInitialEvents is forbidden for list')]
  if (match === '') return []
  const forbid = (why: string) => forbiddenOption('resourceVersionMatch', why)
  if (token !== '') return [forbid('resourceVersionMatch is forbidden when continue is provided')]
  if (version === '') return [forbid('resourceVersionMatch is forbidden unless resourceVersion is provided')]
  if (match !== 'Exact' && match !== 'NotOlderThan')
    return [
      {
        reason: 'FieldValueNotSupported',
        field: 'resourceVersionMatch',
        message: `Unsupported value: ${JSON.stringify(match)}: supported values: "Exact", "NotOlderThan", ""`,
      },
    ]
  if (match === 'Exact' && version === '0')
    return [forbid('resourceVersionMatch "exact" is forbidden for resourceVersion "0"')]
  return []
}

function watchErrors(_version: string, match: string, initial: boolean | undefined): FieldError[] {
  const forbid = (why: string) => forbiddenOption('resourceVersionMatch', why)
  if (initial === undefined)
    return match === ''
      ? []
      : [forbid('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided')]
  if (match !== 'NotOlderThan')
    return [forbid('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')]
  return []
}

function readResourceVersion(text: string, isWatch: boolean): number | undefined {
  if (text === '') return undefined
  if (/^\d+$/.test(text)) return Number(text)
  const message = `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`
  throw isWatch ? new ApiFailure(500, '', message) : badRequest(message)
}

function readInteger(text: string | null): number | undefined {
  if (text === null || text === '') return undefined
  if (/^[+-]?\d+$/.test(text)) return Number(text)
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`)
}

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
  const dryRun = query.getAll('dryRun').filter((value) => value !== '')
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
  const force = query.get('force')
  const fieldManager = query.get('fieldManager') ?? ''
  const isForced = force === null || force === '' ? undefined : isTrueParameter(force)
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
