import type { Subject } from 'kubernetes-types/rbac/v1.d.ts'
import { serviceAccount, user } from '../../fleet/manifests/rbac.ts'
import type { Spokes } from '../../fleet/spoke/index.ts'
import type { Kube } from '../../kube/kube.ts'
import { failures } from './failures.ts'

const accountPrefix = 'system:serviceaccount:'

/** As a binding names them: a service account by its namespace and name, anybody else as a user. */
export function subjectOf(username: string): Subject {
  const [namespace, name, ...rest] = username.startsWith(accountPrefix)
    ? username.slice(accountPrefix.length).split(':')
    : []
  return namespace && name && rest.length === 0 ? serviceAccount(namespace, name) : user(username)
}

/** Who the hub is on a cluster, as the cluster itself says. */
export async function hubUserOn(name: string, spokes: Spokes, signal: AbortSignal): Promise<string> {
  try {
    const { kube } = await spokes.open(name, { signal })
    return await whoAmI(kube, signal)
  } catch (error) {
    signal.throwIfAborted()
    const detail = error instanceof Error ? error.message : String(error)
    throw failures.REACH_IDENTITY_UNKNOWN({ name, detail }, error)
  }
}

async function whoAmI(kube: Kube, signal: AbortSignal): Promise<string> {
  const apiVersion = 'authentication.k8s.io/v1'
  const { status } = await kube.request<{ status: { userInfo: { username: string } } }>({
    method: 'POST',
    path: `/apis/${apiVersion}/selfsubjectreviews`,
    contentType: 'application/json',
    body: { apiVersion, kind: 'SelfSubjectReview' },
    signal,
  })
  return status.userInfo.username
}
