import type { Manifest } from '../../fleet/manifests/manifest.ts'
import { managedBy, manifest, secretData } from '../../fleet/manifests/manifest.ts'
import { boundRole, clusterRole, clusterRoleBinding, rule, serviceAccount } from '../../fleet/manifests/rbac.ts'
import { agentSecrets, clusterNameConfigMap } from '../../fleet/names.ts'
import { deployments, namespaces, secrets, serviceAccounts } from '../../kube/kinds.ts'
import { addonNamespaceManifests, addonRbacManifests, agentAddonRules } from './agent-addons.ts'
import { agentReachManifests, agentReachRules } from './agent-reach.ts'
import { roleArnAnnotation } from './hub-aws.ts'
import type { PodChoices } from './pod.ts'
import { flags, hardenedContainer, hardenedPod, httpsProbe, pairs, podPlacement } from './pod.ts'

export interface AgentInstallation {
  namespace: string
  image: string
  /** Absent: the agent finds or makes a name. */
  clusterName?: string
  /** Holds the key `kubeconfig`. Default: bootstrap-hub-kubeconfig. */
  bootstrapSecret?: string
  featureGates?: Readonly<Record<string, boolean>>
  clusterAnnotations?: Readonly<Record<string, string>>
  /** 0: as long as the signer gives. */
  clientCertExpirationSeconds?: number
  /** How add-ons come to the hub. Absent: csr. */
  addonKubeClientRegistrationAuth?: 'csr' | 'token'
  /** Of the tokens of add-ons. 0: a year. */
  addonTokenExpirationSeconds?: number
  /** Where add-ons may be. Default: open-cluster-management-agent-addon. */
  addonNamespaces?: readonly string[]
  /** Of this agent. Absent: it makes one. */
  agentId?: string
  /** How it joins. Absent: csr. */
  registrationAuth?: string
  /** With awsirsa. */
  aws?: AgentAws
  /** How the cluster is reached from outside. */
  externalServerUrls?: readonly string[]
  /** Secrets of several hubs, each with the key `kubeconfig`, in place of `bootstrapSecret`: mounted as files. */
  bootstrapSecrets?: readonly string[]
  hubConnectionTimeoutSeconds?: number
  maxCustomClusterClaims?: number
  reservedClusterClaimSuffixes?: readonly string[]
  kubeApiQps?: number
  kubeApiBurst?: number
  /** Whether the agent hands its hub a way into the cluster, once the hub asks for one. */
  offerReach?: boolean
  /** Of the tokens that it hands over. Absent: an hour. */
  reachTokenExpirationSeconds?: number
  pod?: PodChoices
}

/** How an agent joins by AWS IAM. */
export interface AgentAws {
  hubClusterArn: string
  managedClusterArn: string
  /** Of the agent's pod. */
  roleArn: string
  /** Which program the kubeconfig for others names. Default: lanyard. */
  exec?: 'lanyard' | 'aws'
  /** Where they find it. Default: on their PATH. */
  execCommand?: string
}

export const agentAccount = 'lanyard-agent'
/** The ClusterRole and its binding: of its own for each namespace, because a cluster on two hubs has two agents. */
export const agentRole = (namespace: string): string => `open-cluster-management:lanyard-agent:${namespace}`
export const agentDeployment = 'lanyard-agent'
/** Of the election among agents. */
export const agentLease = 'lanyard-agent'

const port = 8443
const app = { 'app.kubernetes.io/name': 'lanyard-agent' }
const look = ['get', 'list', 'watch']
/** The folder for the files is made below it by the agent, who may not change the mode of the mount itself. */
const ownVolume = '/spoke'
const bootstrapVolume = '/bootstrap'

export const agentNamespaceManifest = (name: string): Manifest =>
  manifest(namespaces, { metadata: { name, labels: { ...managedBy } } })

/** What the agent begins with: a kubeconfig that may ask to join. */
export const bootstrapSecretManifest = (namespace: string, kubeconfig: string, name: string = agentSecrets.bootstrap) =>
  manifest(secrets, {
    metadata: { name, namespace, labels: { ...managedBy } },
    type: 'Opaque',
    data: secretData({ kubeconfig }),
  })

/** Create cannot be limited to names, so it stands apart. */
const ownRules = (bootstrapSecret: string) => [
  rule('', ['secrets', 'configmaps'], ['create']),
  rule('', ['secrets'], [...look, 'patch'], [agentSecrets.hubKubeconfig]),
  rule('', ['secrets'], look, [bootstrapSecret]),
  rule('', ['configmaps'], ['get', 'patch'], [clusterNameConfigMap]),
  rule('coordination.k8s.io', ['leases'], ['create']),
  rule('coordination.k8s.io', ['leases'], ['get', 'update'], [agentLease]),
  rule('', ['events'], ['get', 'create', 'patch']),
]

const clusterRules = () => [
  rule('', ['nodes'], ['list', 'watch']),
  rule('cluster.open-cluster-management.io', ['clusterclaims'], ['list', 'watch']),
  rule('about.k8s.io', ['clusterproperties'], ['list', 'watch']),
  rule('config.openshift.io', ['clusterversions'], ['get']),
  // Those that the sets of the cluster want on it.
  rule('', ['namespaces'], ['get', 'list', 'create', 'patch']),
  { nonResourceURLs: ['/livez', '/healthz', '/version'], verbs: ['get'] },
]

export function agentRbacManifests(installation: AgentInstallation) {
  const { namespace, bootstrapSecret = agentSecrets.bootstrap, aws } = installation
  const account = serviceAccount(namespace, agentAccount)
  const forAddons = agentAddonRules(installation)
  return [
    manifest(serviceAccounts, {
      metadata: {
        name: agentAccount,
        namespace,
        labels: { ...managedBy },
        // By it EKS puts the token of the role into the pod, so nothing has to be mounted here.
        ...(aws && { annotations: { [roleArnAnnotation]: aws.roleArn } }),
      },
    }),
    ...boundRole(
      namespace,
      agentAccount,
      [...ownRules(bootstrapSecret), ...forAddons.own, ...agentReachRules(installation)],
      [account],
    ),
    clusterRole(agentRole(namespace), [...clusterRules(), ...forAddons.cluster]),
    clusterRoleBinding(agentRole(namespace), agentRole(namespace), [account]),
    ...addonRbacManifests(installation, agentRole(namespace), agentAccount),
    ...agentReachManifests(installation),
  ]
}

/** No bootstrap file: the Secret is read and watched as it is, a mounted one would change a minute later. */
export const agentArguments = (installation: AgentInstallation): string[] => [
  'agent',
  ...flags({
    namespace: installation.namespace,
    'spoke-cluster-name': installation.clusterName,
    'bootstrap-kubeconfig-secret': installation.bootstrapSecrets
      ? undefined
      : (installation.bootstrapSecret ?? agentSecrets.bootstrap),
    'hub-kubeconfig-secret': agentSecrets.hubKubeconfig,
    'hub-kubeconfig-dir': `${ownVolume}/hub-kubeconfig`,
    'feature-gates': pairs(installation.featureGates),
    'cluster-annotations': pairs(installation.clusterAnnotations),
    'client-cert-expiration-seconds': installation.clientCertExpirationSeconds || undefined,
    'addon-kubeclient-registration-auth': installation.addonKubeClientRegistrationAuth,
    'addon-token-expiration-seconds': installation.addonTokenExpirationSeconds || undefined,
    'agent-id': installation.agentId,
    'registration-auth': installation.registrationAuth ?? (installation.aws && 'awsirsa'),
    'hub-cluster-arn': installation.aws?.hubClusterArn,
    'managed-cluster-arn': installation.aws?.managedClusterArn,
    'aws-exec': installation.aws?.exec,
    'aws-exec-command': installation.aws?.execCommand,
    'spoke-external-server-urls': installation.externalServerUrls,
    'hub-connection-timeout-seconds': installation.hubConnectionTimeoutSeconds,
    'max-custom-cluster-claims': installation.maxCustomClusterClaims,
    'reserved-cluster-claim-suffixes': installation.reservedClusterClaimSuffixes,
    'kube-api-qps': installation.kubeApiQps,
    'kube-api-burst': installation.kubeApiBurst,
    'reach-token-expiration-seconds': installation.reachTokenExpirationSeconds,
    listen: `:${port}`,
  }),
  ...(installation.offerReach ? ['--offer-reach'] : []),
  ...severalHubs(installation),
]

/** Files: the agent may read no Secret but its own two. Empty, the name of the one Secret means that there is none. */
const severalHubs = ({ bootstrapSecrets }: AgentInstallation): string[] =>
  bootstrapSecrets
    ? [
        '--bootstrap-kubeconfig-secret=',
        ...bootstrapSecrets.map((name) => `--bootstrap-kubeconfigs=${bootstrapVolume}/${name}/kubeconfig`),
      ]
    : []

/** A Secret that is not there yet must not keep the agent from the other hubs. */
const bootstrapVolumes = ({ bootstrapSecrets = [] }: AgentInstallation) => ({
  volumes: bootstrapSecrets.map((secretName, index) => ({
    name: `bootstrap-${index}`,
    secret: { secretName, optional: true },
  })),
  volumeMounts: bootstrapSecrets.map((name, index) => ({
    name: `bootstrap-${index}`,
    mountPath: `${bootstrapVolume}/${name}`,
    readOnly: true,
  })),
})

/** Recreate: two agents at a time would be two candidates for one identity. */
export const agentDeploymentManifest = (installation: AgentInstallation): Manifest =>
  manifest(deployments, {
    metadata: { name: agentDeployment, namespace: installation.namespace, labels: { ...managedBy, ...app } },
    spec: {
      replicas: 1,
      strategy: { type: 'Recreate' },
      selector: { matchLabels: app },
      template: {
        metadata: { labels: app },
        spec: {
          serviceAccountName: agentAccount,
          ...hardenedPod,
          ...podPlacement(installation.pod),
          containers: [
            {
              name: 'agent',
              image: installation.image,
              args: agentArguments(installation),
              ports: [{ name: 'https', containerPort: port }],
              readinessProbe: { ...httpsProbe(port), periodSeconds: 5 },
              livenessProbe: { ...httpsProbe(port), periodSeconds: 10, initialDelaySeconds: 10 },
              resources: installation.pod?.resources ?? { requests: { cpu: '20m', memory: '64Mi' } },
              volumeMounts: [{ name: 'own', mountPath: ownVolume }, ...bootstrapVolumes(installation).volumeMounts],
              ...hardenedContainer,
            },
          ],
          volumes: [{ name: 'own', emptyDir: { medium: 'Memory' } }, ...bootstrapVolumes(installation).volumes],
        },
      },
    },
  })

export const agentManifests = (installation: AgentInstallation): Manifest[] => [
  agentNamespaceManifest(installation.namespace),
  ...addonNamespaceManifests(installation),
  ...agentRbacManifests(installation),
  agentDeploymentManifest(installation),
]
