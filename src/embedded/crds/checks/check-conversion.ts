import type { FieldError } from '../../kinds/field-errors.ts'
import { forbiddenField, invalidFor, invalidValue, notSupported, required } from '../../kinds/field-errors.ts'
import { dns1035LabelFlaws, dnsSubdomainFlaws, portFlaws } from '../../kinds/names.ts'
import type { Conversion, WebhookClient } from '../definition.ts'

const field = 'spec.conversion'
const client = `${field}.webhookClientConfig`
const versionsField = `${field}.conversionReviewVersions`

export function checkConversion({ strategy, webhook }: Conversion, preservesUnknown: boolean): FieldError[] {
  const errors: FieldError[] = []
  if (preservesUnknown && strategy && strategy !== 'None')
    errors.push(invalidValue(`${field}.strategy`, strategy, 'must be None if spec.preserveUnknownFields is true'))
  if (!strategy) errors.push(required(`${field}.strategy`))
  else if (strategy !== 'None' && strategy !== 'Webhook')
    errors.push(notSupported(`${field}.strategy`, strategy, ['None', 'Webhook']))
  const { clientConfig, conversionReviewVersions = [] } = webhook ?? {}
  if (strategy === 'Webhook') {
    errors.push(
      ...(clientConfig ? checkClient(clientConfig) : [required(client, 'required when strategy is set to Webhook')]),
      ...checkReviewVersions(conversionReviewVersions),
    )
    return errors
  }
  const why = 'should not be set when strategy is not set to Webhook'
  if (clientConfig) errors.push(forbiddenField(client, why))
  if (conversionReviewVersions.length > 0) errors.push(forbiddenField(versionsField, why))
  return errors
}

const understood = ['v1', 'v1beta1']

function checkReviewVersions(versions: readonly string[]): FieldError[] {
  if (versions.length === 0) return [required(versionsField)]
  const errors = versions.flatMap((version, index) =>
    versions.indexOf(version) < index
      ? [invalidValue(`${versionsField}[${index}]`, version, 'duplicate version')]
      : invalidFor(`${versionsField}[${index}]`, version, dns1035LabelFlaws(version)),
  )
  if (!versions.some((version) => understood.includes(version)))
    errors.push(invalidValue(versionsField, versions, `must include at least one of ${understood.join(', ')}`))
  return errors
}

function checkClient({ url, service }: WebhookClient): FieldError[] {
  if ((url === undefined) === (service === undefined))
    return [required(client, 'exactly one of url or service is required')]
  if (url !== undefined) return checkUrl(url)
  const { name, namespace, path, port } = service ?? { name: '', namespace: '' }
  return [
    ...(name ? [] : [required(`${client}.service.name`)]),
    ...(namespace ? [] : [required(`${client}.service.namespace`)]),
    ...(port === undefined
      ? []
      : portFlaws(port).map((why) => invalidValue(`${client}.service.port`, port, `port is not valid: ${why}`))),
    ...(path === undefined ? [] : checkPath(path)),
  ]
}

const desired = 'desired format: https://host[/path]'

function checkUrl(text: string): FieldError[] {
  const place = `${client}.url`
  const parts = /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/(?:([^/?#]*)@)?([^/?#@]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/i.exec(
    text,
  )
  if (!parts) return [required(place, `url must be a valid URL: ${text}; ${desired}`)]
  const [, scheme = '', user = '', host = '', , query = '', fragment = ''] = parts
  const errors: FieldError[] = []
  if (scheme !== 'https') errors.push(invalidValue(place, scheme, `'https' is the only allowed URL scheme; ${desired}`))
  if (host === '') errors.push(invalidValue(place, host, `host must be specified; ${desired}`))
  if (user !== '') errors.push(invalidValue(place, user, 'user information is not permitted in the URL'))
  if (fragment !== '') errors.push(invalidValue(place, fragment, 'fragments are not permitted in the URL'))
  if (query !== '') errors.push(invalidValue(place, query, 'query parameters are not permitted in the URL'))
  return errors
}

function checkPath(path: string): FieldError[] {
  const place = `${client}.service.path`
  if (path === '' || path === '/') return []
  const errors: FieldError[] = []
  if (!path.startsWith('/')) errors.push(invalidValue(place, path, "must start with a '/'"))
  const rest = path.replace(/\/$/, '')
  const steps = path.startsWith('/') ? rest.slice(1).split('/') : ['', ...rest.split('/')].slice(0, 1)
  steps.forEach((step, index) => {
    if (step === '') errors.push(invalidValue(place, path, `segment[${index}] may not be empty`))
    else for (const why of dnsSubdomainFlaws(step)) errors.push(invalidValue(place, path, `segment[${index}]: ${why}`))
  })
  return errors
}
