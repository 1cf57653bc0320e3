import { ownDomain } from '../../core/own-domain.ts'
import type { WebhookDeclaration, WebhookRule } from '../../fleet/admission.ts'

const rule = (apiVersions: string[], resources: string[]): WebhookRule => ({
  operations: ['CREATE', 'UPDATE'],
  apiGroups: ['cluster.open-cluster-management.io'],
  apiVersions,
  // Without their subresources: what agents and controllers write into a status is not asked about.
  resources,
})

/** Known without a connection to a hub, so that the configurations can be written before there is one. */
export const declarations = {
  defaultClusters: {
    name: `managedclusters.mutation.${ownDomain}`,
    type: 'mutating',
    path: '/admission/mutate-managedclusters',
    rules: [rule(['v1'], ['managedclusters'])],
  },
  checkClusters: {
    name: `managedclusters.validation.${ownDomain}`,
    type: 'validating',
    path: '/admission/validate-managedclusters',
    rules: [rule(['v1'], ['managedclusters'])],
  },
  checkBindings: {
    name: `managedclustersetbindings.validation.${ownDomain}`,
    type: 'validating',
    path: '/admission/validate-managedclustersetbindings',
    rules: [rule(['v1beta2'], ['managedclustersetbindings'])],
  },
} as const satisfies Record<string, WebhookDeclaration>

export const registrationDeclarations: readonly WebhookDeclaration[] = Object.values(declarations)
