import type { User } from '../../authentication/user.ts'
import type { PathAttributes, ResourceAttributes } from '../attributes.ts'

export const somebody = (name: string, ...groups: string[]): User => ({ name, groups })

/** `get pods`, `list deployments.apps`, `get pods/log x`. */
export function resourceQuestion(
  who: User | string,
  text: string,
  more: Partial<ResourceAttributes> = {},
): ResourceAttributes {
  const [verb = '', what = '', name = ''] = text.split(' ')
  const [whole = '', ...groups] = what.split('.')
  const [resource = '', subresource = ''] = whole.split('/')
  const user = typeof who === 'string' ? somebody(who) : who
  return { user, verb, group: groups.join('.'), version: 'v1', resource, subresource, namespace: '', name, ...more }
}

export const pathQuestion = (who: User | string, verb: string, path: string): PathAttributes => ({
  user: typeof who === 'string' ? somebody(who) : who,
  verb,
  path,
})
