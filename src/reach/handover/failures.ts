import { catalogue } from '../../core/failure.ts'

export const failures = catalogue({
  HANDOVER_TAKEN: [
    409,
    '{kind} {name} is there and was not made for this; it is left alone, and no way in is taken over until it is gone',
  ],
  HANDOVER_ACCOUNT_TAKEN: [
    409,
    'the account {account} is there and is not the agent’s; delete it, then the agent makes its own',
  ],
  HANDOVER_NOT_KEPT: [503, 'the way in could not be put into Secret {secret} of the hub ({detail}); it is tried again'],
  HANDOVER_TOKEN_FOREIGN: [502, 'the cluster answered with what is no token of {account}'],
})
