import type {
  MutatingWebhookConfiguration,
  ServiceReference,
  ValidatingWebhookConfiguration,
  WebhookClientConfig,
} from 'kubernetes-types/admissionregistration/v1.d.ts'
import type { WebhookDeclaration } from '../../fleet/admission.ts'

/** Where the API server finds the hub: at an address, or behind a Service of its own cluster. */
export type WebhookTarget = { url: string } | { service: Omit<ServiceReference, 'path'> }

export interface WebhookConfigurations {
  mutating: MutatingWebhookConfiguration
  validating: ValidatingWebhookConfiguration
}

export const webhookConfigurationName = 'lanyard-hub'

const apiVersion = 'admissionregistration.k8s.io/v1'

/** @param caPem who vouches for the hub's serving certificate */
export function webhookConfigurations(
  declarations: readonly WebhookDeclaration[],
  target: WebhookTarget,
  caPem: string,
): WebhookConfigurations {
  const caBundle = Buffer.from(caPem).toString('base64')
  const webhooksOf = (wanted: WebhookDeclaration['type']) =>
    declarations
      .filter(({ type }) => type === wanted)
      .map(({ name, path, rules }) => ({
        name,
        clientConfig: { ...clientConfig(target, path), caBundle },
        rules: rules.map((rule) => ({ ...rule })),
        // Fails closed: without the hub nobody can be accepted unasked.
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        sideEffects: 'None',
        timeoutSeconds: 10,
        admissionReviewVersions: ['v1'],
      }))
  const metadata = { name: webhookConfigurationName }
  return {
    mutating: {
      apiVersion,
      kind: 'MutatingWebhookConfiguration',
      metadata,
      // Not asked again after other webhooks: the times we recorded ourselves would then look like a client's.
      webhooks: webhooksOf('mutating').map((webhook) => ({ ...webhook, reinvocationPolicy: 'Never' })),
    },
    validating: {
      apiVersion,
      kind: 'ValidatingWebhookConfiguration',
      metadata,
      webhooks: webhooksOf('validating'),
    },
  }
}

const clientConfig = (target: WebhookTarget, path: string): WebhookClientConfig =>
  'url' in target ? { url: `${target.url.replace(/\/$/, '')}${path}` } : { service: { ...target.service, path } }
