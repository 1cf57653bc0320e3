import { catalogue } from '../../core/failure.ts'

export const failures = catalogue({
  AUTHENTICATION_CONFIG_UNREADABLE: [500, 'cannot read the authentication configuration {file}: {detail}'],
  AUTHENTICATION_CONFIG_INVALID: [400, 'the authentication configuration {file} cannot be used: {detail}'],
  AUTHENTICATION_OIDC_INVALID: [400, 'the options for the OpenID provider cannot be used: {detail}'],
  AUTHENTICATION_OIDC_TWICE: [
    400,
    'OpenID providers are given both by options and by the authentication configuration {file}; keep one of them',
  ],
  AUTHENTICATION_PROVIDER_AWAY: [502, 'the OpenID provider at {url} did not answer as one does: {detail}'],
  AUTHENTICATION_WEBHOOK_UNREACHABLE: [
    400,
    'the kubeconfig {kubeconfig} of the token webhook cannot be used: {detail}',
  ],
  AUTHENTICATION_KEY_UNFIT: [
    400,
    'the key for tokens of service accounts cannot be used ({detail}); give an RSA key, or one on P-256, P-384 or P-521',
  ],
})
