import { reasonCatalogue } from '../../core/reason.ts'

/** Of the conditions GroupSyncHealthy of IdentityProviders and ApprovalGroupMembersResolved of escalations. */
export const reasons = reasonCatalogue({
  GroupSyncOperational: 'The identity provider says who is in its groups.',
  GroupSyncFailed: 'The identity provider does not say who is in its groups; the message says why.',
  EgressDenied: 'The setting reach.egress of the hub does not let it connect to the identity provider.',
  UnknownProvider: 'The kind of group sync that is asked for is not known.',
  KeycloakMissing: 'Groups are to be read from Keycloak, and spec.keycloak is missing.',
  KeycloakIncomplete: 'spec.keycloak lacks something that is needed to read groups.',
  ClientSecretRefInvalid: 'The reference to the secret of the client is not complete.',
  SecretNotFound: 'The Secret with the secret of the client is not there.',
  SecretKeyNotFound: 'The Secret has no such key.',
  SecretKeyEmpty: 'The Secret holds nothing under the key.',
  GroupMembersResolved: 'It is known who is in the groups of approvers.',
  GroupMembersEmpty: 'A group of approvers has no members that can be told.',
  GroupNotFound: 'No identity provider knows a group of approvers.',
  GroupSyncPending: 'An identity provider has not said yet who is in the groups of approvers.',
})
