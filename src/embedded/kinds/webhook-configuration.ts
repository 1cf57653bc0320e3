import type { MutatingWebhook, ValidatingWebhook } from 'kubernetes-types/admissionregistration/v1.d.ts'
import type { ApiObject } from '../objects.ts'
import type { Definition } from './define.ts'
import { as } from './define.ts'
import type { FieldError } from './field-errors.ts'
import { duplicateValue, invalidFor, invalidValue, notSupported, required } from './field-errors.ts'
import { checkLabelSelector } from './label-selector.ts'
import { dns1035LabelFlaws, dnsSubdomainFlaws } from './names.ts'
import { clientConfigErrors } from './webhook-client-config.ts'
import { matchConditionErrors } from './webhook-match-conditions.ts'
import type { WebhookRule } from './webhook-rules.ts'
import { webhookRuleErrors } from './webhook-rules.ts'

type Webhook = Omit<ValidatingWebhook, 'rules'> &
  Partial<Pick<MutatingWebhook, 'reinvocationPolicy'>> & { rules?: WebhookRule[] }

const webhooksOf = (object: ApiObject): Webhook[] => as<{ webhooks?: Webhook[] }>(object).webhooks ?? []

const configuration = (isMutating: boolean): Definition => ({
  rules: {
    updateChecks: ['whole', 'check', 'checkUpdate'],
    updatesUnconditionally: false,
    generationOf: ({ webhooks }) => webhooks,
    defaults: (object) => {
      for (const webhook of webhooksOf(object)) defaultWebhook(webhook, isMutating)
    },
    check: (object) => {
      const names = new Set<string>()
      return webhooksOf(object).flatMap((webhook, index) => {
        const field = `webhooks[${index}]`
        const errors = [...webhookErrors(webhook, isMutating, field), ...reviewVersionErrors(webhook, field)]
        if (webhook.name && names.has(webhook.name)) errors.push(duplicateValue(`${field}.name`, webhook.name))
        names.add(webhook.name)
        return errors
      })
    },
  },
  cells: { Webhooks: (object) => webhooksOf(object).length },
})

export const validatingWebhookConfigurations = configuration(false)
export const mutatingWebhookConfigurations = configuration(true)

function defaultWebhook(webhook: Webhook, isMutating: boolean): void {
  webhook.clientConfig ??= {}
  if (webhook.clientConfig.service) webhook.clientConfig.service.port ??= 443
  for (const rule of webhook.rules ?? []) rule.scope ??= '*'
  webhook.failurePolicy ??= 'Fail'
  webhook.matchPolicy ??= 'Equivalent'
  webhook.namespaceSelector ??= {}
  webhook.objectSelector ??= {}
  webhook.timeoutSeconds ??= 10
  if (isMutating) webhook.reinvocationPolicy ??= 'Never'
}

const choices = {
  failurePolicy: ['Fail', 'Ignore'],
  matchPolicy: ['Equivalent', 'Exact'],
  sideEffects: ['None', 'NoneOnDryRun'],
  reinvocationPolicy: ['IfNeeded', 'Never'],
} as const

function webhookErrors(webhook: Webhook, isMutating: boolean, field: string): FieldError[] {
  const chosen = (name: keyof typeof choices): FieldError[] => {
    const value = webhook[name]
    const supported: readonly string[] = choices[name]
    return value === undefined || supported.includes(value) ? [] : [notSupported(`${field}.${name}`, value, supported)]
  }
  const { name = '', rules = [], sideEffects, timeoutSeconds, namespaceSelector = {}, objectSelector = {} } = webhook
  return [
    ...qualifiedHookNameErrors(name, `${field}.name`),
    ...rules.flatMap((rule, index) => webhookRuleErrors(rule, `${field}.rules[${index}]`)),
    ...chosen('failurePolicy'),
    ...chosen('matchPolicy'),
    ...(sideEffects === undefined
      ? [required(`${field}.sideEffects`, `must specify one of ${choices.sideEffects.join(', ')}`)]
      : chosen('sideEffects')),
    ...(timeoutSeconds !== undefined && (timeoutSeconds > 30 || timeoutSeconds < 1)
      ? [invalidValue(`${field}.timeoutSeconds`, timeoutSeconds, 'the timeout value must be between 1 and 30 seconds')]
      : []),
    ...checkLabelSelector(namespaceSelector, `${field}.namespaceSelector`),
    ...checkLabelSelector(objectSelector, `${field}.objectSelector`),
    ...(isMutating ? chosen('reinvocationPolicy') : []),
    ...clientConfigErrors(webhook.clientConfig, `${field}.clientConfig`),
    ...matchConditionErrors(webhook.matchConditions ?? [], `${field}.matchConditions`),
  ]
}

/** A domain of three parts at least, so that two of different makers do not meet. */
function qualifiedHookNameErrors(name: string, field: string): FieldError[] {
  if (name === '') return [required(field)]
  const flaws = dnsSubdomainFlaws(name)
  if (flaws.length > 0) return [invalidValue(field, name, flaws.join(','))]
  return name.split('.').length < 3
    ? [invalidValue(field, name, 'should be a domain with at least three segments separated by dots')]
    : []
}

const reviewVersions = ['v1', 'v1beta1']

function reviewVersionErrors({ admissionReviewVersions: versions = [] }: Webhook, hook: string): FieldError[] {
  const field = `${hook}.admissionReviewVersions`
  if (versions.length === 0) return [required(field, `must specify one of ${reviewVersions.join(', ')}`)]
  const errors = versions.flatMap((version, index) =>
    versions.indexOf(version) < index
      ? [invalidValue(`${field}[${index}]`, version, 'duplicate version')]
      : invalidFor(`${field}[${index}]`, version, dns1035LabelFlaws(version)),
  )
  if (!versions.some((version) => reviewVersions.includes(version)))
    errors.push(invalidValue(field, versions, `must include at least one of ${reviewVersions.join(', ')}`))
  return errors
}
