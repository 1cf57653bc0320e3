import type { KlusterletSpec } from '../../apis/operator/klusterlet.ts'

/** Fields that are set and have no effect: accepted, because the field's tools write them, and never in silence. */
export function ignoredFields(spec: KlusterletSpec, severalHubs: boolean): string[] {
  const registration = spec.registrationConfiguration ?? {}
  const addOns = registration.addOnKubeClientRegistrationDriver
  const driver = registration.registrationDriver
  const byAws = driver?.authType === 'awsirsa'
  const isSet: [string, unknown][] = [
    ['workConfiguration', spec.workConfiguration],
    ['workImagePullSpec', spec.workImagePullSpec],
    ['externalServerURLs[].caBundle', spec.externalServerURLs?.some(({ caBundle }) => caBundle)],
    [
      'resourceRequirement.resourceRequirements (its type is not ResourceRequirement)',
      spec.resourceRequirement?.type !== 'ResourceRequirement' && spec.resourceRequirement?.resourceRequirements,
    ],
    ['resourceRequirement.resourceRequirements.claims', spec.resourceRequirement?.resourceRequirements?.claims],
    ['registrationConfiguration.clusterLabels', Object.keys(registration.clusterLabels ?? {}).length > 0],
    [
      'registrationConfiguration.bootstrapKubeConfigs (the gate MultipleHubs is off)',
      registration.bootstrapKubeConfigs?.type === 'LocalSecrets' && !severalHubs,
    ],
    ['registrationConfiguration.registrationDriver.awsIrsa (the driver is not awsirsa)', !byAws && driver?.awsIrsa],
    [
      'registrationConfiguration.clientCertExpirationSeconds (with awsirsa the agent has no certificate)',
      byAws && registration.clientCertExpirationSeconds,
    ],
    [
      'registrationConfiguration.addOnKubeClientRegistrationDriver.token (the driver is not token)',
      addOns?.authType !== 'token' && addOns?.token?.expirationSeconds,
    ],
  ]
  return isSet.flatMap(([field, value]) => (value ? [field] : []))
}
