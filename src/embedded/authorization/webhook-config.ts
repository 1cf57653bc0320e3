import { isAbsolute } from 'node:path'
import { compileCondition } from '../cel/cel.ts'
import type { FieldError } from '../kinds/field-errors.ts'
import { duplicateValue, invalidValue, notSupported, required, tooMany } from '../kinds/field-errors.ts'
import type { FileKind } from './authorization-config.ts'
import { parseGoDuration } from './go-duration.ts'
import { conditionVariables } from './review-spec.ts'
import type { WebhookSettings } from './webhook-authorizer.ts'

/** As the file holds it. */
export interface WebhookFields {
  authorizedTTL?: string
  cacheAuthorizedRequests?: boolean
  unauthorizedTTL?: string
  cacheUnauthorizedRequests?: boolean
  timeout?: string
  subjectAccessReviewVersion?: string
  matchConditionSubjectAccessReviewVersion?: string
  failurePolicy?: string
  connectionInfo?: { type?: string; kubeConfigFile?: string }
  matchConditions?: { expression?: string }[]
}

const longestTimeoutMs = 30_000
const mostConditions = 64

const durationMs = (text: string | undefined): number | undefined =>
  text === undefined || text === '' ? 0 : parseGoDuration(text)

export function checkWebhook(
  isWebhook: boolean,
  webhook: WebhookFields | undefined,
  at: string,
  fileKind: FileKind,
): FieldError[] {
  if (!isWebhook)
    return webhook ? [invalidValue(`${at}.webhook`, 'non-null', 'may only be specified when type=Webhook')] : []
  if (!webhook) return [required(`${at}.webhook`, 'required when type=Webhook')]
  return [
    ...checkTimeout(webhook.timeout, `${at}.timeout`),
    ...checkTtl(webhook.authorizedTTL, `${at}.authorizedTTL`),
    ...checkTtl(webhook.unauthorizedTTL, `${at}.unauthorizedTTL`),
    ...oneOf(webhook.subjectAccessReviewVersion, `${at}.subjectAccessReviewVersion`, ['v1', 'v1beta1']),
    ...checkConditionVersion(webhook, `${at}.matchConditionSubjectAccessReviewVersion`),
    ...oneOf(webhook.failurePolicy, `${at}.failurePolicy`, ['NoOpinion', 'Deny']),
    ...checkConnection(webhook.connectionInfo ?? {}, `${at}.connectionInfo`, fileKind),
    ...checkConditions(webhook.matchConditions ?? [], `${at}.matchConditions`),
  ]
}

function checkTimeout(timeout: string | undefined, field: string): FieldError[] {
  const ms = durationMs(timeout)
  if (ms === 0) return [required(field)]
  return ms !== undefined && ms > 0 && ms <= longestTimeoutMs
    ? []
    : [invalidValue(field, timeout, 'must be > 0s and <= 30s')]
}

/** None, or 0s, is the default. */
function checkTtl(ttl: string | undefined, field: string): FieldError[] {
  const ms = durationMs(ttl)
  return ms !== undefined && ms >= 0 ? [] : [invalidValue(field, ttl, 'must be > 0s')]
}

function oneOf(value: string | undefined, field: string, supported: readonly string[]): FieldError[] {
  if (!value) return [required(field)]
  return supported.includes(value) ? [] : [notSupported(field, value, supported)]
}

function checkConditionVersion(
  { matchConditionSubjectAccessReviewVersion: version, matchConditions = [] }: WebhookFields,
  field: string,
): FieldError[] {
  if (version) return oneOf(version, field, ['v1'])
  return matchConditions.length > 0 ? [required(field, 'required if match conditions are specified')] : []
}

function checkConnection(
  { type, kubeConfigFile }: NonNullable<WebhookFields['connectionInfo']>,
  at: string,
  fileKind: FileKind,
): FieldError[] {
  const field = `${at}.kubeConfigFile`
  if (type === 'InClusterConfig')
    return kubeConfigFile ? [invalidValue(field, kubeConfigFile, 'can only be set when type=KubeConfigFile')] : []
  if (type !== 'KubeConfigFile') return oneOf(type, `${at}.type`, ['InClusterConfig', 'KubeConfigFile'])
  if (!kubeConfigFile) return [required(field)]
  if (!isAbsolute(kubeConfigFile)) return [invalidValue(field, kubeConfigFile, 'must be an absolute path')]
  switch (fileKind(kubeConfigFile)) {
    case 'missing': {
      const why = `error loading file: stat ${kubeConfigFile}: no such file or directory`
      return [invalidValue(field, kubeConfigFile, why)]
    }
    case 'other':
      return [invalidValue(field, kubeConfigFile, 'must be a regular file')]
    case 'file':
      return []
  }
}

function checkConditions(conditions: readonly { expression?: string }[], at: string): FieldError[] {
  if (conditions.length > mostConditions) return [tooMany(at, conditions.length, mostConditions)]
  const seen = new Set<string>()
  return conditions.flatMap(({ expression = '' }, index) => {
    const field = `${at}[${index}].expression`
    if (expression.trim() === '') return [required(field)]
    if (seen.has(expression)) return [duplicateValue(field, expression)]
    seen.add(expression)
    try {
      compileCondition(expression, conditionVariables)
      return []
    } catch (error) {
      return [invalidValue(field, expression, (error as Error).message)]
    }
  })
}

const defaultAuthorizedTtlMs = 300_000
const defaultUnauthorizedTtlMs = 30_000

/** Of what has passed `checkWebhook`. */
export const webhookSettings = (name: string, webhook: WebhookFields): WebhookSettings => ({
  name,
  kubeConfigFile: webhook.connectionInfo?.kubeConfigFile ?? '',
  timeoutMs: durationMs(webhook.timeout) ?? 0,
  timeout: webhook.timeout ?? '',
  failurePolicy: webhook.failurePolicy === 'Deny' ? 'Deny' : 'NoOpinion',
  authorizedTtlMs: durationMs(webhook.authorizedTTL) || defaultAuthorizedTtlMs,
  unauthorizedTtlMs: durationMs(webhook.unauthorizedTTL) || defaultUnauthorizedTtlMs,
  cacheAuthorized: webhook.cacheAuthorizedRequests ?? true,
  cacheUnauthorized: webhook.cacheUnauthorizedRequests ?? true,
  matchConditions: (webhook.matchConditions ?? []).map(({ expression = '' }) => expression),
})
