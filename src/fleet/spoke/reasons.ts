import { reasonCatalogue } from '../../core/reason.ts'

/** Reasons of conditions and events of a ClusterConfig. The first three groups are the closed list for Ready. */
export const reasons = reasonCatalogue({
  // Ready, by a kubeconfig
  KubeconfigValidated: 'The kubeconfig is good and the cluster answers.',
  SecretMissing: 'A Secret that the ClusterConfig names does not exist.',
  SecretKeyMissing: 'The Secret is there and lacks the key.',
  KubeconfigParseFailed: 'What the Secret holds is no kubeconfig that can be used.',
  // Ready, by OIDC
  OIDCValidated: 'The identity provider gave a token and the cluster answers.',
  OIDCConfigMissing: 'authType is OIDC and there is neither oidcAuth nor oidcFromIdentityProvider.',
  OIDCDiscoveryFailed: 'The discovery document of the issuer cannot be had, or cannot be trusted.',
  OIDCTokenFetchFailed: 'The identity provider gave no token.',
  OIDCRefreshFailed: 'The refresh token is refused and no other grant is configured or allowed.',
  OIDCCASecretMissing: 'The Secret that should vouch for the API server does not exist.',
  // Ready, either way
  ClusterUnreachable: 'The API server of the cluster does not answer, or not as one does.',
  TOFUFailed: 'The CA of the API server could not be trusted on first use, or is another one than before.',
  ValidationFailed: 'The ClusterConfig cannot be used as it stands; the message says why.',
  EgressDenied: 'The setting reach.egress of the hub does not let it connect to the server, the proxy or the issuer.',
  // PermissionsVerified
  PermissionsGranted: 'The hub may do on the cluster what it has to.',
  PermissionsMissing: 'The hub lacks a right on the cluster; the message names it and the command that grants it.',
  PermissionsUnknown: 'The cluster could not be asked what the hub may do there.',
  // RefreshTokenExpired and DegradedAuth
  RefreshTokenRefused: 'The identity provider refuses the refresh token that was given.',
  FallbackSucceeded: 'The refresh token is refused; another grant works.',
  AuthRecovered: 'The refresh token is accepted again.',
  // Throttled
  TooManyRequests: 'The cluster answered 429; calls wait as it asked.',
  NotThrottled: 'The cluster no longer answers 429.',
  // InsecureTLS
  VerificationSkipped: 'insecureSkipTLSVerify: whoever answers is believed, and is sent the credentials of the hub.',
  VerificationOn: 'The certificate of the API server has to be verified.',
  // Events
  ClusterConfigValidationSucceeded: 'The way into the cluster works.',
  ClusterConfigValidationFailed: 'The way into the cluster does not work; the message says why.',
  SecretKeyDeprecated: 'A value was found under a key that is read for the sake of old Secrets only.',
  CATrustedOnFirstUse: 'A CA that nobody vouches for was trusted because it was the first; compare its fingerprint.',
  CAReplaced: 'A person confirmed the fingerprint of a new CA, and it took the place of the old one.',
  // Events of a ManagedCluster
  HandedOver: 'The agent of the cluster handed over a way in, and the hub made a ClusterConfig for it.',
  HandoverRefused:
    'The agent cannot hand over a way in, because something of somebody else has the name; see the message.',
  HandoverTakenBack: 'What the agent handed over is not wanted any more, or it took it back; nothing of it is left.',
  // How an agent stands that offers a way in
  AwaitingInvitation: 'The hub has not asked for a way into the cluster yet.',
})
