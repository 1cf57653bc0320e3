import type { ServiceAccountKey } from './service-account-key.ts'

/** What is told about the issuer of service account tokens, so that others can judge them: OpenID Connect Discovery. */
export interface IssuerDocuments {
  /** `/.well-known/openid-configuration`. `address` is host and port as clients reach them. */
  configuration(address: string): object
  /** `/openid/v1/jwks`. */
  readonly keys: object
}

export const keysPath = '/openid/v1/jwks'
export const configurationPath = '/.well-known/openid-configuration'

export const issuerDocuments = (key: Pick<ServiceAccountKey, 'jwk'>, issuer: string): IssuerDocuments => ({
  configuration: (address) => ({
    issuer,
    jwks_uri: `https://${address}${keysPath}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [key.jwk.alg],
  }),
  keys: { keys: [key.jwk] },
})
