import { Secret } from '../../../core/secret.ts'
import { failures } from '../../failures.ts'
import { textField } from '../http/index.ts'
import type { Found } from '../registry.ts'
import { usernameOf } from './names.ts'

interface Asked {
  id: string
  org: string
  name: string
  instanceId: string
}

/** A robot as Quay shows it. Its dates are not read: they are RFC 2822, and nothing here depends on them. */
export function robotOf(json: unknown, { id, org, name, instanceId }: Asked): Found {
  const username = usernameOf(org, name)
  if (textField(json, 'name') !== username)
    throw failures.REGISTRY_UNCERTAIN({ registry: id, detail: 'it answers with another robot than it was asked for' })
  const token = textField(json, 'token')
  const mark = textField(json, 'unstructured_metadata', 'instance_id')
  return {
    name,
    ...(mark !== undefined && { isOurs: mark === instanceId }),
    ...(token !== undefined && { account: { username, token: Secret.of(token) } }),
  }
}
