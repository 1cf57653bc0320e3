import * as Type from 'typebox'
import type { ObjectOf } from '../declare.ts'
import { customResource } from '../declare.ts'
import { Bytes, Int32, Int64, MapOf, namespaceName } from '../fields.ts'
import { clusterArn, FeatureGates, group, hostName, NodePlacement, ResourceRequirement, Status } from './common.ts'

const text = (description: string) => Type.Optional(Type.String({ description }))
const texts = (description: string) => Type.Optional(MapOf(Type.String(), { description }))
const limit = (description: string, byDefault: number) => Type.Optional(Int32({ default: byDefault, description }))
const interval = (description: string) => Type.Optional(Type.String({ pattern: '^([0-9]+(s|m|h))+$', description }))
const arn = (description: string) => Type.String({ minLength: 1, pattern: clusterArn, description })

const ExternalServer = Type.Object(
  {
    url: Type.String({ description: 'The address.' }),
    caBundle: Type.Optional(Bytes({ description: 'Who vouches for it. The agent gives the CA it trusts itself.' })),
  },
  { description: 'An address of the API server of this cluster.' },
)

const HostAlias = Type.Object(
  {
    ip: Type.String({
      pattern: '^(?:(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)\\.){3}(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)$',
      description: 'Its address.',
    }),
    hostname: Type.String({ pattern: hostName, description: 'Its name.' }),
  },
  { description: 'A name of the hub that no DNS knows.' },
)

const BootstrapKubeConfigs = Type.Object(
  {
    type: Type.Enum(['None', 'LocalSecrets'], {
      default: 'None',
      description: 'None: the Secret bootstrap-hub-kubeconfig. LocalSecrets: several hubs, with the gate MultipleHubs.',
    }),
    localSecretsConfig: Type.Optional(
      Type.Object(
        {
          kubeConfigSecrets: Type.Array(
            Type.Object(
              { name: Type.String({ description: 'Of the Secret; it holds the key kubeconfig.' }) },
              { description: 'A Secret in the namespace of the agent.' },
            ),
            { minItems: 2, description: 'One for each hub, in the order they are tried.' },
          ),
          hubConnectionTimeoutSeconds: Type.Optional(
            Int32({ default: 600, minimum: 180, description: 'Silence of a hub until the next is tried.' }),
          ),
        },
        { description: 'For the type LocalSecrets.' },
      ),
    ),
  },
  { description: 'What the agent asks hubs for a first certificate with.' },
)

const RegistrationDriver = Type.Object(
  {
    authType: Type.Enum(['csr', 'awsirsa', 'grpc'], {
      default: 'csr',
      description: 'How the agent joins. This version has csr and awsirsa.',
    }),
    awsIrsa: Type.Optional(
      Type.Object(
        {
          hubClusterArn: arn('The EKS cluster of the hub.'),
          managedClusterArn: arn('This EKS cluster.'),
        },
        { description: 'For awsirsa, which needs it.' },
      ),
    ),
  },
  { description: 'How the agent shows the hub who it is.' },
)

const AddOnDriver = Type.Object(
  {
    authType: Type.Optional(
      Type.Enum(['csr', 'token'], { description: 'A client certificate, or a token of a service account.' }),
    ),
    token: Type.Optional(
      Type.Object(
        {
          expirationSeconds: Type.Optional(Int64({ description: 'Life that is asked for; unset or 0: one year.' })),
        },
        { description: 'For token.' },
      ),
    ),
  },
  { description: 'How add-ons with a credential for the hub get it.' },
)

const Registration = Type.Object(
  {
    clientCertExpirationSeconds: Type.Optional(
      Int32({ description: 'Life of the certificate of the agent; 0: as the signer likes, else 3600 or more.' }),
    ),
    featureGates: FeatureGates('Gates of the agent.'),
    clusterAnnotations: texts('Annotations of the ManagedCluster that begin with agent.open-cluster-management.io/.'),
    clusterLabels: texts('Labels of the ManagedCluster. Not acted on.'),
    kubeAPIQPS: limit('Requests a second of the agent at most.', 50),
    kubeAPIBurst: limit('Requests of the agent at once after a pause.', 100),
    bootstrapKubeConfigs: Type.Optional(BootstrapKubeConfigs),
    registrationDriver: Type.Optional(RegistrationDriver),
    addOnKubeClientRegistrationDriver: Type.Optional(AddOnDriver),
    clusterClaimConfiguration: Type.Optional(
      Type.Object(
        {
          maxCustomClusterClaims: Int32({ default: 20, description: 'How many claims are copied to the hub.' }),
          reservedClusterClaimSuffixes: Type.Optional(
            Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
              maxItems: 10,
              description: 'Claims whose names end so are always copied.',
            }),
          ),
        },
        { description: 'Which claims the hub gets to see.' },
      ),
    ),
  },
  { description: 'How the cluster joins the hub and what it shows of itself.' },
)

const Work = Type.Object(
  {
    featureGates: FeatureGates('Gates of the work agent.'),
    kubeAPIQPS: limit('Requests a second to this cluster at most.', 50),
    kubeAPIBurst: limit('Requests to this cluster at once after a pause.', 100),
    hubKubeAPIQPS: limit('Requests a second to the hub at most.', 50),
    hubKubeAPIBurst: limit('Requests to the hub at once after a pause.', 100),
    appliedManifestWorkEvictionGracePeriod: interval('How long applied works outlast their hub.'),
    statusSyncInterval: interval('Between two looks at applied works.'),
  },
  { description: 'The work agent, which this version does not have. Not acted on.' },
)

export const Klusterlet = customResource({
  group,
  kind: 'Klusterlet',
  plural: 'klusterlets',
  singular: 'klusterlet',
  scope: 'Cluster',
  versions: [
    {
      name: 'v1',
      storage: true,
      schema: Type.Object(
        {
          spec: Type.Optional(
            Type.Object(
              {
                namespace: Type.Optional(
                  Type.String({
                    maxLength: 57,
                    pattern: '^open-cluster-management-[-a-z0-9]*[a-z0-9]$',
                    description: 'Where the agent runs; open-cluster-management-agent where it is not said.',
                  }),
                ),
                clusterName: Type.Optional(
                  Type.String({
                    maxLength: 63,
                    pattern: namespaceName,
                    description: 'Of this cluster on the hub; unset: the agent finds or makes one.',
                  }),
                ),
                deployOption: Type.Optional(
                  Type.Object(
                    {
                      mode: text(
                        'Default, or Singleton, which names the agent after this object. Hosted and SingletonHosted are refused.',
                      ),
                    },
                    { description: 'Where the agent runs, and in how many pieces.' },
                  ),
                ),
                registrationImagePullSpec: text(
                  'The image of the agent; unset: imagePullSpec, else that of the operator.',
                ),
                imagePullSpec: text('The same, of the mode Singleton.'),
                workImagePullSpec: text('The image of the work agent. Not acted on.'),
                externalServerURLs: Type.Optional(
                  Type.Array(ExternalServer, { description: 'How this cluster is reached from outside.' }),
                ),
                hubApiServerHostAlias: Type.Optional(HostAlias),
                nodePlacement: NodePlacement,
                priorityClassName: text('Of the pods of the agent.'),
                resourceRequirement: ResourceRequirement,
                registrationConfiguration: Type.Optional(Registration),
                workConfiguration: Type.Optional(Work),
              },
              { description: 'What is wanted.' },
            ),
          ),
          status: Status,
        },
        { description: 'The agent of a managed cluster: `lanyard operator` keeps it as this says.' },
      ),
    },
  ],
})
export type Klusterlet = ObjectOf<typeof Klusterlet>
export type KlusterletSpec = NonNullable<Klusterlet['spec']>
