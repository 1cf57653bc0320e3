import type { RegistryConfig } from './config.ts'

/** Where an OpenShift cluster pulls from: two accounts, four hosts. */
export const defaultRegistries: readonly RegistryConfig[] = [
  {
    id: 'quay',
    type: 'Quay',
    url: 'quay.io',
    orgName: 'redhat-openshift',
    teamName: 'hyperfleet-installers',
  },
  { id: 'cloud-openshift', type: 'Quay', url: 'cloud.openshift.com', credentialSource: 'quay', cloudAlias: true },
  { id: 'redhat', type: 'Redhat', url: 'registry.redhat.io' },
  { id: 'redhat-connect', type: 'Redhat', url: 'registry.connect.redhat.com', credentialSource: 'redhat' },
]
