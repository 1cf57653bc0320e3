import type { FieldError } from '../../core/schema/field-errors.ts'
import type { Rules } from '../kinds/kind.ts'
import { checkFieldManager } from '../patch/manager-name.ts'
import { checkSelectors } from '../select/matcher.ts'
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

/** `judgeFields` throws where the kind cannot be selected by such fields, which is told before a version that is none. */
export function readListParameters(
  query: URLSearchParams,
  isWatch: boolean,
  judgeFields: (fieldSelector: string) => void = () => {},
): ListParameters {
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
  checkSelectors(parameters.labelSelector, parameters.fieldSelector)
  const errors = isWatch ? watchErrors(match, parameters) : listErrors(given, match, parameters)
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors)
  judgeFields(parameters.fieldSelector)
  return {
    ...parameters,
    resourceVersion: isWatch ? watchedVersion(given) : storedVersion(given),
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

type Refusal = (flaw: string) => ApiFailure

const readVersion =
  (refusal: Refusal) =>
  (text: string): number | undefined => {
    if (text === '') return undefined
    const flaw = versionFlaw(text)
    if (flaw === undefined) return Number(text)
    throw refusal(flaw)
  }

/** As the storage of the real server reads it, and as its cache does. */
const storedVersion = readVersion((flaw) => badRequest(`invalid resource version: ${flaw}`))
const watchedVersion = readVersion((flaw) => new ApiFailure(500, '', flaw))

/** Of a get: the version that it must not be older than. */
export function readGetVersion(query: URLSearchParams, { isUncached }: Rules): number {
  const given = query.get('resourceVersion') ?? ''
  return (isUncached ? storedVersion(given) : watchedVersion(given)) ?? 0
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

/** `ofPatch`: what a patch of its type is held to besides, which is told first. */
export function readWriteParameters(
  query: URLSearchParams,
  options: string,
  ofPatch: (parameters: { fieldManager: string; force: boolean | undefined }) => FieldError[] = () => [],
): WriteParameters {
  const dryRun = query.getAll('dryRun')
  const validation = query.get('fieldValidation') ?? ''
  const errors = ofPatch({ fieldManager: query.get('fieldManager') ?? '', force: booleanIn(query, 'force') })
  if (options !== 'PatchOptions') errors.push(...checkFieldManager(query.get('fieldManager') ?? ''))
  if (dryRun.some((value) => value !== 'All')) errors.push(...dryRunErrors(dryRun))
  if (validation !== '' && !validations.includes(validation))
    errors.push({
      reason: 'FieldValueNotSupported',
      field: 'fieldValidation',
      message: `Unsupported value: ${JSON.stringify(validation)}: supported values: "", "Ignore", "Strict", "Warn"`,
    })
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
