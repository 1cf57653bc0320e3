import type { Refusal } from './refusal.ts'

/** Of IAM: what is there and what is not. */
export const iamRefusals = {
  ROLE_UNKNOWN: {
    code: 'NoSuchEntity',
    status: 404,
    says: 'The role with name {role} cannot be found.',
    when: 'the role is not there',
  },
  ROLE_POLICY_UNKNOWN: {
    code: 'NoSuchEntity',
    status: 404,
    says: 'The role policy with name {policy} cannot be found.',
    when: 'the role has no inline policy of this name',
  },
  ATTACHMENT_UNKNOWN: {
    code: 'NoSuchEntity',
    status: 404,
    says: 'Policy {policy} was not found.',
    when: 'the managed policy is not attached to the role',
  },
  ROLE_EXISTS: {
    code: 'EntityAlreadyExists',
    status: 409,
    says: 'Role with name {role} already exists.',
    when: 'a role of this name is there, whatever its case',
  },
  ROLE_HAS_ATTACHMENTS: {
    code: 'DeleteConflict',
    status: 409,
    says: 'Cannot delete entity, must detach all policies first.',
    when: 'a role is deleted that has managed policies',
  },
  ROLE_HAS_POLICIES: {
    code: 'DeleteConflict',
    status: 409,
    says: 'Cannot delete entity, must delete policies first.',
    when: 'a role is deleted that has inline policies',
  },
  TOO_MANY_ROLES: {
    code: 'LimitExceeded',
    status: 409,
    says: 'Cannot exceed quota for RolesPerAccount: {limit}',
    when: 'the account has as many roles as it may',
  },
  TOO_MANY_TAGS: {
    code: 'LimitExceeded',
    status: 409,
    says: 'The number of tags has reached the maximum limit.',
    when: 'a role would have more than 50 tags',
  },
  TRUST_TOO_LARGE: {
    code: 'LimitExceeded',
    status: 409,
    says: 'Cannot exceed quota for ACLSizePerRole: 2048',
    when: 'a trust policy has more than 2048 characters, white space aside',
  },
  POLICIES_TOO_LARGE: {
    code: 'LimitExceeded',
    status: 409,
    says: 'Maximum policy size of 10240 bytes exceeded for role {role}',
    when: 'the inline policies of a role have more than 10240 characters together, white space aside',
  },
  PROVIDER_EXISTS: {
    code: 'EntityAlreadyExists',
    status: 409,
    says: 'Provider with url {url} already exists.',
    when: 'the account has a provider for the URL',
  },
  PROVIDER_URL_WRONG: {
    code: 'ValidationError',
    status: 400,
    says: 'Invalid Open ID Connect Provider URL',
    when: 'the URL of a provider is not https without port, query or fragment',
  },
} as const satisfies Record<string, Refusal>
