import type { Caller } from './authenticate.ts'
import { checked, checkedNumber, checkedTags, mostTags, sizeOf } from './limits.ts'
import { listed } from './paging.ts'
import { authorize, tagKeys } from './policy-evaluation.ts'
import type { Params, Xml } from './query-protocol.ts'
import { refuse } from './refusals.ts'
import type { Account, Role, World } from './state.ts'
import { isUnread, uniqueId } from './state.ts'
import { shownTrust, trustToStore } from './trust-principals.ts'

export interface IamCall {
  world: World
  caller: Caller
  params: Params
}

export type IamHandler = (call: IamCall) => Xml

const largestTrust = 2048
const sessionRange = { least: 3600, most: 43_200, fallback: 3600 }

/** The role a call names, once the caller may do that with it. Who may not learns nothing of what is there. */
export function roleFor({ caller, params }: IamCall, action: string, extra: [string, string[]][] = []): Role {
  const name = checked('roleName', params.get('RoleName'))
  const role = findRole(caller.account, name)
  const known = [...tagKeys('ResourceTag', role?.tags ?? new Map()), ...extra]
  authorize(caller, action, role?.arn ?? roleArn(caller.account, '/', name), known)
  return role ?? refuse('ROLE_UNKNOWN', { role: name })
}

/** Exactly: names that differ in case are one name only for who makes a role. */
function findRole({ roles }: Account, name: string): Role | undefined {
  const role = roles.get(name.toLowerCase())
  return role?.name === name ? role : undefined
}

const roleArn = ({ partition, id }: Account, path: string, name: string): string =>
  `arn:${partition}:iam::${id}:role${path}${name}`

function trustIn(world: World, params: Params, name: string) {
  const document = checked(name === 'PolicyDocument' ? 'policyDocument' : 'assumeRolePolicyDocument', params.get(name))
  const trust = trustToStore(world, document)
  if (sizeOf(document) > largestTrust) refuse('TRUST_TOO_LARGE')
  return trust
}

const createRole: IamHandler = ({ world, caller, params }) => {
  const { account } = caller
  const name = checked('roleName', params.get('RoleName'))
  const path = checked('path', params.get('Path') ?? '/')
  const description = params.get('Description')
  if (description !== undefined) checked('description', description)
  const tags = checkedTags(params.structures('Tags'))
  const maxSessionSeconds = checkedNumber('maxSessionDuration', params.get('MaxSessionDuration'), sessionRange)
  const arn = roleArn(account, path, name)
  authorize(caller, 'iam:CreateRole', arn, tagKeys('RequestTag', tags))
  if (tags.size > 0) authorize(caller, 'iam:TagRole', arn, tagKeys('RequestTag', tags))
  if (account.roles.has(name.toLowerCase())) refuse('ROLE_EXISTS', { role: name })
  const trust = trustIn(world, params, 'AssumeRolePolicyDocument')
  if (account.roles.size >= world.rolesPerAccount) refuse('TOO_MANY_ROLES', { limit: world.rolesPerAccount })
  const role: Role = {
    account,
    name,
    path,
    arn,
    id: uniqueId('AROA'),
    createdAt: world.clock.now(),
    ...(description !== undefined && { description }),
    maxSessionSeconds,
    trust,
    inline: new Map(),
    attached: new Map(),
    tags,
    unseenBy: { eks: world.newRoleLag, trust: world.newRoleLag },
  }
  account.roles.set(name.toLowerCase(), role)
  return { Role: shownRole(world, role) }
}

const getRole: IamHandler = (call) => {
  const role = roleFor(call, 'iam:GetRole')
  if (isUnread(call.world, 'roles')) refuse('ROLE_UNKNOWN', { role: role.name })
  return { Role: shownRole(call.world, role) }
}

const deleteRole: IamHandler = (call) => {
  const role = roleFor(call, 'iam:DeleteRole')
  if (role.attached.size > 0) refuse('ROLE_HAS_ATTACHMENTS')
  if (role.inline.size > 0) refuse('ROLE_HAS_POLICIES')
  role.account.roles.delete(role.name.toLowerCase())
  return undefined
}

const updateAssumeRolePolicy: IamHandler = (call) => {
  const role = roleFor(call, 'iam:UpdateAssumeRolePolicy')
  role.trust = trustIn(call.world, call.params, 'PolicyDocument')
  return undefined
}

const tagRole: IamHandler = (call) => {
  const tags = checkedTags(call.params.structures('Tags'))
  const role = roleFor(call, 'iam:TagRole', tagKeys('RequestTag', tags))
  const merged = new Map([...role.tags, ...tags])
  if (merged.size > mostTags) refuse('TOO_MANY_TAGS')
  role.tags = merged
  return undefined
}

const untagRole: IamHandler = (call) => {
  const keys = call.params.list('TagKeys').map((key) => checked('tags.key', key))
  const role = roleFor(call, 'iam:UntagRole', [['aws:TagKeys', keys]])
  for (const key of keys) role.tags.delete(key)
  return undefined
}

const listRoleTags: IamHandler = (call) => {
  const { tags } = roleFor(call, 'iam:ListRoleTags')
  return listed(call.world, call.params, 'Tags', [...tags], ([Key, Value]) => ({ Key, Value }))
}

export const roleActions: Record<string, IamHandler> = {
  CreateRole: createRole,
  GetRole: getRole,
  DeleteRole: deleteRole,
  UpdateAssumeRolePolicy: updateAssumeRolePolicy,
  TagRole: tagRole,
  UntagRole: untagRole,
  ListRoleTags: listRoleTags,
}

const shownRole = (world: World, role: Role): Xml => ({
  Path: role.path,
  RoleName: role.name,
  RoleId: role.id,
  Arn: role.arn,
  CreateDate: role.createdAt,
  AssumeRolePolicyDocument: encodedDocument(JSON.stringify(shownTrust(world, role.trust))),
  Description: role.description,
  MaxSessionDuration: role.maxSessionSeconds,
  Tags: role.tags.size > 0 ? [...role.tags].map(([Key, Value]) => ({ Key, Value })) : undefined,
})

/** IAM answers documents encoded as in a URL. */
export const encodedDocument = (text: string): string => encodeURIComponent(text)
