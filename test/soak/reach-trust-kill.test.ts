/** The hub is killed each time it has just kept the CA of a cluster that it sees for the first time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClusterConfig } from '../../src/apis/breakglass/cluster-config.ts'
import { systemClock } from '../../src/core/clock.ts'
import type { Condition } from '../../src/core/conditions.ts'
import { isTrue } from '../../src/core/conditions.ts'
import { hubNamespace } from '../../src/fleet/names.ts'
import { pinSecret } from '../../src/fleet/spoke/names.ts'
import { anAuthority } from '../../src/fleet/spoke/trust/testing/tls-server.ts'
import { secrets } from '../../src/kube/kinds.ts'
import { fingerprintOf } from '../../src/pki/index.ts'
import { needsControlPlane, startControlPlane } from '../support/control-plane.ts'
import { eventually } from '../support/eventually.ts'
import { accountKubeconfig, prepareHub } from '../support/hub-process.ts'
import { startIssuer } from '../support/issuer.ts'
import { kubeClient } from '../support/kube-client.ts'
import { startTlsFront } from '../support/tls-front.ts'
import { supervise } from './supervised.ts'

/** Each is a start of the hub, and nothing differs from one to the next but the moment. */
const rounds = Math.ceil(Number(process.env['SOAK_ROUNDS'] ?? 10) / 2)

test('a CA that was kept is used after the kill, without another look', needsControlPlane, async (t) => {
  const issuer = await startIssuer(t)
  const plane = await startControlPlane(t, { oidc: issuer.trust() })
  const kube = kubeClient(t, plane.connection())
  const { webhookUrl } = await prepareHub(t, plane)
  const account = { namespace: hubNamespace, name: 'registration-controller-sa' }
  const hub = supervise(t, 'hub', [
    'hub',
    ...['--kubeconfig', await accountKubeconfig(t, plane, kube, account), '--no-leader-election'],
    ...['--listen', new URL(webhookUrl).host, '--webhook-url', webhookUrl, '--access-listen', '127.0.0.1:0'],
  ])
  hub.start(Array.from({ length: rounds }, () => 'reach-trust.pinned' as const))
  const data = { 'client-secret': Buffer.from(issuer.clientSecret).toString('base64') }
  await kube.of(secrets, hubNamespace).create({ metadata: { name: 'soak-client' }, data })
  const clientSecretRef = { name: 'soak-client', namespace: hubNamespace }
  const configs = kube.of(ClusterConfig.resource, hubNamespace)
  for (let round = 1; round <= rounds; round += 1) {
    const ca = await anAuthority(`soak-${round}`, systemClock)
    const front = await startTlsFront(t, plane, ca)
    const name = `soak-${round}`
    const oidcAuth = { ...issuer.auth(front.url), clientSecretRef }
    // While the hub is down nobody answers its webhooks.
    await eventually('it is let in', () =>
      configs.create({ metadata: { name }, spec: { oidcAuth } }).catch(() => false),
    )
    await eventually(
      `${name} is Ready`,
      async () => {
        hub.check()
        const { status } = await configs.get(name)
        const isReady = isTrue(status?.conditions as Condition[] | undefined, 'Ready')
        return isReady && status?.tls?.fingerprint === fingerprintOf(ca.certPem)
      },
      { withinMs: 60_000 },
    ).catch((error: Error) => {
      throw new Error(`${error.message}\n${hub.tail()}`)
    })
    assert.equal(hub.killedAt.length, round)
    // Until its first byte a connection counts as a look.
    await eventually('it was seen once', () => front.looks, { until: (looks) => looks === 1 })
    const { data: kept } = await kube.of(secrets, hubNamespace).get(pinSecret(name))
    assert.equal(Buffer.from(kept?.['ca.crt'] ?? '', 'base64').toString(), ca.certPem)
  }
})
