import type { NeededRole } from './roles.ts'

/** Documents as `aws iam create-role` and `aws iam put-role-policy` take them, and more for people and programs. */
export function asJson({ name, arn, description, tags, trust, policy, additions }: NeededRole): string {
  const role = {
    roleName: name,
    roleArn: arn,
    description,
    tags,
    trustPolicy: trust,
    policies: [{ policyName: policy.name, policyDocument: policy.document }],
    addedByLanyard: additions,
  }
  return `${JSON.stringify(role, null, 2)}\n`
}
