import { reasonCatalogue } from './reason.ts'

export const reasons = reasonCatalogue({
  PassIssued: 'The pass is valid and its renewal is scheduled.',
  PassExpired: 'The pass has run out and no new one could be had yet.',
  PassRevoked: 'The issuer took the pass back.',
  AwaitingIssuer: 'The request is on record and about to be sent to the issuer.',
  AwaitingApproval: 'The request reached the issuer and waits for a person or a policy to approve it.',
  IssuerDenied: 'The issuer refused the request; a new one follows after a pause.',
  IssuanceFailed: 'The issuer could not be asked; the loop tries again with back-off.',
  ArrivedExpired: "The issuer granted a pass that is already over by this machine's clock; compare the two clocks.",
  KeepUnavailable: 'The place where the pass is kept could not be read or written; the loop tries again with back-off.',
})
