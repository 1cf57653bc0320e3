import { catalogue } from '../../core/failure.ts'

export const failures = catalogue({
  AUTHORIZATION_CONFIG_UNREADABLE: [500, 'cannot read the authorization configuration {file}: {detail}'],
  AUTHORIZATION_CONFIG_INVALID: [400, 'the authorization configuration {file} cannot be used: {detail}'],
  AUTHORIZATION_NOT_SERVED: [
    400,
    '{field} in {file} asks for {value}, which this control plane does not serve; use {instead}',
  ],
  AUTHORIZATION_WEBHOOK_UNREACHABLE: [
    400,
    'the kubeconfig {kubeconfig} of the authorizer {name} cannot be used: {detail}',
  ],
})
