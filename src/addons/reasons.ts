import { reasonCatalogue } from '../core/reason.ts'

/** Reasons of conditions and events of a ManagedClusterAddOn. */
export const reasons = reasonCatalogue({
  // TokenInfrastructureReady
  TokenInfrastructureReady: 'The account of the add-on and the right to ask for its tokens are in place.',
  TokenInfrastructureApplyFailed: 'The account of the add-on could not be put in place; the hub tries again.',
  // AddonTokenRefreshed, and TokenRefreshed as the field calls it
  AddonTokenRefreshed: 'The add-on has a token; the message says until when.',
  TokenCreationFailed: 'The add-on could not get a token; the message says why.',
  AwaitingTokenInfrastructure: 'The agent waits for the hub to make the account of the add-on.',
  AccountRefused: 'The hub announced an account that is not one of this add-on; nothing is asked for it.',
  // ClusterCertificateRotated
  ClientCertificateUpdated: 'The add-on holds a valid certificate; the message says from when to when.',
  ClientCertificateUpdateFailed: 'The add-on could not get a certificate; the message says why.',
  ClientCertificateDenied:
    'The certificate request was denied or failed; the agent asks again with a new key after a pause.',
  ClientCertificateCreationHalted:
    'Too many certificate requests of the add-on are open; no further one is made until some are gone.',
  // RegistrationApplied
  RegistrationDeclared: 'The agent has said by which driver and as whom the add-on comes to the hub.',
  RegistrationRefused: 'A registration cannot be carried out as it stands; the message says which and why.',
  RegistrationFailed:
    'The agent could not put the Secrets of the add-on in order; it tries again, the message says why.',
  // Available
  ManagedClusterAddOnLeaseUpdated: 'The add-on renews its lease.',
  ManagedClusterAddOnLeaseUpdateStopped: 'The add-on has not renewed its lease for five lease durations.',
  ManagedClusterAddOnLeaseNotFound: 'The add-on has no lease yet.',
  // Of the approval of a certificate request, as the field words it
  AutoApprovedByHubCSRApprovingController: 'The hub approved the certificate request by itself.',
  // Events
  AddonCSRAutoApproved: 'The hub approved a certificate request of an add-on.',
  SupersededAddonCSRRemoved: 'A certificate request of an add-on that a newer one replaces was removed.',
})
