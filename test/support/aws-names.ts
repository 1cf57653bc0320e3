import { createHash } from 'node:crypto'

/** The contract's own words, apart from the code that follows them. */
export const digest = (hubAccount: string, hubName: string, managedAccount: string, managedName: string): string =>
  createHash('md5').update(`${hubAccount}#${hubName}#${managedAccount}#${managedName}`).digest('hex')

export const marks = {
  arn: 'eks-managed-cluster-arn',
  fieldArn: 'agent.open-cluster-management.io/managed-cluster-arn',
  fieldSuffix: 'agent.open-cluster-management.io/managed-cluster-iam-role-suffix',
} as const

/** All three, as an agent of Lanyard writes them. */
export const marksOf = (arn: string, suffix: string) => ({
  [marks.arn]: arn,
  [marks.fieldArn]: arn,
  [marks.fieldSuffix]: suffix,
})
