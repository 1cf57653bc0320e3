import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import { everywhere } from '../../../../core/egress.ts'
import { silentLog } from '../../../../core/log.ts'
import type { Metrics } from '../../../../core/metrics.ts'
import { noMetrics } from '../../../../core/metrics.ts'
import { Secret } from '../../../../core/secret.ts'
import type { OidcWay, SecretKey } from '../../contract.ts'
import { failures } from '../../failures.ts'
import type { TokenSources } from '../index.ts'
import { tokenSources } from '../index.ts'

interface Named {
  readonly issuer: string
  readonly caPem: string
  readonly clientId: string
}

/** A reference to `name/key` of `Scene.secrets`. */
export const keyAt = (name: string, key: string): SecretKey => ({
  namespace: 'hub',
  name,
  keys: [key],
  field: `spec.${name}`,
})

export interface Scene {
  readonly clock: FakeClock
  /** `name/key` to text. */
  readonly secrets: Map<string, string>
  readonly sources: TokenSources
  /** Set, the hub does not take a rotated token. */
  keepFails: Error | undefined
}

export function tokenScene(metrics: Metrics = noMetrics): Scene {
  const clock = new FakeClock()
  const secrets = new Map<string, string>([['client/client-secret', ' hunter2-of-the-hub\n']])
  const scene: Scene = {
    clock,
    secrets,
    keepFails: undefined,
    sources: tokenSources({
      clock,
      metrics,
      egress: () => everywhere,
      log: silentLog,
      async readSecret({ field, namespace, name, keys }) {
        const key = keys.find((candidate) => secrets.has(`${name}/${candidate}`))
        if (key === undefined) throw failures.SPOKE_SECRET_KEY_MISSING({ field, namespace, name, keys })
        return { text: Secret.of(secrets.get(`${name}/${key}`) ?? ''), key }
      },
      async keepRotated({ name }, key, value) {
        if (scene.keepFails) throw scene.keepFails
        secrets.set(`${name}/${key}`, value)
      },
    }),
  }
  return scene
}

/** By client credentials, unless told otherwise. */
export const wayTo = ({ issuer, caPem, clientId }: Named, more: Partial<OidcWay> = {}): OidcWay => ({
  by: 'OIDC',
  server: 'https://west.example.com:6443',
  issuer,
  issuerCa: caPem,
  clientId,
  clientSecret: keyAt('client', 'client-secret'),
  fallback: 'Auto',
  scopes: [],
  trust: { insecure: false },
  ...more,
})
