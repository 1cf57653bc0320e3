import type { SecretKeyReference } from '../../apis/breakglass/common.ts'
import type { Failure } from '../../core/failure.ts'
import type { SecretKey } from './contract.ts'
import { failures } from './failures.ts'

export const refuse = (field: string, problem: string): Failure => failures.SPOKE_INVALID({ field, problem })

/** A key that is given is the only one looked at. */
export function keyOfReference(
  reference: SecretKeyReference | undefined,
  field: string,
  otherwise: readonly string[],
): SecretKey | undefined {
  if (!reference) return undefined
  const { name, namespace, key } = reference
  if (!name) throw refuse(`${field}.name`, 'is missing')
  if (!namespace) throw refuse(`${field}.namespace`, 'is missing')
  return { namespace, name, keys: key ? [key] : otherwise, field }
}
