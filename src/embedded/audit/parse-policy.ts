import { fieldErrorText } from '../../core/schema/field-errors.ts'
import { isObject } from '../../core/schema/schema.ts'
import { joinErrors } from '../authentication/verdict.ts'
import { decodeTyped } from '../kinds/decode/decode-typed.ts'
import { jsonTypeOf } from '../kinds/decode/go-types.ts'
import { readYaml } from '../kinds/decode/read-yaml.ts'
import { Undecodable } from '../kinds/decode/unfit.ts'
import { Unreadable } from '../kinds/decode/unreadable.ts'
import { failures } from './failures.ts'
import type { Level, Policy, PolicyFields, RuleFields, Stage } from './policy.ts'
import { policySchema } from './policy.ts'
import { checkPolicy } from './policy-checks.ts'

/**
 * What a Policy says. Throws what is wrong with it, all of it at once. Fields that it does not know are told by `warn`
 * and passed over, as the real server does: policies are shared between versions.
 */
export function parsePolicy(bytes: Buffer, file: string, warn: (flaws: readonly string[]) => void): Policy {
  const unusable = (detail: string) => failures.AUDIT_POLICY_INVALID({ file, detail })
  const { value, flaws } = decoding(unusable, () => readYaml(bytes))
  if (!isObject(value)) throw unusable(`failed decoding: it is no map, but ${jsonTypeOf(value)}`)
  const { apiVersion = '', kind = '' } = value
  if (apiVersion === '' && kind === '') throw unusable('unknown group version field in policy')
  if (apiVersion !== 'audit.k8s.io/v1' || kind !== 'Policy')
    throw unusable(
      `failed decoding: no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`,
    )
  const decoded = decoding(unusable, () => decodeTyped(policySchema, value, 'Policy'))
  const unknown = [...flaws, ...decoded.flaws]
  if (unknown.length > 0) warn(unknown)
  const fields = decoded.object as PolicyFields
  const errors = checkPolicy(fields)
  if (errors.length > 0) throw unusable(joinErrors(errors.map(fieldErrorText)))
  const { rules = [] } = fields
  if (rules.length === 0) throw unusable('loaded illegal policy with 0 rules')
  return { rules: rules.map((rule) => ({ ...rule, wanted: wantedBy(rule, fields) })) }
}

function decoding<T>(unusable: (detail: string) => Error, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof Unreadable) throw unusable(`failed decoding: ${error.message}`)
    if (error instanceof Undecodable) throw unusable(`failed decoding: ${error.why}`)
    throw error
  }
}

const wantedBy = ({ level, omitStages = [], omitManagedFields }: RuleFields, policy: PolicyFields) => ({
  level: level as Level,
  omitStages: new Set([...(policy.omitStages ?? []), ...omitStages] as Stage[]),
  omitManagedFields: omitManagedFields ?? policy.omitManagedFields ?? false,
})
