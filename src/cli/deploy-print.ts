import { stringify } from 'yaml'
import packageManifest from '../../package.json' with { type: 'json' }
import { accessHubManifests } from '../access/manifests/hub.ts'
import { spokeKinds } from '../apis/fleet-kinds.ts'
import type { Manifest } from '../fleet/manifests/manifest.ts'
import { agentNamespace, hubNamespace } from '../fleet/names.ts'
import { reachHubManifests } from '../reach/manifests/hub.ts'
import { agentManifests } from '../registration/manifests/agent.ts'
import { crdManifests } from '../registration/manifests/crds.ts'
import { hubManifests, hubNamespaceManifest } from '../registration/manifests/hub.ts'
import { hubAccount, hubRbacManifests } from '../registration/manifests/hub-rbac.ts'
import { imageOf } from '../registration/manifests/pod.ts'
import { installedAddons, tokenLifeWarning } from './addon-flags.ts'
import { installedReach, reachOfferWarning } from './agent-reach.ts'
import { refuseAwsFlags } from './aws-install-flags.ts'
import type { DeployAgentOptions, DeployHubOptions } from './deploy.ts'
import { agentGates, gatesWith, hubGates } from './feature-gates.ts'
import { hubDriversOf } from './hub-drivers.ts'
import { hubSettingsOf } from './hub-settings.ts'
import { driverOf, driversOf } from './registration-drivers.ts'

export const ownImage = imageOf(packageManifest.version)

export async function printAgent(options: DeployAgentOptions): Promise<void> {
  gatesWith(agentGates, options.featureGates)
  const isAws = driverOf(options.registrationAuth, '--registration-auth') === 'awsirsa'
  if (!isAws) refuseAwsFlags(options)
  const aws = isAws ? (await import('./aws-install.ts')).agentAwsOf(options) : undefined
  const installation = {
    namespace: options.namespace ?? agentNamespace,
    image: options.image ?? ownImage,
    bootstrapSecret: options.bootstrapKubeconfigSecret,
    clientCertExpirationSeconds: options.clientCertExpirationSeconds,
    ...(options.clusterName && { clusterName: options.clusterName }),
    ...(options.featureGates && { featureGates: options.featureGates }),
    ...(options.clusterAnnotations && { clusterAnnotations: options.clusterAnnotations }),
    ...(aws && { aws }),
    ...installedAddons(options),
    ...installedReach(options),
  }
  const warning = tokenLifeWarning(options.addonTokenExpirationSeconds)
  // Apart from the manifests, which a program may read.
  for (const one of [warning, reachOfferWarning(options)])
    if (one !== undefined) process.stderr.write(`lanyard: ${one}\n`)
  print([...crdManifests(spokeKinds), ...agentManifests(installation)], options.output)
}

export async function printHub(options: DeployHubOptions): Promise<void> {
  const { Reach: reach, Access: access } = gatesWith(hubGates, options.featureGates)
  hubSettingsOf({ ...options, leaseGraceFactor: 5, unjoinGrace: 0 })
  const namespace = options.namespace ?? hubNamespace
  const { enabledRegistrationDrivers: words = ['csr'] } = options
  const isAws = hubDriversOf({ ...options, enabledRegistrationDrivers: words }).aws !== undefined
  const aws = isAws ? (await import('./aws-install.ts')).hubAwsOf(options) : undefined
  const installation = {
    namespace,
    ...(options.enabledRegistrationDrivers && {
      registrationDrivers: driversOf(words, '--enabled-registration-drivers'),
    }),
    ...(aws && { aws }),
    image: options.image ?? ownImage,
    replicas: options.replicas,
    ...(options.featureGates && { featureGates: options.featureGates }),
    ...(options.autoApprovedCsrUsers && { autoApprovedUsers: options.autoApprovedCsrUsers }),
  }
  print(
    [
      hubNamespaceManifest(namespace),
      ...hubRbacManifests(namespace, aws),
      ...(reach ? reachHubManifests({ namespace, name: hubAccount }) : []),
      ...(reach && access ? accessHubManifests({ namespace, name: hubAccount }) : []),
      ...hubManifests(installation),
    ],
    options.output,
  )
}

export function print(manifests: readonly Manifest[], format: 'yaml' | 'json'): void {
  const items = manifests.map(({ object }) => object)
  const text =
    format === 'json'
      ? `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)}\n`
      : items.map((item) => stringify(item, { aliasDuplicateObjects: false })).join('---\n')
  process.stdout.write(text)
}
