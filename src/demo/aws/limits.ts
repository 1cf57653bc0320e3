import { refuse } from './refusals.ts'

/** What AWS takes for the values of IAM and STS: length, then characters. */
const rules = {
  roleName: { least: 1, most: 64, pattern: /^[\w+=,.@-]+$/ },
  policyName: { least: 1, most: 128, pattern: /^[\w+=,.@-]+$/ },
  path: { least: 1, most: 512, pattern: /^(\/|\/[!-~]+\/)$/ },
  description: { least: 0, most: 1000, pattern: /^[\t\n\r -~\u00a1-\u00ff]*$/ },
  'tags.key': { least: 1, most: 128, pattern: /^[\p{L}\p{Z}\p{N}_.:/=+\-@]+$/u },
  'tags.value': { least: 0, most: 256, pattern: /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u },
  policyArn: { least: 20, most: 2048, pattern: /^arn:[^:]+:iam::(\d{12}|aws):policy\/.+$/ },
  roleArn: { least: 20, most: 2048, pattern: /^[\t\n\r -~]+$/ },
  roleSessionName: { least: 2, most: 64, pattern: /^[\w+=,.@-]+$/ },
  policyDocument: { least: 1, most: 131_072, pattern: /^[\t\n\r -\u00ff]+$/ },
  assumeRolePolicyDocument: { least: 1, most: 131_072, pattern: /^[\t\n\r -\u00ff]+$/ },
  webIdentityToken: { least: 4, most: 20_000, pattern: /^\S+$/ },
  url: { least: 1, most: 255, pattern: /^\S+$/ },
} as const

export type Member = keyof typeof rules

export function checked(member: Member, value: string | undefined): string {
  if (value === undefined) return refuse('VALUE_MISSING', { member })
  const { least, most, pattern } = rules[member]
  if (value.length < least) refuse('VALUE_TOO_SHORT', { member, limit: least })
  if (value.length > most) refuse('VALUE_TOO_LONG', { member, limit: most })
  if (!pattern.test(value)) refuse('VALUE_MALFORMED', { member, pattern: pattern.source })
  return value
}

export function checkedNumber(
  member: string,
  value: string | undefined,
  { least, most, fallback }: { least: number; most: number; fallback: number },
): number {
  if (value === undefined) return fallback
  const number = Number(value)
  return Number.isInteger(number) && number >= least && number <= most
    ? number
    : refuse('VALUE_OUT_OF_RANGE', { member, least, most })
}

export const mostTags = 50

/** Tags of one call, which may not name a key twice. */
export function checkedTags(tags: readonly { Key?: string; Value?: string }[]): Map<string, string> {
  if (tags.length > mostTags) refuse('VALUE_TOO_LONG', { member: 'tags', limit: mostTags })
  const read = new Map(tags.map(({ Key, Value }) => [checked('tags.key', Key), checked('tags.value', Value)]))
  for (const key of read.keys()) if (/^aws:/i.test(key)) refuse('TAG_RESERVED', { key })
  if (new Set([...read.keys()].map((key) => key.toLowerCase())).size < tags.length) refuse('TAG_TWICE')
  return read
}

/** As quotas count: white space is free. */
export const sizeOf = (document: string): number => document.replace(/\s/g, '').length
