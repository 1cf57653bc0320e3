import { breakglassGroup } from '../../apis/breakglass/common.ts'
import { ownDomain } from '../../core/own-domain.ts'
import type { WebhookDeclaration, WebhookRule } from '../../fleet/admission.ts'

type Operations = WebhookRule['operations']

const rule = (resources: string[], operations: Operations = ['CREATE', 'UPDATE']): WebhookRule => ({
  operations,
  apiGroups: [breakglassGroup],
  apiVersions: ['v1alpha1'],
  resources,
})

const validating = (resource: string) =>
  ({
    name: `${resource}.validation.${ownDomain}`,
    type: 'validating',
    path: `/admission/validate-${resource}`,
    rules: [rule([resource])],
  }) as const satisfies WebhookDeclaration

/** Known without a connection to a hub, so that the configurations can be written before there is one. */
export const declarations = {
  // With their status: it holds who is in the groups of approvers.
  checkEscalations: {
    ...validating('breakglassescalations'),
    rules: [rule(['breakglassescalations']), rule(['breakglassescalations/status'])],
  } satisfies WebhookDeclaration,
  // With their status: what stands there is access.
  checkSessions: {
    ...validating('breakglasssessions'),
    rules: [
      rule(['breakglasssessions'], ['CREATE', 'UPDATE', 'DELETE']),
      rule(['breakglasssessions/status'], ['CREATE', 'UPDATE']),
    ],
  } satisfies WebhookDeclaration,
  recordCreators: {
    name: `breakglasssessions.mutation.${ownDomain}`,
    type: 'mutating',
    path: '/admission/mutate-breakglasssessions',
    rules: [rule(['breakglasssessions'])],
  } as const satisfies WebhookDeclaration,
  checkPolicies: validating('denypolicies'),
  checkAudits: validating('auditconfigs'),
  checkMailProviders: validating('mailproviders'),
}

export const accessDeclarations: readonly WebhookDeclaration[] = Object.values(declarations)
