import type { Refusal } from './refusal.ts'

/** Of IAM: policy documents. */
export const documentRefusals = {
  DOCUMENT_NOT_JSON: {
    code: 'MalformedPolicyDocument',
    status: 400,
    says: 'This policy contains invalid Json',
    when: 'a document is not JSON',
  },
  DOCUMENT_SYNTAX: {
    code: 'MalformedPolicyDocument',
    status: 400,
    says: 'Syntax errors in policy. ({what})',
    when: 'a document has a field, version, effect or type that the grammar does not have, or the stand-in does not know',
  },
  DOCUMENT_WITHOUT_ACTION: {
    code: 'MalformedPolicyDocument',
    status: 400,
    says: 'Policy statement must contain actions.',
    when: 'a statement has no Action',
  },
  DOCUMENT_WITHOUT_RESOURCE: {
    code: 'MalformedPolicyDocument',
    status: 400,
    says: 'Policy statement must contain resources.',
    when: 'a statement of an access policy has no Resource',
  },
  ACTION_WITHOUT_VENDOR: {
    code: 'MalformedPolicyDocument',
    status: 400,
    says: 'Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc.',
    when: 'an Action is neither * nor service:name',
  },
  RESOURCE_NOT_ARN: {
    code: 'MalformedPolicyDocument',
    status: 400,
    says: 'Resource {resource} must be in ARN format or "*".',
    when: 'a Resource is neither * nor an ARN',
  },
  ACCESS_WITH_PRINCIPAL: {
    code: 'MalformedPolicyDocument',
    status: 400,
    says: 'Policy document should not specify a principal.',
    when: 'an access policy has a Principal',
  },
  TRUST_WITH_RESOURCE: {
    code: 'MalformedPolicyDocument',
    status: 400,
    says: 'Has prohibited field Resource',
    when: 'a trust policy has a Resource',
  },
  TRUST_WITHOUT_PRINCIPAL: {
    code: 'MalformedPolicyDocument',
    status: 400,
    says: 'Missing required field Principal',
    when: 'a statement of a trust policy has no Principal',
  },
  TRUST_ACTION_WRONG: {
    code: 'MalformedPolicyDocument',
    status: 400,
    says: 'AssumeRole policy may only specify STS AssumeRole actions.',
    when: 'a trust policy has an Action that is not one of assuming roles',
  },
  PRINCIPAL_INVALID: {
    code: 'MalformedPolicyDocument',
    status: 400,
    says: 'Invalid principal in policy: "{kind}":"{principal}"',
    when: 'a trust policy names a role, user or account that is not there (yet), or something that is no principal',
  },
  OPERATOR_UNKNOWN: {
    code: 'MalformedPolicyDocument',
    status: 400,
    says: 'Invalid Condition type : {operator}',
    when: 'a condition has an operator that AWS, or the stand-in, does not know',
  },
} as const satisfies Record<string, Refusal>
