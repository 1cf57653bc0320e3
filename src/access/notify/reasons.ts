import { reasonCatalogue } from '../../core/reason.ts'

export const reasons = reasonCatalogue({
  NoticeFailed: 'Somebody could not be told what happened to the session; the message says who and why.',
  HealthCheckPassed: 'The mail server answers, and takes the credentials of the hub.',
  HealthCheckFailed: 'The mail server does not answer, or does not take the credentials of the hub.',
  EgressDenied: 'The setting reach.egress of the hub does not let it connect to the mail server.',
  SecretLoaded: 'The password of the mail server was read.',
  SecretNotLoaded: 'The password of the mail server could not be read.',
})
