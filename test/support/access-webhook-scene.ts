import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import { accessDeclarations } from '../../src/access/admission/index.ts'
import { accessHubNamespaceRules, accessHubRules } from '../../src/access/manifests/hub-rbac.ts'
import { BreakglassEscalation } from '../../src/apis/breakglass/breakglass-escalation.ts'
import type { AdmissionWebhook } from '../../src/fleet/admission.ts'
import { KubeFailure } from '../../src/kube/failures.ts'
import type { Kube } from '../../src/kube/kube.ts'
import { reachHubRules } from '../../src/reach/manifests/hub-rbac.ts'
import { clientAs } from './access-scene.ts'
import { uniqueName } from './builders.ts'
import type { ControlPlane } from './control-plane.ts'
import { eventually } from './eventually.ts'
import type { TestScope } from './test-scope.ts'
import { allow, installWebhooks } from './webhook-scene.ts'

const { group } = BreakglassEscalation.resource

const writes: PolicyRule[] = [
  {
    apiGroups: [group],
    resources: [
      ...['breakglassescalations', 'breakglasssessions', 'breakglasssessions/status'],
      ...['denypolicies', 'auditconfigs', 'mailproviders'],
    ],
    verbs: ['get', 'create', 'update', 'patch'],
  },
]

/** A client of a user who may do what the hub may, and nothing else. */
export async function hubOf(t: TestScope, plane: ControlPlane, admin: Kube): Promise<Kube> {
  const name = uniqueName('hub')
  await allow(admin, name, [...reachHubRules(), ...accessHubRules(), ...accessHubNamespaceRules()])
  return clientAs(t, plane, name)
}

/** A client of a user who may write all that the webhooks of access are asked about, and do what else these rules say. */
export async function writerOf(t: TestScope, plane: ControlPlane, admin: Kube, ...rules: PolicyRule[]): Promise<Kube> {
  const name = uniqueName('writer')
  await allow(admin, name, [...writes, ...rules])
  return clientAs(t, plane, name)
}

/** Returns when they are asked. The kinds must be known already. */
export async function serveAccessWebhooks(
  t: TestScope,
  admin: Kube,
  webhooks: readonly AdmissionWebhook[],
): Promise<void> {
  await installWebhooks(t, admin, webhooks, accessDeclarations)
  const probe = { metadata: { name: uniqueName('probe') }, spec: { allowed: {} } }
  await eventually('the webhooks are called', () =>
    admin
      .of(BreakglassEscalation.resource, 'default')
      .create(probe, { dryRun: true })
      .then(
        () => false,
        (error) => error instanceof KubeFailure && error.code === 400,
      ),
  )
}
