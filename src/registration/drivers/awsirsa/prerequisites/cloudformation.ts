import type { NeededRole } from './roles.ts'

/** A template with the one role. Its name is fixed, so it takes CAPABILITY_NAMED_IAM. */
export function asCloudFormation({ name, description, tags, trust, policy, additions }: NeededRole): string {
  const template = {
    AWSTemplateFormatVersion: '2010-09-09',
    Description: `${description}. Deploy it with --capabilities CAPABILITY_NAMED_IAM.`,
    Resources: {
      Role: {
        Type: 'AWS::IAM::Role',
        Metadata: { AddedByLanyard: additions.map(({ what, reason }) => ({ What: what, Reason: reason })) },
        Properties: {
          RoleName: name,
          Description: description,
          AssumeRolePolicyDocument: trust,
          Policies: [{ PolicyName: policy.name, PolicyDocument: policy.document }],
          Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
        },
      },
    },
    Outputs: { RoleArn: { Value: { 'Fn::GetAtt': ['Role', 'Arn'] } } },
  }
  return `${JSON.stringify(template, null, 2)}\n`
}
