import { secrets } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { TokenDeps } from './oidc/index.ts'

/** Keeps the successor of a refresh token. One key alone is written: whatever else happens to the Secret stays. */
export const keepRotatedIn =
  (kube: Kube): TokenDeps['keepRotated'] =>
  async ({ namespace, name }, key, value) => {
    const data = { [key]: Buffer.from(value).toString('base64') }
    await kube.of(secrets, namespace).patch(name, { type: 'merge', body: { data } })
  }
