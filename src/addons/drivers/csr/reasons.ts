import { reasonCatalogue } from '../../../core/reason.ts'

/** Why the hub leaves a certificate request of an add-on to people, and what a signer says. */
export const reasons = reasonCatalogue({
  NoAddonLabel: 'The request has no label with the name of an add-on.',
  NotAsked: 'The request was not made by an agent of the cluster in its label.',
  OtherNames: 'The request carries alternative names or attributes that a certificate of its add-on does not have.',
  ClusterNotAccepted: 'The cluster in the label is not there, is being deleted or is not accepted.',
  AgentReplaced: 'Another agent has taken the place of the one that asks.',
  AddonNotFound: 'The cluster has no add-on of the name in the label.',
  NotRegistered: 'No registration of the add-on asks for a certificate with this subject.',
  ReservedSubject: 'The subject is not of this add-on on this cluster and begins like those of the system.',
  OtherSubject: 'The subject is not one that every hub gives an add-on, and nobody who may has said yes to it.',
  // Of the decisions of a signer
  ApprovedBySigner: 'The signer of the add-on approved the certificate request by itself.',
  RefusedBySigner: 'The signer of the add-on does not sign this request, although somebody approved it.',
})
