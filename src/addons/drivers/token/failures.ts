import { catalogue } from '../../../core/failure.ts'

export const failures = catalogue({
  ADDON_TOKEN_FORBIDDEN: [
    403,
    'the hub does not let this cluster ask for tokens of {account}; check the RoleBinding {binding} on the hub, it is made again when it is deleted',
  ],
  ADDON_TOKEN_NO_ACCOUNT: [
    404,
    'the account {account} is not on the hub any more; the hub makes it again, check that its controllers run',
  ],
  ADDON_TOKEN_REFUSED: [
    422,
    'the hub refuses a token of {seconds} seconds for {account}; set another life by --addon-token-expiration-seconds',
  ],
  ADDON_TOKEN_NOT_ASKED: [503, 'no token of {account} could be had from the hub ({detail}); it is tried again'],
  ADDON_TOKEN_FOREIGN: [
    502,
    'the hub answered with what is no token of {account}; check what is between it and the hub',
  ],
  ADDON_TOKEN_NOT_KEPT: [503, 'the token could not be kept in Secret {secret} ({detail}); it is tried again'],
  ADDON_TOKEN_NO_NAMESPACE: [
    404,
    'the namespace {namespace} is not on the managed cluster; the token is put there once somebody makes it',
  ],
  ADDON_ACCOUNT_TAKEN: [
    409,
    '{kind} {name} is there and was not made for the add-on {addon}; delete it, or give the add-on another name',
  ],
})
