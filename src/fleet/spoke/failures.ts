import { catalogue } from '../../core/failure.ts'

/** Why a cluster cannot be got into. Each stands for one reason, see `reason-of.ts`; none is told apart by its words. */
export const failures = catalogue({
  SPOKE_UNKNOWN: [404, 'there is no ClusterConfig {cluster}; `lanyard reach list` shows those there are'],
  SPOKE_AMBIGUOUS: [
    409,
    'several namespaces have a ClusterConfig {cluster} ({namespaces}); none is used until all but one are gone',
  ],
  SPOKE_INVALID: [422, '{field}: {problem}'],
  SPOKE_NO_OIDC: [422, 'spec.authType is OIDC; give spec.oidcAuth or spec.oidcFromIdentityProvider'],
  SPOKE_PROVIDER_UNUSABLE: [422, 'spec.oidcFromIdentityProvider.name: IdentityProvider {provider} {problem}'],
  SPOKE_SECRET_MISSING: [404, '{field}: there is no Secret {namespace}/{name}'],
  SPOKE_SECRET_KEY_MISSING: [404, '{field}: Secret {namespace}/{name} has no key {keys}'],
  SPOKE_CA_SECRET_MISSING: [404, '{field}: there is no Secret {namespace}/{name} with the CA of the cluster'],
  SPOKE_SECRET_UNREADABLE: [503, '{field}: Secret {namespace}/{name} cannot be read: {detail}'],
  SPOKE_KUBECONFIG_UNUSABLE: [422, 'the kubeconfig cannot be used: {detail}'],
  SPOKE_DISCOVERY_FAILED: [502, 'the issuer {issuer} cannot be discovered: {detail}'],
  SPOKE_TOKEN_REFUSED: [502, 'the issuer {issuer} gave no token by {grant}: {detail}'],
  SPOKE_REFRESH_REFUSED: [502, 'the issuer {issuer} refuses the refresh token: {detail}'],
  SPOKE_TRUST_FAILED: [502, 'the CA of {server} cannot be trusted on first use: {detail}'],
  SPOKE_TRUST_CHANGED: [
    502,
    '{server} shows another CA than before: SHA-256 {offered}, on record is {fingerprint}; if that is right, run `lanyard reach trust {cluster} --fingerprint {offered}`',
  ],
  SPOKE_UNVOUCHED: [
    502,
    'nobody vouches for {server}: it shows a CA with SHA-256 {offered}, which the system does not know and which is not to be trusted unseen; keep that CA in a Secret and name it in caSecretRef, or compare the fingerprint and run `lanyard reach trust {cluster} --fingerprint {offered}`',
  ],
  SPOKE_UNREACHABLE: [503, 'the API server {server} cannot be reached: {detail}'],
  SPOKE_PAUSED: [
    503,
    'the API server {server} failed {failures} times in a row; it is tried again in {seconds} seconds',
  ],
})
