import { createPublicKey, sign } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../src/core/clock.ts'
import type { JsonWebKeySet } from '../../src/demo/aws/index.ts'
import { serviceAccounts } from '../../src/kube/kinds.ts'
import { generateKey } from '../../src/pki/index.ts'
import type { OwnControlPlane } from './control-plane.ts'
import { kubeClient } from './kube-client.ts'
import type { TestScope } from './test-scope.ts'

/** Of web identities for AWS. */
export const audience = 'sts.amazonaws.com'

/** Of the tokens of service accounts, as AWS knows it. */
export interface Issuer {
  /** Without https://. */
  oidcProvider: string
  keys: JsonWebKeySet
  /** For `system:serviceaccount:NAMESPACE:NAME`. */
  webToken(subject: string): Promise<string>
}

/** As both control planes have it. */
const planesIssuer = 'kubernetes.default.svc'

/** The API server itself: an account has to be there before a token of it is asked for. */
export function planeIssuer(t: TestScope, plane: OwnControlPlane): Issuer {
  const kube = kubeClient(t, plane.connection())
  const keys: JsonWebKeySet = { keys: [] }
  return {
    oidcProvider: planesIssuer,
    keys,
    async webToken(subject) {
      const [, , namespace = '', name = ''] = subject.split(':')
      const spec = { audiences: [audience], expirationSeconds: 3_600 }
      const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec }
      const { status } = await kube
        .of(serviceAccounts, namespace)
        .createSubresource<object, { status: { token: string } }>(name, 'token', review)
      keys.keys.splice(0, 1, signingKey(plane, status.token))
      return status.token
    },
  }
}

/** EKS publishes it; a control plane of ours has it in its folder, and tells its name in the tokens only. */
function signingKey({ dir }: OwnControlPlane, token: string) {
  const { alg, kid } = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())
  const path = [join(dir, 'service-account.pub'), join(dir, 'data', 'pki', 'service-accounts.pem')].find(existsSync)
  if (path === undefined) throw new Error(`there is no key of service accounts in ${dir}`)
  return { ...createPublicKey(readFileSync(path, 'utf8')).export({ format: 'jwk' }), alg, kid } as { kty: string }
}

/** What signs the tokens of the service accounts of an EKS cluster. */
export function webIssuer(name: string, region: string): Issuer {
  const oidcProvider = `oidc.eks.${region}.amazonaws.com/id/${name.toUpperCase()}`
  const { keyPem, publicKeyPem } = generateKey()
  const key = { ...createPublicKey(publicKeyPem).export({ format: 'jwk' }), kid: 'k', alg: 'ES256', kty: 'EC' }
  const webToken = async (subject: string): Promise<string> => {
    const iat = Math.floor(systemClock.now().getTime() / 1_000)
    // A day, as EKS mounts them.
    const claims = { iss: `https://${oidcProvider}`, sub: subject, aud: [audience], iat, exp: iat + 86_400 }
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
    const signed = `${encode({ alg: 'ES256', kid: 'k' })}.${encode(claims)}`
    const signature = sign('sha256', Buffer.from(signed), { key: keyPem.reveal(), dsaEncoding: 'ieee-p1363' })
    return `${signed}.${signature.toString('base64url')}`
  }
  return { oidcProvider, keys: { keys: [key] }, webToken }
}
