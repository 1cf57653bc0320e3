import { parse } from 'yaml'
import type { Identity } from '../contract.ts'

/** Whom an API server takes somebody for. */
export interface KnownUser {
  username: string
  groups: string[]
}

/** `data` of the ConfigMap kube-system/aws-auth. */
export type AwsAuthData = Readonly<Record<string, string>>

interface Entry {
  rolearn?: unknown
  userarn?: unknown
  username?: unknown
  groups?: unknown
}

/**
 * The last entry for an ARN counts, as in aws-iam-authenticator, which reads them into a map; ARNs are compared without
 * regard to capitals. A list that cannot be read maps nobody.
 */
export function userInAwsAuth(data: AwsAuthData, { arn, principalArn, account }: Identity): KnownUser | undefined {
  const of = (key: 'rolearn' | 'userarn') => (entry: Entry) =>
    typeof entry[key] === 'string' && entry[key].toLowerCase() === principalArn.toLowerCase()
  const found =
    entriesIn(data['mapRoles']).findLast(of('rolearn')) ?? entriesIn(data['mapUsers']).findLast(of('userarn'))
  if (!found) return undefined
  const session = (arn.split('/').at(-1) ?? '').replaceAll('@', '-')
  const named = (text: unknown) =>
    String(text ?? '')
      .replaceAll('{{SessionName}}', session)
      .replaceAll('{{AccountID}}', account)
  return { username: named(found.username), groups: Array.isArray(found.groups) ? found.groups.map(named) : [] }
}

function entriesIn(text: string | undefined): Entry[] {
  if (text === undefined) return []
  try {
    const entries: unknown = parse(text)
    return Array.isArray(entries) ? entries.filter((entry) => typeof entry === 'object' && entry !== null) : []
  } catch {
    return []
  }
}
