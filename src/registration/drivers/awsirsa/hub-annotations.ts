import type { Failure } from '../../../core/failure.ts'
import { awsAnnotations } from '../marks.ts'
import { failures } from './failures.ts'
import type { EksCluster } from './names.ts'
import { parseEksArn, quoted, roleSuffix, whyApart } from './names.ts'

export { awsAnnotations }

export type Claimed =
  /** Another driver's cluster. */
  | { readonly claim: 'none' }
  | { readonly claim: 'aws'; readonly managed: EksCluster }
  | { readonly claim: 'refused'; readonly failure: Failure }

/** What the annotations of a ManagedCluster say, in either form. Nothing of it is believed that this hub can compute. */
export function claimOf(annotations: Readonly<Record<string, string>> | undefined, hub: EksCluster): Claimed {
  const { arn, fieldArn, fieldSuffix } = awsAnnotations
  const { [arn]: own, [fieldArn]: field, [fieldSuffix]: suffix } = annotations ?? {}
  const found = own ?? field
  if (found === undefined)
    return suffix === undefined
      ? { claim: 'none' }
      : refused(failures.AWS_ANNOTATION_MISSING({ present: fieldSuffix, missing: fieldArn }))
  if (own !== undefined && field !== undefined && own !== field)
    return refused(failures.AWS_ARNS_DISAGREE({ one: arn, other: fieldArn }))
  if (own === undefined && suffix === undefined)
    return refused(failures.AWS_ANNOTATION_MISSING({ present: fieldArn, missing: fieldSuffix }))
  const managed = parseEksArn(found)
  if ('wrong' in managed)
    return refused(
      failures.AWS_ARN_MALFORMED({ annotation: own === undefined ? fieldArn : arn, detail: managed.wrong }),
    )
  const apart = whyApart(hub, managed)
  if (apart !== undefined) return refused(failures.AWS_PARTITIONS_DIFFER({ detail: apart }))
  const expected = roleSuffix(hub, managed)
  if (suffix !== undefined && suffix !== expected)
    return refused(failures.AWS_SUFFIX_WRONG({ annotation: fieldSuffix, found: quoted(suffix), expected }))
  return { claim: 'aws', managed }
}

const refused = (failure: Failure): Claimed => ({ claim: 'refused', failure })
