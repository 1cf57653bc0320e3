import { createPublicKey, sign } from 'node:crypto'
import { systemClock } from '../../src/core/clock.ts'
import { Secret } from '../../src/core/secret.ts'
import { generateKey } from '../../src/pki/index.ts'
import type { HttpsServer } from './https-server.ts'
import { startHttpsServer } from './https-server.ts'
import type { TestScope } from './test-scope.ts'

export interface TokenIssuer extends HttpsServer {
  /** A signed token with these claims besides `iss`, `iat` and `exp` (one hour from now). */
  token(claims: Record<string, unknown>): Secret
}

/** The least that an API server takes for an OpenID provider: discovery, a key set, and tokens signed with its key. */
export async function startTokenIssuer(t: TestScope): Promise<TokenIssuer> {
  const { keyPem, publicKeyPem } = generateKey()
  const key = { ...createPublicKey(publicKeyPem).export({ format: 'jwk' }), kid: 'test', alg: 'ES256', use: 'sig' }
  const server: HttpsServer = await startHttpsServer(t, ({ path }) => {
    if (path === '/keys') return { keys: [key] }
    if (path !== '/.well-known/openid-configuration') return undefined
    return {
      issuer: server.url,
      jwks_uri: `${server.url}/keys`,
      authorization_endpoint: `${server.url}/authorize`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    }
  })
  return {
    ...server,
    token(claims) {
      const iat = Math.floor(systemClock.now().getTime() / 1000)
      const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
      const signed = `${encode({ alg: 'ES256', kid: 'test' })}.${encode({ iss: server.url, iat, exp: iat + 3600, ...claims })}`
      const signature = sign('sha256', Buffer.from(signed), { key: keyPem.reveal(), dsaEncoding: 'ieee-p1363' })
      return Secret.of(`${signed}.${signature.toString('base64url')}`)
    },
  }
}
