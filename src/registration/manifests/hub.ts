import type { Manifest } from '../../fleet/manifests/manifest.ts'
import { managedBy, manifest } from '../../fleet/manifests/manifest.ts'
import { deployments, namespaces, services } from '../../kube/kinds.ts'
import type { HubAws } from './hub-aws.ts'
import { hubAwsArguments } from './hub-aws.ts'
import { hubAccount } from './hub-rbac.ts'
import type { PodChoices } from './pod.ts'
import { flags, hardenedContainer, hardenedPod, httpsProbe, pairs, podPlacement } from './pod.ts'

export interface HubInstallation {
  namespace: string
  image: string
  /** Default 1. One leads, all answer webhooks. */
  replicas?: number
  featureGates?: Readonly<Record<string, boolean>>
  autoApprovedUsers?: readonly string[]
  registrationDrivers?: readonly string[]
  /** With the driver awsirsa. */
  aws?: HubAws
  pod?: PodChoices
}

/** Behind it the API server finds the hub's webhooks. */
export const hubService = 'lanyard-hub'
const port = 9443
/** Where people and the API servers of clusters are answered. */
const accessPort = 9444
const app = { 'app.kubernetes.io/name': 'lanyard-hub' }

/** How the hub is started; also what is printed where no image is deployed. */
export const hubArguments = (
  installation: Pick<
    HubInstallation,
    'namespace' | 'featureGates' | 'autoApprovedUsers' | 'registrationDrivers' | 'aws'
  >,
): string[] => [
  'hub',
  ...flags({
    namespace: installation.namespace,
    'enabled-registration-drivers': installation.registrationDrivers,
    'feature-gates': pairs(installation.featureGates),
    'auto-approved-csr-users': installation.autoApprovedUsers,
  }),
  ...(installation.aws ? hubAwsArguments(installation.aws) : []),
]

export const hubNamespaceManifest = (name: string): Manifest =>
  manifest(namespaces, { metadata: { name, labels: { ...managedBy } } })

/** The hub as a Deployment, and the Service that its webhooks are called by. */
export function hubManifests(installation: HubInstallation): Manifest[] {
  const { namespace, image, replicas = 1, featureGates: gates = {} } = installation
  const isAsked = gates['Reach'] !== false && gates['Access'] !== false
  const ofAccess = { name: 'access', port: accessPort, targetPort: accessPort }
  return [
    manifest(services, {
      metadata: { name: hubService, namespace, labels: { ...managedBy, ...app } },
      spec: {
        selector: app,
        ports: [{ name: 'https', port: 443, targetPort: port }, ...(isAsked ? [ofAccess] : [])],
      },
    }),
    manifest(deployments, {
      metadata: { name: hubService, namespace, labels: { ...managedBy, ...app } },
      spec: {
        replicas,
        selector: { matchLabels: app },
        template: {
          metadata: { labels: app },
          spec: {
            serviceAccountName: hubAccount,
            ...hardenedPod,
            ...podPlacement(installation.pod),
            containers: [
              {
                name: 'hub',
                image,
                args: [...hubArguments(installation), ...flags({ listen: `:${port}` })],
                ports: [
                  { name: 'https', containerPort: port },
                  ...(isAsked ? [{ name: ofAccess.name, containerPort: accessPort }] : []),
                ],
                readinessProbe: { ...httpsProbe(port), periodSeconds: 5 },
                livenessProbe: { ...httpsProbe(port), periodSeconds: 10, initialDelaySeconds: 10 },
                resources: installation.pod?.resources ?? { requests: { cpu: '50m', memory: '128Mi' } },
                ...hardenedContainer,
              },
            ],
          },
        },
      },
    }),
  ]
}
