import { reasonCatalogue } from '../../core/reason.ts'

/** Reasons of the condition Ready of an IdentityProvider, and of its events. */
export const reasons = reasonCatalogue({
  ConfigReloadSuccess: 'The identity provider says what it offers, as it should.',
  ConfigReloadFailed: 'The identity provider cannot be asked what it offers, or its answer cannot be trusted.',
  ValidationFailed: 'The IdentityProvider cannot be used as it stands; the message says why.',
  EgressDenied: 'The setting reach.egress of the hub does not let it connect to the identity provider.',
  Disabled: 'The IdentityProvider is switched off: nobody may use it.',
})
