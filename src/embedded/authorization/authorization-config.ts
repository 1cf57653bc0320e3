import { statSync } from 'node:fs'
import { parse } from 'yaml'
import { fieldErrorText } from '../../core/schema/field-errors.ts'
import type { FieldError } from '../kinds/field-errors.ts'
import { duplicateValue, invalidFor, notSupported, required } from '../kinds/field-errors.ts'
import { dnsSubdomainFlaws } from '../kinds/names.ts'
import { unknownFields } from './config-fields.ts'
import { failures } from './failures.ts'
import { aggregate } from './rbac.ts'
import type { WebhookSettings } from './webhook-authorizer.ts'
import type { WebhookFields } from './webhook-config.ts'
import { checkWebhook, webhookSettings } from './webhook-config.ts'

/** One authorizer of the chain. Node is accepted for the sake of files made for other clusters, and has no opinion. */
export type AuthorizerSettings =
  | { readonly type: 'RBAC' }
  | { readonly type: 'Node' }
  | { readonly type: 'Webhook'; readonly webhook: WebhookSettings }

export interface AuthorizerFields {
  type?: string
  name?: string
  webhook?: WebhookFields
}

const apiVersions = ['apiserver.config.k8s.io/v1', 'apiserver.config.k8s.io/v1beta1']
const types = ['ABAC', 'AlwaysAllow', 'AlwaysDeny', 'Node', 'RBAC', 'Webhook']

/** What a path is, for the checks. */
export type FileKind = (path: string) => 'file' | 'other' | 'missing'

const fileKindOnDisk: FileKind = (path) => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? 'missing' : found.isFile() ? 'file' : 'other'
}

/** The chain that an AuthorizationConfiguration asks for. Throws what is wrong with it, all of it at once. */
export function parseAuthorizationConfig(
  text: string,
  file: string,
  fileKind: FileKind = fileKindOnDisk,
): AuthorizerSettings[] {
  const invalid = (detail: string) => failures.AUTHORIZATION_CONFIG_INVALID({ file, detail })
  const { apiVersion, kind, authorizers = [] } = documentOf(text, invalid)
  if (kind !== 'AuthorizationConfiguration' || !apiVersions.includes(String(apiVersion)))
    throw invalid(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`)
  if (!Array.isArray(authorizers)) throw invalid('authorizers must be a list')
  const strangers = unknownFields(authorizers)
  if (strangers.length > 0) throw invalid(`strict decoding error: ${strangers.join(', ')}`)
  const errors = checkAuthorizers(authorizers as AuthorizerFields[], fileKind)
  if (errors.length > 0) throw invalid(aggregate(errors.map(fieldErrorText)))
  const misnamed = (authorizers as AuthorizerFields[]).flatMap(wrongName)
  if (misnamed.length > 0) throw invalid(aggregate(misnamed))
  return (authorizers as AuthorizerFields[]).map((authorizer, index) => settingsOf(authorizer, index, file))
}

function documentOf(text: string, invalid: (detail: string) => Error): Record<string, unknown> {
  let document: unknown
  try {
    document = parse(text)
  } catch (error) {
    throw invalid((error as Error).message)
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document)) throw invalid('it is not a map')
  return document as Record<string, unknown>
}

function checkAuthorizers(authorizers: readonly AuthorizerFields[], fileKind: FileKind): FieldError[] {
  if (authorizers.length === 0) return [required('authorizers', 'at least one authorization mode must be defined')]
  const [seenTypes, seenNames] = [new Set<string>(), new Set<string>()]
  return authorizers.flatMap((authorizer, index) => {
    const { type = '', name = '', webhook } = authorizer
    const at = `authorizers[${index}]`
    const errors: FieldError[] = []
    if (type === '') return [required(`${at}.type`)]
    if (!types.includes(type)) return [notSupported(`${at}.type`, type, types)]
    if (type !== 'Webhook' && seenTypes.has(type)) return [duplicateValue(`${at}.type`, type)]
    seenTypes.add(type)
    if (name === '') errors.push(required(`${at}.name`))
    else if (seenNames.has(name)) errors.push(duplicateValue(`${at}.name`, name))
    else
      errors.push(
        ...invalidFor(
          `${at}.name`,
          name,
          dnsSubdomainFlaws(name).map((flaw) => `authorizer name is invalid: ${flaw}`),
        ),
      )
    seenNames.add(name)
    return [...errors, ...checkWebhook(type === 'Webhook', webhook, at, fileKind)]
  })
}

/** Only webhooks have names of their own. */
function wrongName({ type = '', name = '' }: AuthorizerFields): string[] {
  const expected = type.toLowerCase()
  return type === 'Webhook' || name === expected
    ? []
    : [`expected name ${expected} for authorizer ${type} instead of ${name}`]
}

function settingsOf(
  { type, name = '', webhook = {} }: AuthorizerFields,
  index: number,
  file: string,
): AuthorizerSettings {
  const notServed = (field: string, value: unknown, instead: string) =>
    failures.AUTHORIZATION_NOT_SERVED({ file, field: `authorizers[${index}].${field}`, value, instead })
  if (type === 'RBAC' || type === 'Node') return { type }
  if (type !== 'Webhook') throw notServed('type', type, 'RBAC, Node or Webhook')
  if (webhook.subjectAccessReviewVersion !== 'v1')
    throw notServed('webhook.subjectAccessReviewVersion', webhook.subjectAccessReviewVersion, 'v1')
  if (webhook.connectionInfo?.type !== 'KubeConfigFile')
    throw notServed('webhook.connectionInfo.type', webhook.connectionInfo?.type, 'KubeConfigFile')
  return { type, webhook: webhookSettings(name, webhook) }
}
