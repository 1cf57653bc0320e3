import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Deployment } from 'kubernetes-types/apps/v1.d.ts'
import type { KlusterletSpec } from '../../apis/operator/klusterlet.ts'
import { agentArguments, agentDeploymentManifest } from '../../registration/manifests/agent.ts'
import { planKlusterlet } from './plan.ts'

const settings = {
  image: 'lanyard:1',
  agentNamespaces: ['open-cluster-management-agent', 'open-cluster-management-other'],
  gates: {
    agent: {
      ClusterClaim: { byDefault: true },
      MultipleHubs: { byDefault: false },
      Old: { byDefault: false, fixed: true as const },
    },
    hub: {},
  },
}
const plan = (spec?: KlusterletSpec) =>
  planKlusterlet({ metadata: { name: 'klusterlet', uid: 'u-1' }, ...(spec && { spec }) }, settings)

function installed(spec?: KlusterletSpec) {
  const made = plan(spec)
  if (made.step === 'refuse') throw new Error(made.why)
  return made
}
const argumentsFor = (spec?: KlusterletSpec) => agentArguments(installed(spec).installation)
const podOf = (spec: KlusterletSpec) =>
  (agentDeploymentManifest(installed(spec).installation).object as unknown as Deployment).spec?.template.spec

test('without a word it is an agent with its defaults, in the usual namespace', () => {
  assert.deepEqual(argumentsFor(), [
    'agent',
    '--namespace=open-cluster-management-agent',
    '--bootstrap-kubeconfig-secret=bootstrap-hub-kubeconfig',
    '--hub-kubeconfig-secret=hub-kubeconfig-secret',
    '--hub-kubeconfig-dir=/spoke/hub-kubeconfig',
    '--listen=:8443',
  ])
  assert.deepEqual(installed().ignored, [])
})

test('each field that the agent has a flag for becomes that flag', () => {
  const args = argumentsFor({
    namespace: 'open-cluster-management-other',
    clusterName: 'west',
    deployOption: { mode: 'Singleton' },
    externalServerURLs: [{ url: 'https://a' }, { url: 'https://b' }],
    registrationConfiguration: {
      clientCertExpirationSeconds: 3_600,
      featureGates: [{ feature: 'ClusterClaim' }, { feature: 'MultipleHubs', mode: 'Enable' }],
      clusterAnnotations: { 'agent.open-cluster-management.io/a': 'b' },
      kubeAPIQPS: 5,
      kubeAPIBurst: 10,
      bootstrapKubeConfigs: {
        type: 'LocalSecrets',
        localSecretsConfig: { kubeConfigSecrets: [{ name: 'x' }, { name: 'y' }], hubConnectionTimeoutSeconds: 180 },
      },
      registrationDriver: { authType: 'csr' },
      addOnKubeClientRegistrationDriver: { authType: 'token', token: { expirationSeconds: 900 } },
      clusterClaimConfiguration: { maxCustomClusterClaims: 0, reservedClusterClaimSuffixes: ['a.io', 'b.io'] },
    },
  })
  assert.deepEqual(args.slice(1).sort(), [
    '--addon-kubeclient-registration-auth=token',
    '--addon-token-expiration-seconds=900',
    '--agent-id=u-1',
    '--bootstrap-kubeconfig-secret=',
    '--bootstrap-kubeconfigs=/bootstrap/x/kubeconfig',
    '--bootstrap-kubeconfigs=/bootstrap/y/kubeconfig',
    '--client-cert-expiration-seconds=3600',
    '--cluster-annotations=agent.open-cluster-management.io/a=b',
    '--feature-gates=ClusterClaim=false,MultipleHubs=true',
    '--hub-connection-timeout-seconds=180',
    '--hub-kubeconfig-dir=/spoke/hub-kubeconfig',
    '--hub-kubeconfig-secret=hub-kubeconfig-secret',
    '--kube-api-burst=10',
    '--kube-api-qps=5',
    '--listen=:8443',
    '--max-custom-cluster-claims=0',
    '--namespace=open-cluster-management-other',
    '--registration-auth=csr',
    '--reserved-cluster-claim-suffixes=a.io,b.io',
    '--spoke-cluster-name=west',
    '--spoke-external-server-urls=https://a,https://b',
  ])
})

test('what it says of pods is in the pod, and the Secrets of several hubs are mounted', () => {
  const pod = podOf({
    registrationImagePullSpec: 'mine',
    nodePlacement: { nodeSelector: { a: 'b' }, tolerations: [{ key: 't', operator: 'Exists' }] },
    priorityClassName: 'high',
    hubApiServerHostAlias: { ip: '10.0.0.1', hostname: 'hub' },
    resourceRequirement: { type: 'ResourceRequirement', resourceRequirements: { limits: { cpu: 1 } } },
    registrationConfiguration: {
      featureGates: [{ feature: 'MultipleHubs', mode: 'Enable' }],
      bootstrapKubeConfigs: {
        type: 'LocalSecrets',
        localSecretsConfig: { kubeConfigSecrets: [{ name: 'x' }, { name: 'y' }] },
      },
    },
  })
  const [container] = pod?.containers ?? []
  assert.equal(container?.image, 'mine')
  assert.deepEqual(container?.resources, { limits: { cpu: '1' } })
  assert.deepEqual(pod?.nodeSelector, { a: 'b' })
  assert.deepEqual(pod?.tolerations, [{ key: 't', operator: 'Exists' }])
  assert.equal(pod?.priorityClassName, 'high')
  assert.deepEqual(pod?.hostAliases, [{ ip: '10.0.0.1', hostnames: ['hub'] }])
  assert.deepEqual(
    pod?.volumes?.flatMap(({ secret }) => (secret ? [[secret.secretName, secret.optional]] : [])),
    [
      ['x', true],
      ['y', true],
    ],
  )
  assert.deepEqual(podOf({ resourceRequirement: { type: 'BestEffort' } })?.containers[0]?.resources, {})
})

const refusals: [what: string, spec: KlusterletSpec, why: RegExp][] = [
  ['a hosted mode', { deployOption: { mode: 'SingletonHosted' } }, /deployOption\.mode is SingletonHosted/],
  [
    'a namespace that is not the operator’s',
    { namespace: 'open-cluster-management-x' },
    /no rights.*--agent-namespaces/,
  ],
  [
    'a driver that comes later',
    { registrationConfiguration: { registrationDriver: { authType: 'grpc' } } },
    /registrationDriver\.authType is grpc, which comes with a later version/,
  ],
  [
    'a driver that nobody knows',
    { registrationConfiguration: { registrationDriver: { authType: 'pigeon' as never } } },
    /registrationDriver\.authType is pigeon, which this version does not know/,
  ],
  [
    'a driver of add-ons that nobody knows',
    { registrationConfiguration: { addOnKubeClientRegistrationDriver: { authType: 'pigeon' as never } } },
    /addOnKubeClientRegistrationDriver\.authType is pigeon.*csr and token/,
  ],
  [
    'a token of less than ten minutes',
    {
      registrationConfiguration: {
        addOnKubeClientRegistrationDriver: { authType: 'token', token: { expirationSeconds: 599 } },
      },
    },
    /expirationSeconds is 599; it is 0 or at least 600/,
  ],
  [
    'a certificate of less than an hour',
    { registrationConfiguration: { clientCertExpirationSeconds: 60 } },
    /clientCertExpirationSeconds is 60; it is 0 or at least 3600/,
  ],
  [
    'several hubs without their Secrets',
    { registrationConfiguration: { featureGates: [{ feature: 'MultipleHubs', mode: 'Enable' }] } },
    /name two or more Secrets/,
  ],
  [
    'gates that are unknown or fixed',
    {
      registrationConfiguration: {
        featureGates: [
          { feature: 'Nothing', mode: 'Disable' },
          { feature: 'Old', mode: 'Enable' },
        ],
      },
    },
    /there is no gate Nothing, Old is always off/,
  ],
]
for (const [what, spec, why] of refusals)
  test(`refused: ${what}`, () => {
    const made = plan(spec)
    assert.equal(made.step, 'refuse')
    assert.match(made.step === 'refuse' ? made.why : '', why)
  })

test('a gate of the same value as its default may be named', () => {
  assert.equal(plan({ registrationConfiguration: { featureGates: [{ feature: 'Old' }] } }).step, 'install')
})

test('fields without an effect are named, each', () => {
  const { ignored } = installed({
    workConfiguration: {},
    workImagePullSpec: 'w',
    externalServerURLs: [{ url: 'https://a', caBundle: 'eA==' }],
    resourceRequirement: { type: 'Default', resourceRequirements: { limits: {} } },
    registrationConfiguration: {
      clusterLabels: { a: 'b' },
      bootstrapKubeConfigs: {
        type: 'LocalSecrets',
        localSecretsConfig: { kubeConfigSecrets: [{ name: 'a' }, { name: 'b' }] },
      },
      addOnKubeClientRegistrationDriver: { authType: 'csr', token: { expirationSeconds: 5 } },
    },
  })
  assert.deepEqual(
    ignored.map((field) => field.split(' ')[0]),
    [
      'workConfiguration',
      'workImagePullSpec',
      'externalServerURLs[].caBundle',
      'resourceRequirement.resourceRequirements',
      'registrationConfiguration.clusterLabels',
      'registrationConfiguration.bootstrapKubeConfigs',
      'registrationConfiguration.addOnKubeClientRegistrationDriver.token',
    ],
  )
})
