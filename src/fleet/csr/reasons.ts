import { reasonCatalogue } from '../../core/reason.ts'

/** Why the hub leaves a certificate request to people. */
export const reasons = reasonCatalogue({
  NoClusterLabel: 'The request has no label with the name of a cluster.',
  OtherSigner: 'The request names another signer than the one for clients of the API server.',
  OtherUsages: 'The request asks for more than a client certificate, or not for one.',
  NotARequest: 'The request holds no readable PEM block of the type CERTIFICATE REQUEST.',
  KeyNotProven: 'The request is not signed with the key that it asks a certificate for.',
  OtherGroups: 'The groups in the request are not exactly the group of the cluster in its label.',
  OtherUser: 'The user in the request is not an agent of the cluster in its label.',
  SaysMore: 'The request carries alternative names or attributes that a certificate of a cluster does not have.',
})
