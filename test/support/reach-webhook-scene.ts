import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import { ClusterConfig } from '../../src/apis/breakglass/cluster-config.ts'
import { IdentityProvider } from '../../src/apis/breakglass/identity-provider.ts'
import type { KubeClient } from '../../src/kube/client/index.ts'
import { KubeFailure } from '../../src/kube/failures.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { KubeObject, Resource } from '../../src/kube/objects.ts'
import { reachDeclarations, reachWebhooks } from '../../src/reach/admission/index.ts'
import { clientAs } from './access-scene.ts'
import { uniqueName } from './builders.ts'
import type { ControlPlane } from './control-plane.ts'
import { eventually } from './eventually.ts'
import type { TestScope } from './test-scope.ts'
import { allow, installWebhooks } from './webhook-scene.ts'

const { group } = ClusterConfig.resource

/** All that the webhooks ask the hub's API server for. */
const asks: PolicyRule[] = [
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  { apiGroups: [group], resources: ['clusterconfigs'], verbs: ['list'] },
  { apiGroups: [group], resources: ['identityproviders'], verbs: ['get', 'list'] },
]

const writes: PolicyRule[] = ['clusterconfigs', 'identityproviders'].map((resource) => ({
  apiGroups: [group],
  resources: [resource],
  verbs: ['get', 'create', 'update', 'patch'],
}))
const vouches: PolicyRule = { apiGroups: [group], resources: ['identityproviders'], verbs: ['escalate'] }

export interface ReachWebhooks {
  /** A client of a user who may write ClusterConfigs and IdentityProviders and do what else these rules say, anywhere. */
  user(name: string, ...rules: PolicyRule[]): Promise<Kube>
  /** The same without the right to say who vouches for people. */
  writer(name: string): Promise<Kube>
}

/** The webhooks of reach, asked from now on for a control plane of the test's own that knows the kinds already. */
export async function serveReachWebhooks(t: TestScope, plane: ControlPlane, admin: KubeClient): Promise<ReachWebhooks> {
  const hub = uniqueName('webhook-hub')
  await allow(admin, hub, asks)
  const kube = await clientAs(t, plane, hub)
  await installWebhooks(t, admin, reachWebhooks({ kube }), reachDeclarations)
  const oidc = { authority: 'https://id.example.com', clientID: 'a', insecureSkipVerify: true }
  await eventually(
    'the webhooks are called',
    async () =>
      (await isRefused(admin, ClusterConfig.resource, { spec: {} }, 'default')) &&
      (await isRefused(admin, IdentityProvider.resource, { spec: { oidc } })),
  )
  return {
    user: async (name, ...rules) => {
      await allow(admin, name, [...writes, vouches, ...rules])
      return clientAs(t, plane, name)
    },
    writer: async (name) => {
      await allow(admin, name, writes)
      return clientAs(t, plane, name)
    },
  }
}

const isRefused = <T extends KubeObject>(admin: Kube, resource: Resource<T>, object: T, namespace?: string) =>
  admin
    .of(resource, namespace)
    .create({ ...object, metadata: { name: uniqueName('probe') } }, { dryRun: true })
    .then(
      () => false,
      (error) => error instanceof KubeFailure && error.code === 400,
    )
