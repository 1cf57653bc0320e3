import { goQuote } from '../go-quote.ts'
import { resourceName } from '../objects.ts'
import type { StatusDetails } from '../status.ts'
import { ApiFailure } from '../status.ts'
import type { Attributes, Decision, ResourceAttributes } from './attributes.ts'
import { isAboutPath } from './attributes.ts'

/**
 * Nobody allowed it: 403 with who cannot do what and where. Where an authorizer failed, 500 with what it said about
 * `uri`, the path and query of the request.
 */
export function forbiddenBy(attributes: Attributes, decision: Decision, uri = attributes.path ?? ''): ApiFailure {
  if (decision.verdict !== 'allow' && decision.error !== undefined) return authorizerFailed(uri, decision.error)
  const sentence = withoutMarkup(isAboutPath(attributes) ? aboutPath(attributes) : aboutResource(attributes))
  const why = decision.reason === '' ? sentence : `${sentence}: ${decision.reason}`
  if (isAboutPath(attributes)) return new ApiFailure(403, 'Forbidden', `forbidden: ${why}`, {})
  return resourceForbidden(attributes.group, attributes.resource, attributes.name, why)
}

/** `pods "x" is forbidden: …`, or without a name `pods is forbidden: …`. */
export function resourceForbidden(group: string, plural: string, name: string, why: string): ApiFailure {
  const about = name === '' ? resourceName(group, plural) : `${resourceName(group, plural)} ${goQuote(name)}`
  const details: StatusDetails = { ...(name && { name }), ...(group && { group }), kind: plural }
  return new ApiFailure(403, 'Forbidden', `${about} is forbidden: ${why}`, details)
}

/** An authorizer could not tell, and nobody else allowed it: then it is not known that it is forbidden. */
const authorizerFailed = (uri: string, error: string): ApiFailure =>
  new ApiFailure(500, '', withoutMarkup(`Internal Server Error: ${goQuote(uri)}: ${error}`))

const aboutPath = ({ user, verb, path }: Extract<Attributes, { path: string }>): string =>
  `User ${goQuote(user.name)} cannot ${verb} path ${goQuote(path)}`

function aboutResource({ user, verb, group, resource, subresource, namespace }: ResourceAttributes): string {
  const whole = subresource === '' ? resource : `${resource}/${subresource}`
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${goQuote(namespace)}`
  const who = `User ${goQuote(user.name)} cannot ${verb}`
  return `${who} resource ${goQuote(whole)} in API group ${goQuote(group)} ${where}`
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** A browser that shows the answer as a page must not run what somebody put into a name. */
const withoutMarkup = (text: string): string => text.replace(/[&<>]/g, (character) => entities[character] ?? '')
