import type { IamHandler } from './iam-roles.ts'
import { encodedDocument, roleFor } from './iam-roles.ts'
import { checked, sizeOf } from './limits.ts'
import { listed } from './paging.ts'
import { accessPolicy } from './policy-document.ts'
import { refuse } from './refusals.ts'

const largestPolicies = 10_240

const putRolePolicy: IamHandler = (call) => {
  const name = checked('policyName', call.params.get('PolicyName'))
  const document = checked('policyDocument', call.params.get('PolicyDocument'))
  const role = roleFor(call, 'iam:PutRolePolicy')
  accessPolicy(document)
  const inline = new Map(role.inline).set(name, document)
  if ([...inline.values()].reduce((sum, one) => sum + sizeOf(one), 0) > largestPolicies)
    refuse('POLICIES_TOO_LARGE', { role: role.name })
  role.inline = inline
  return undefined
}

const getRolePolicy: IamHandler = (call) => {
  const policy = checked('policyName', call.params.get('PolicyName'))
  const role = roleFor(call, 'iam:GetRolePolicy')
  const document = role.inline.get(policy) ?? refuse('ROLE_POLICY_UNKNOWN', { policy })
  return { RoleName: role.name, PolicyName: policy, PolicyDocument: encodedDocument(document) }
}

const deleteRolePolicy: IamHandler = (call) => {
  const policy = checked('policyName', call.params.get('PolicyName'))
  const role = roleFor(call, 'iam:DeleteRolePolicy')
  if (!role.inline.delete(policy)) refuse('ROLE_POLICY_UNKNOWN', { policy })
  return undefined
}

const listRolePolicies: IamHandler = (call) => {
  const { inline } = roleFor(call, 'iam:ListRolePolicies')
  return listed(call.world, call.params, 'PolicyNames', [...inline.keys()].sort(), (name) => name)
}

const listAttachedRolePolicies: IamHandler = (call) => {
  const { attached } = roleFor(call, 'iam:ListAttachedRolePolicies')
  return listed(call.world, call.params, 'AttachedPolicies', [...attached.keys()].sort(), (arn) => ({
    PolicyName: arn.split('/').at(-1),
    PolicyArn: arn,
  }))
}

const detachRolePolicy: IamHandler = (call) => {
  const policy = checked('policyArn', call.params.get('PolicyArn'))
  const role = roleFor(call, 'iam:DetachRolePolicy')
  if (!role.attached.delete(policy)) refuse('ATTACHMENT_UNKNOWN', { policy })
  return undefined
}

export const policyActions: Record<string, IamHandler> = {
  PutRolePolicy: putRolePolicy,
  GetRolePolicy: getRolePolicy,
  DeleteRolePolicy: deleteRolePolicy,
  ListRolePolicies: listRolePolicies,
  ListAttachedRolePolicies: listAttachedRolePolicies,
  DetachRolePolicy: detachRolePolicy,
}
