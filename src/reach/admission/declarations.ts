import { breakglassGroup } from '../../apis/breakglass/common.ts'
import { ownDomain } from '../../core/own-domain.ts'
import type { WebhookDeclaration, WebhookRule } from '../../fleet/admission.ts'

const rule = (resource: string): WebhookRule => ({
  operations: ['CREATE', 'UPDATE'],
  apiGroups: [breakglassGroup],
  apiVersions: ['v1alpha1'],
  // Without their subresources: what the hub writes into a status is not asked about.
  resources: [resource],
})

/** Known without a connection to a hub, so that the configurations can be written before there is one. */
export const declarations = {
  checkConfigs: {
    name: `clusterconfigs.validation.${ownDomain}`,
    type: 'validating',
    path: '/admission/validate-clusterconfigs',
    rules: [rule('clusterconfigs')],
  },
  checkProviders: {
    name: `identityproviders.validation.${ownDomain}`,
    type: 'validating',
    path: '/admission/validate-identityproviders',
    rules: [rule('identityproviders')],
  },
} as const satisfies Record<string, WebhookDeclaration>

export const reachDeclarations: readonly WebhookDeclaration[] = Object.values(declarations)
