import { PutRolePolicyCommand } from '@aws-sdk/client-iam'
import type { Provocation } from './provocations-caller.ts'
import { allow, hubAccount, policyOf, trustAccount, trustRole } from './scene.ts'

const access =
  (document: object | string): Provocation =>
  async ({ createRole, clients }) => {
    await createRole('r')
    const PolicyDocument = typeof document === 'string' ? document : JSON.stringify(document)
    await clients().iam.send(new PutRolePolicyCommand({ RoleName: 'r', PolicyName: 'p', PolicyDocument }))
  }

const trust =
  (document: object): Provocation =>
  ({ createRole }) =>
    createRole('r', { trust: document })

const [trusting = {}] = trustAccount(hubAccount).Statement

export const documentProvocations = {
  DOCUMENT_NOT_JSON: access('{'),
  DOCUMENT_SYNTAX: access({ Version: '2026-01-01', Statement: [allow('eks:*')] }),
  DOCUMENT_WITHOUT_ACTION: access(policyOf({ Effect: 'Allow', Resource: '*' })),
  DOCUMENT_WITHOUT_RESOURCE: access(policyOf({ Effect: 'Allow', Action: 'eks:*' })),
  ACTION_WITHOUT_VENDOR: access(policyOf(allow('DescribeCluster'))),
  RESOURCE_NOT_ARN: access(policyOf(allow('eks:*', 'cluster/hub'))),
  ACCESS_WITH_PRINCIPAL: access(policyOf({ ...allow('eks:*'), Principal: '*' })),
  TRUST_WITH_RESOURCE: trust(policyOf({ ...trusting, Resource: '*' })),
  TRUST_WITHOUT_PRINCIPAL: trust(policyOf({ Effect: 'Allow', Action: 'sts:AssumeRole' })),
  TRUST_ACTION_WRONG: trust(policyOf({ ...trusting, Action: 'iam:PassRole' })),
  PRINCIPAL_INVALID: trust(trustRole(`arn:aws:iam::${hubAccount}:role/not-there`)),
  OPERATOR_UNKNOWN: trust(trustRole('*', { StringResembles: { 'aws:PrincipalTag/a': 'b' } })),
} satisfies Record<string, Provocation>

/** More ways to the same rows, for documents that are wrong in other places. */
export const otherDocuments: Record<string, Provocation> = {
  'DOCUMENT_SYNTAX: a list': access('[]'),
  'DOCUMENT_SYNTAX: no statement': access({ Version: '2012-10-17' }),
  'DOCUMENT_SYNTAX: an unknown effect': access(policyOf({ ...allow('eks:*'), Effect: 'allow' })),
  'DOCUMENT_SYNTAX: NotAction, which the stand-in does not know': access(
    policyOf({ Effect: 'Allow', NotAction: 'eks:*', Resource: '*' }),
  ),
  'DOCUMENT_SYNTAX: a policy variable, which the stand-in does not know': access(
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as AWS spells it
    policyOf(allow('eks:*', 'arn:aws:eks:eu-west-1:1:cluster/${aws:PrincipalTag/hub}')),
  ),
  'PRINCIPAL_INVALID: an account that is not there': trust(trustAccount('999999999999')),
  'PRINCIPAL_INVALID: the id of a deleted role': trust(trustRole('AROAABCDEFGHIJKLMNOPQ')),
  'PRINCIPAL_INVALID: a provider that is none': trust(
    policyOf({ Effect: 'Allow', Principal: { Federated: 'nobody' }, Action: 'sts:AssumeRoleWithWebIdentity' }),
  ),
}
