import type { EksInput } from './json-protocol.ts'
import { mostTags } from './limits.ts'
import { page } from './paging.ts'
import type { Json } from './policy-document.ts'
import { isObject } from './policy-document.ts'
import type { RefusalName } from './refusals.ts'
import { refuse } from './refusals.ts'
import type { World } from './state.ts'

const wrong = (what: string): never => refuse('EKS_PARAMETER_WRONG', { what })

export function textIn(body: Json, field: string): string | undefined {
  const value = body[field]
  if (value === undefined || value === null) return undefined
  return typeof value === 'string' && value !== '' ? value : wrong(`${field} must be a string that is not empty`)
}

/** Undefined when it is not given: an update leaves it as it is then. */
export function groupsIn(body: Json): string[] | undefined {
  const groups = body['kubernetesGroups']
  if (groups === undefined || groups === null) return undefined
  if (!Array.isArray(groups) || !groups.every((group) => typeof group === 'string' && group !== ''))
    return wrong('kubernetesGroups must be a list of strings')
  const reserved = groups.find((group) => group.startsWith('system:'))
  if (reserved !== undefined) refuse('ENTRY_GROUP_RESERVED', { group: reserved })
  return groups
}

export const checkedPrincipal = (arn: string): string =>
  /^arn:[^:]+:iam::\d{12}:(role|user)\/.+$/.test(arn) ? arn : refuse('ENTRY_PRINCIPAL_MALFORMED')

const clusterName = /^[0-9A-Za-z][A-Za-z0-9-_]{0,99}$/

export const checkedClusterName = (name = ''): string =>
  clusterName.test(name) ? name : refuse('CLUSTER_NAME_MALFORMED', { pattern: clusterName.source })

const reservedPrefixes = ['system:', 'eks:', 'aws:', 'amazon:', 'iam:']

export function usernameIn(body: Json): string | undefined {
  const username = textIn(body, 'username')
  const prefix = reservedPrefixes.find((one) => username?.startsWith(one))
  if (prefix !== undefined) refuse('ENTRY_USERNAME_RESERVED', { prefix })
  return username
}

const tagText = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u

/** TagResource words its refusals otherwise than the calls that make things with tags. */
export function tagsIn(body: Json, reason: RefusalName = 'EKS_PARAMETER_WRONG'): Map<string, string> {
  const tags = body['tags'] ?? {}
  if (!isObject(tags)) return refuse(reason, { what: 'tags must be an object' })
  const read = Object.entries(tags)
  if (read.length > mostTags) refuse(reason, { what: `Number of tags exceeds the limit of ${mostTags}` })
  return new Map(
    read.map(([key, value]): [string, string] => {
      if (key.length < 1 || key.length > 128 || !tagText.test(key)) refuse(reason, { what: `Invalid tag key: ${key}` })
      if (/^aws:/i.test(key)) refuse(reason, { what: `Tag keys that begin with aws: are reserved: ${key}` })
      return typeof value === 'string' && value.length <= 256 && tagText.test(value)
        ? [key, value]
        : refuse(reason, { what: `Invalid tag value of ${key}` })
    }),
  )
}

/** `maxResults` and `nextToken` asked, the part of the list and `nextToken` answered. */
export function pageIn<T>(
  { pageSize }: World,
  { query }: EksInput,
  all: readonly T[],
): { items: T[]; nextToken?: string } {
  const asked = Number(query('maxResults') ?? 100)
  if (!Number.isInteger(asked) || asked < 1 || asked > 100) return wrong('maxResults must be between 1 and 100')
  const found =
    page(all, query('nextToken'), Math.min(asked, pageSize)) ?? wrong('nextToken is not one that was given out')
  return { items: found.items, ...(found.next && { nextToken: found.next }) }
}
