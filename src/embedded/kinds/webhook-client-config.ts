import type { WebhookClientConfig } from 'kubernetes-types/admissionregistration/v1.d.ts'
import type { FieldError } from './field-errors.ts'
import { invalidValue, required } from './field-errors.ts'
import { dnsSubdomainFlaws, portFlaws } from './names.ts'

/** How a webhook is reached: by a URL or as a service, one of the two. */
export function clientConfigErrors({ url, service }: WebhookClientConfig, field: string): FieldError[] {
  if ((url === undefined) === (service === undefined))
    return [required(field, 'exactly one of url or service is required')]
  if (url !== undefined) return urlErrors(url, `${field}.url`)
  return service === undefined ? [] : serviceErrors(service, `${field}.service`)
}

const form = '; desired format: https://host[/path]'

// Taken apart by hand: the URL class of the runtime puts right what it is asked to refuse.
const parts = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/(?:([^/?#@]*)@)?([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/

function urlErrors(url: string, field: string): FieldError[] {
  const [, scheme = '', user, host = '', , query = '', fragment = ''] = parts.exec(url) ?? []
  const errors: FieldError[] = []
  if (scheme !== 'https') errors.push(invalidValue(field, scheme, `'https' is the only allowed URL scheme${form}`))
  if (host === '') errors.push(invalidValue(field, host, `host must be specified${form}`))
  if (user !== undefined) errors.push(invalidValue(field, user, 'user information is not permitted in the URL'))
  if (fragment !== '') errors.push(invalidValue(field, fragment, 'fragments are not permitted in the URL'))
  if (query !== '') errors.push(invalidValue(field, query, 'query parameters are not permitted in the URL'))
  return errors
}

interface ServiceAddress {
  name?: string
  namespace?: string
  path?: string
  port?: number
}

function serviceErrors({ name, namespace, path, port = 443 }: ServiceAddress, field: string): FieldError[] {
  const errors: FieldError[] = []
  // The API server takes the one for the other when it names what is missing.
  if (!namespace) errors.push(required(`${field}.name`))
  if (!name) errors.push(required(`${field}.namespace`))
  const flaws = portFlaws(port)
  if (flaws.length > 0) errors.push(invalidValue(`${field}.port`, port, `port is not valid: ${flaws.join(', ')}`))
  return path ? [...errors, ...pathErrors(path, `${field}.path`)] : errors
}

function pathErrors(path: string, field: string): FieldError[] {
  if (path === '/') return []
  if (path === '//') return [invalidValue(field, path, 'segment[0] may not be empty')]
  const errors: FieldError[] = []
  if (!path.startsWith('/')) errors.push(invalidValue(field, path, "must start with a '/'"))
  const segments = path.slice(1).replace(/\/$/, '').split('/')
  for (const [index, segment] of segments.entries()) {
    if (segment === '') errors.push(invalidValue(field, path, `segment[${index}] may not be empty`))
    else errors.push(...dnsSubdomainFlaws(segment).map((why) => invalidValue(field, path, `segment[${index}]: ${why}`)))
  }
  return errors
}
