import { accessHubRoleManifest } from '../../access/manifests/hub.ts'
import { spokeKinds } from '../../apis/fleet-kinds.ts'
import { ClusterManager } from '../../apis/operator/cluster-manager.ts'
import { Klusterlet } from '../../apis/operator/klusterlet.ts'
import type { Manifest } from '../../fleet/manifests/manifest.ts'
import { managedBy, manifest } from '../../fleet/manifests/manifest.ts'
import { boundRole, clusterRole, clusterRoleBinding, rule, serviceAccount } from '../../fleet/manifests/rbac.ts'
import { addonNamespace, operatorNamespace } from '../../fleet/names.ts'
import { deployments, namespaces, serviceAccounts } from '../../kube/kinds.ts'
import { reachHubRoleManifest } from '../../reach/manifests/hub.ts'
import { clusterInfo } from '../../registration/manifests/cluster-info.ts'
import { crdManifests } from '../../registration/manifests/crds.ts'
import { hubNamespaceManifest } from '../../registration/manifests/hub.ts'
import { awsAuthConfigMap } from '../../registration/manifests/hub-aws.ts'
import { flags, hardenedContainer, hardenedPod, httpsProbe } from '../../registration/manifests/pod.ts'
import { operatorAccount, operatorDeployment, operatorLease, operatorRole } from '../names.ts'
import { awsAuthRoles, awsAuthRules } from './aws-auth.ts'
import { bootstrapNamespaceRules, clusterInfoRules, hubClusterRules, hubNamespaceRules } from './hub-side.ts'
import { addonNamespaceRules, agentNamespaceRules, managedClusterRules, managedNamespaces } from './managed-side.ts'

export type Side = 'managed-cluster' | 'hub'

export interface OperatorInstallation {
  image: string
  /** Default: open-cluster-management. */
  namespace?: string
  /** Of agents and hubs that name none. Default: the same. */
  workloadImage?: string
  sides: readonly Side[]
  agentNamespaces: readonly string[]
  hubNamespace: string
}

const port = 8443
const app = { 'app.kubernetes.io/name': 'lanyard-operator' }

/**
 * The operator has no right beyond the namespaces it is told to work in, but for what agents and hubs are given
 * everywhere: Kubernetes lets nobody give away a right they do not have.
 */
export function operatorRbacManifests(installation: OperatorInstallation): Manifest[] {
  const { namespace = operatorNamespace, sides, agentNamespaces, hubNamespace } = installation
  const account = serviceAccount(namespace, operatorAccount)
  const within = (where: string, rules: Parameters<typeof clusterRole>[1]) =>
    boundRole(where, operatorRole, rules, [account])
  const managed = sides.includes('managed-cluster')
  const hub = sides.includes('hub')
  const own = [
    rule('coordination.k8s.io', ['leases'], ['create']),
    rule('coordination.k8s.io', ['leases'], ['get', 'update'], [operatorLease]),
    ...(hub ? bootstrapNamespaceRules() : []),
  ]
  return [
    manifest(namespaces, { metadata: { name: namespace, labels: { ...managedBy } } }),
    ...(managed ? managedNamespaces(agentNamespaces) : []),
    ...(hub ? [hubNamespaceManifest(hubNamespace)] : []),
    manifest(serviceAccounts, { metadata: { name: operatorAccount, namespace, labels: { ...managedBy } } }),
    clusterRole(operatorRole, [
      rule('', ['namespaces'], ['get', 'create']),
      // Of objects that are in no namespace.
      rule('', ['events'], ['get', 'create', 'patch']),
      ...(managed ? managedClusterRules(agentNamespaces) : []),
      ...(hub ? hubClusterRules(hubNamespace) : []),
    ]),
    clusterRoleBinding(operatorRole, operatorRole, [account]),
    ...(hub ? [reachHubRoleManifest(), accessHubRoleManifest(), ...awsAuthRoles()] : []),
    ...within(namespace, own),
    ...(managed ? agentNamespaces.flatMap((where) => within(where, agentNamespaceRules(where))) : []),
    ...(managed ? within(addonNamespace, addonNamespaceRules(agentNamespaces)) : []),
    ...(hub ? within(hubNamespace, hubNamespaceRules(hubNamespace)) : []),
    ...(hub ? within(clusterInfo.namespace, clusterInfoRules(hubNamespace)) : []),
    ...(hub ? within(awsAuthConfigMap.namespace, awsAuthRules()) : []),
  ]
}

export const operatorDeploymentManifest = (installation: OperatorInstallation): Manifest =>
  manifest(deployments, {
    metadata: {
      name: operatorDeployment,
      namespace: installation.namespace ?? operatorNamespace,
      labels: { ...managedBy, ...app },
    },
    spec: {
      replicas: 1,
      selector: { matchLabels: app },
      template: {
        metadata: { labels: app },
        spec: {
          serviceAccountName: operatorAccount,
          ...hardenedPod,
          containers: [
            {
              name: 'operator',
              image: installation.image,
              args: operatorArguments(installation),
              ports: [{ name: 'https', containerPort: port }],
              readinessProbe: { ...httpsProbe(port), periodSeconds: 5 },
              livenessProbe: { ...httpsProbe(port), periodSeconds: 10, initialDelaySeconds: 10 },
              resources: { requests: { cpu: '20m', memory: '64Mi' } },
              ...hardenedContainer,
            },
          ],
        },
      },
    },
  })

export const operatorArguments = (installation: OperatorInstallation): string[] => [
  'operator',
  ...flags({
    for: installation.sides.length === 2 ? 'both' : installation.sides[0],
    namespace: installation.namespace ?? operatorNamespace,
    image: installation.workloadImage ?? installation.image,
    'agent-namespaces': installation.sides.includes('managed-cluster') ? installation.agentNamespaces : undefined,
    'hub-namespace': installation.sides.includes('hub') ? installation.hubNamespace : undefined,
    listen: `:${port}`,
  }),
]

/** All of it: the kinds first, the operator last. */
export const operatorManifests = (installation: OperatorInstallation): Manifest[] => [
  ...crdManifests([
    ...(installation.sides.includes('managed-cluster') ? [Klusterlet, ...spokeKinds] : []),
    ...(installation.sides.includes('hub') ? [ClusterManager] : []),
  ]),
  ...operatorRbacManifests(installation),
  operatorDeploymentManifest(installation),
]
