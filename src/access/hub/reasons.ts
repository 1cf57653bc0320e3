import { reasonCatalogue } from '../../core/reason.ts'

/** Reasons of the conditions of escalations, policies, audit configurations and mail providers, and of their events. */
export const reasons = reasonCatalogue({
  ValidationSucceeded: 'Nothing is wrong with it.',
  ValidationFailed: 'It cannot be used as it stands; the message says why.',
  ConfigValidationFailed: 'What the escalation says cannot be; the message says why.',
  ClusterRefValidationFailed: 'The escalation names a cluster that there is not, or more than once.',
  IDPRefValidationFailed: 'The escalation names an identity provider that there is not, or that is disabled.',
  DenyPolicyRefValidationFailed: 'The escalation names a policy that there is not.',
  MailProviderValidationFailed: 'The escalation names a mail provider that there is not, or that is disabled.',
  ConfigurationValid: 'Events are sent as the AuditConfig says.',
  Configured: 'Mail can be sent by it.',
  Disabled: 'It is switched off.',
  Unhealthy: 'The mail server does not answer as it should.',
})
