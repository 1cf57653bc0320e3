import type { Refusal } from './refusal.ts'

/** Of EKS. */
export const eksRefusals = {
  CLUSTER_UNKNOWN: {
    code: 'ResourceNotFoundException',
    status: 404,
    says: 'No cluster found for name: {cluster}.',
    when: 'the caller has no cluster of this name in the region',
  },
  ENTRY_UNKNOWN: {
    code: 'ResourceNotFoundException',
    status: 404,
    says: "The specified principalArn could not be found. You can view your available access entries with 'list-access-entries'.",
    when: 'the cluster has no access entry for the principal',
  },
  RESOURCE_UNKNOWN: {
    code: 'NotFoundException',
    status: 404,
    says: 'Resource {arn} not found',
    when: 'what is to be tagged is not there',
  },
  ENTRY_EXISTS: {
    code: 'ResourceInUseException',
    status: 409,
    says: 'The specified access entry resource is already in use on this cluster.',
    when: 'the cluster has an access entry for the principal',
  },
  ENTRY_PRINCIPAL_INVALID: {
    code: 'InvalidParameterException',
    status: 400,
    says: 'The specified principalArn is invalid: invalid principal.',
    when: 'the principal of an access entry is not there (yet)',
  },
  ENTRY_PRINCIPAL_MALFORMED: {
    code: 'InvalidParameterException',
    status: 400,
    says: 'The principalArn parameter format is not valid',
    when: 'the principal of an access entry is not the ARN of a role or user, but a session, say',
  },
  CLUSTER_NAME_MALFORMED: {
    code: 'InvalidParameterException',
    status: 400,
    says: 'The parameter name contains invalid characters. It should conform to the regular expression {pattern}',
    when: 'the name of a cluster is not letters, digits, - and _, or has more than 100 of them',
  },
  ENTRY_GROUP_RESERVED: {
    code: 'InvalidParameterException',
    status: 400,
    says: 'The kubernetes group name {group} is invalid, it cannot start with system:',
    when: 'a group of an access entry begins with system:',
  },
  ENTRY_USERNAME_RESERVED: {
    code: 'InvalidParameterException',
    status: 400,
    says: 'The username must not begin with {prefix}',
    when: 'a user name of an access entry begins with system:, eks:, aws:, amazon: or iam:',
  },
  ENTRY_TYPE_WRONG: {
    code: 'InvalidParameterException',
    status: 400,
    says: 'The specified type is invalid: {type}',
    when: 'an access entry is of a type that AWS does not know, or a node type with a user name or groups',
  },
  ENTRY_MODE_WRONG: {
    code: 'InvalidRequestException',
    status: 400,
    says: "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] to perform this operation.",
    when: 'access entries are used on a cluster with authentication mode CONFIG_MAP',
  },
  EKS_PARAMETER_WRONG: {
    code: 'InvalidParameterException',
    status: 400,
    says: '{what}',
    when: 'a field of a call to EKS is missing, of another type, too long, or a page is asked for that was not given out',
  },
  EKS_TAGS_WRONG: {
    code: 'BadRequestException',
    status: 400,
    says: '{what}',
    when: 'TagResource is given tags that AWS does not take',
  },
} as const satisfies Record<string, Refusal>
