import type { ClusterRole, ClusterRoleBinding, PolicyRule, Subject } from 'kubernetes-types/rbac/v1.d.ts'
import { isForbidden } from '../../src/kube/failures.ts'
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import { aRole, aRoleBinding, aUser, uniqueName } from './builders.ts'
import type { ControlPlane } from './control-plane.ts'
import { startControlPlane } from './control-plane.ts'
import { freshNamespace } from './fresh-namespace.ts'
import { kubeClient } from './kube-client.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

/** A shared control plane, a namespace, and whoever is to be allowed or refused something in it. */
export interface AccessScene {
  plane: ControlPlane
  admin: Kube
  namespace: string
  /** A client of this user, by certificate. */
  as(user: string, ...groups: string[]): Promise<Kube>
  /** Makes cluster-wide objects that are gone after the test. */
  clusterRole(role: ClusterRole): Promise<void>
  clusterRoleBinding(binding: ClusterRoleBinding): Promise<void>
}

export async function accessScene(t: TestScope): Promise<AccessScene> {
  const plane = await startControlPlane(t)
  const admin = kubeClient(t, plane.connection())
  return {
    plane,
    admin,
    namespace: await freshNamespace(t, admin),
    as: (user, ...groups) => clientAs(t, plane, user, groups),
    clusterRole: async (role) => {
      const { metadata } = await admin.of(clusterRoles).create(role)
      teardown(t, async () => void (await admin.of(clusterRoles).delete(metadata.name)))
    },
    clusterRoleBinding: async (binding) => {
      const { metadata } = await admin.of(clusterRoleBindings).create(binding)
      teardown(t, async () => void (await admin.of(clusterRoleBindings).delete(metadata.name)))
    },
  }
}

export async function clientAs(
  t: TestScope,
  plane: ControlPlane,
  user: string,
  groups: readonly string[] = [],
): Promise<Kube> {
  const certificate = await plane.issueClientCertificate({ commonName: user, organizations: groups })
  return kubeClient(t, plane.connection({ certificate }))
}

/** Lets users, or other subjects, do something in a namespace. The server may learn of it a moment later. */
export async function grant(
  admin: Kube,
  namespace: string,
  who: readonly (string | Subject)[],
  ...rules: PolicyRule[]
): Promise<void> {
  const name = uniqueName('granted')
  await admin.of(roles, namespace).create(aRole(name, ...rules))
  const subjects = who.map((one) => (typeof one === 'string' ? aUser(one) : one))
  await admin.of(roleBindings, namespace).create(aRoleBinding(name, ...subjects))
}

/** Whether the authorizers let it pass; any other failure is thrown. */
export const isAllowed = (call: Promise<unknown>): Promise<boolean> =>
  call.then(
    () => true,
    (error) => {
      if (isForbidden(error)) return false
      throw error
    },
  )

/** The words of the server's "no". */
export const refusal = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'it was allowed',
    (error: Error) => error.message,
  )
