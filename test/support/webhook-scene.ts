import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import { installNamespaceAnnotation } from '../../src/apis/addon/conversion.ts'
import { ManagedClusterAddOn } from '../../src/apis/addon/managed-cluster-addon.ts'
import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import { convertReview } from '../../src/apis/conversion.ts'
import type { Clock } from '../../src/core/clock.ts'
import { systemClock } from '../../src/core/clock.ts'
import { silentLog } from '../../src/core/log.ts'
import type { AdmissionWebhook, WebhookDeclaration } from '../../src/fleet/admission.ts'
import type { KubeClient } from '../../src/kube/client/index.ts'
import { KubeFailure } from '../../src/kube/failures.ts'
import {
  clusterRoleBindings,
  clusterRoles,
  customResourceDefinitions,
  mutatingWebhookConfigurations,
  namespaces,
  subjectAccessReviews,
  validatingWebhookConfigurations,
} from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import { registrationDeclarations, registrationWebhooks } from '../../src/registration/admission/index.ts'
import { webhookConfigurations } from '../../src/registration/manifests/webhooks.ts'
import type { Callers } from '../../src/server/index.ts'
import { issuedBy, serve } from '../../src/server/index.ts'
import { clientAs } from './access-scene.ts'
import { aClusterRole, aClusterRoleBinding, aNamespace, aUser, uniqueName } from './builders.ts'
import { testAuthority } from './control-plane/identities.ts'
import type { ControlPlane } from './control-plane.ts'
import { unlessUnready } from './custom-resources.ts'
import { eventually } from './eventually.ts'
import { installFleetKinds, runInTest } from './fleet-scene.ts'
import { kubeClient } from './kube-client.ts'
import type { TestScope } from './test-scope.ts'

export interface WebhookScene {
  /** As the admin. */
  admin: KubeClient
  url: string
  /** Vouches for the server. */
  caPem: string
  /** A client of a user who may write ManagedClusters and do what else these rules say, anywhere. */
  user(name: string, ...rules: PolicyRule[]): Promise<Kube>
  /** Ends the server; the API server goes on asking for it. */
  stop(): Promise<void>
}

export interface WebhookSceneOptions {
  /** What taints and annotations are dated by. Default: the system's, by which the server itself always runs. */
  clock?: Pick<Clock, 'now'>
  /** Who asks for access reviews and namespaces. Default: somebody who may do just that. */
  hub?: Kube
  /** Who may call them. Default: everybody. */
  callers?: Callers
}

/**
 * The webhooks of registration and the conversion of kinds, served on loopback and known to a control plane of the test's own: it goes on asking for
 * them when the test is over. Installs the kinds of a fleet as well.
 */
export async function serveWebhooks(
  t: TestScope,
  plane: ControlPlane,
  { clock = systemClock, hub, callers }: WebhookSceneOptions = {},
): Promise<WebhookScene> {
  const admin = kubeClient(t, plane.connection())
  await installFleetKinds(admin)
  const kube = hub ?? (await leastHub(t, plane, admin))
  const webhooks = registrationWebhooks({ kube, clock })
  const served = await installWebhooks(t, admin, webhooks, registrationDeclarations, callers)
  await eventually('the webhooks are called', async () => (await isAsked(admin, 'a.b')) && (await isAsked(admin, 'ab')))
  const user = async (name: string, ...rules: PolicyRule[]) => {
    await allow(admin, name, [writesClusters, ...rules])
    return clientAs(t, plane, name)
  }
  return { admin, user, ...served }
}

/** Served on loopback and known to the control plane, in place of any that were installed before. */
export async function installWebhooks(
  t: TestScope,
  admin: Kube,
  webhooks: readonly AdmissionWebhook[],
  declarations: readonly WebhookDeclaration[],
  callers?: Callers,
): Promise<Pick<WebhookScene, 'url' | 'caPem' | 'stop'>> {
  const authority = await testAuthority('test-webhook-ca')
  const server = serve({
    listen: { host: '127.0.0.1', port: 0 },
    certificate: issuedBy(authority, { names: { ipAddresses: ['127.0.0.1'] }, clock: systemClock }),
    clock: systemClock,
    log: silentLog,
    webhooks,
    convert: convertReview,
    callers,
  })
  const stop = runInTest(t, [server.run])
  const { url } = await server.listening
  const { mutating, validating } = webhookConfigurations(declarations, { url }, authority.certPem)
  const owner = { fieldManager: 'test', force: true }
  await admin.of(mutatingWebhookConfigurations).apply(mutating as never, owner)
  await admin.of(validatingWebhookConfigurations).apply(validating as never, owner)
  return { url, caPem: authority.certPem, stop }
}

async function leastHub(t: TestScope, plane: ControlPlane, admin: Kube): Promise<Kube> {
  const name = uniqueName('webhook-hub')
  await allow(admin, name, [
    { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
    { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] },
    { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['list'] },
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['list'] },
    { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: ['list'] },
  ])
  return clientAs(t, plane, name)
}

const writesClusters: PolicyRule = {
  apiGroups: [ManagedCluster.resource.group],
  resources: ['managedclusters'],
  verbs: ['get', 'create', 'update', 'patch'],
}

/** Returns when the server knows it: it learns of rights a moment after they were written. */
export async function allow(admin: Kube, user: string, rules: PolicyRule[]): Promise<void> {
  const role = uniqueName('webhook-user')
  await admin.of(clusterRoles).create(aClusterRole(role, ...rules))
  await admin.of(clusterRoleBindings).create(aClusterRoleBinding(role, aUser(user)))
  for (const { apiGroups: [group = ''] = [], resources = [], verbs, resourceNames = [] } of rules) {
    const [resource = '', subresource = ''] = resources[0]?.split('/') ?? []
    const resourceAttributes = { group, resource, subresource, verb: `${verbs[0]}`, name: resourceNames[0] ?? '' }
    await eventually(`${user} may ${verbs[0]} ${resources[0]}`, async () => {
      const { status } = await admin.of(subjectAccessReviews).create({ spec: { user, resourceAttributes } })
      return status?.allowed
    })
  }
}

/** The name is refused by the mutating webhook, the address by the validating one. */
const isAsked = (admin: Kube, name: string): Promise<boolean> =>
  admin
    .of(ManagedCluster.resource)
    .create({ metadata: { name }, spec: { managedClusterClientConfigs: [{ url: 'http://unsafe' }] } }, { dryRun: true })
    .then(
      () => false,
      (error) => error instanceof KubeFailure && error.code === 400,
    )

/** Makes a control plane convert add-ons by a server of webhooks, and waits until it does. */
export async function convertAddOns(admin: Kube, { url, caPem }: Pick<WebhookScene, 'url' | 'caPem'>): Promise<void> {
  const namespace = uniqueName('converted')
  await admin.of(namespaces).create(aNamespace(namespace))
  const crd = ManagedClusterAddOn.crd({ conversion: { url, caBundle: Buffer.from(caPem).toString('base64') } })
  await admin.of(customResourceDefinitions).apply(crd as never, { fieldManager: 'test', force: true })
  const { v1alpha1, v1beta1 } = ManagedClusterAddOn.versions
  // Another one each time: what is written before the API server has heard of the conversion has lost what it had.
  await eventually('what is written in one version is read in the other', async () => {
    const name = uniqueName('addon')
    const written = { metadata: { name }, spec: { installNamespace: 'tools' } }
    if (!(await unlessUnready(admin.of(v1alpha1, namespace).create(written)))) return false
    const read = await unlessUnready(admin.of(v1beta1, namespace).get(name))
    return read?.metadata.annotations?.[installNamespaceAnnotation] === 'tools'
  })
}
