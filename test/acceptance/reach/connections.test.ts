/** One client a cluster: which credentials it uses, and when it is made anew. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ClusterConfig } from '../../../src/apis/breakglass/cluster-config.ts'
import { secrets } from '../../../src/kube/kinds.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { TestIssuer } from '../../support/issuer.ts'
import { startIssuer } from '../../support/issuer.ts'
import type { SpokeScene } from '../../support/spoke-scene.ts'
import { spokeScene } from '../../support/spoke-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import { whoAmI } from '../../support/who-am-i.ts'

describe('connections to clusters', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: OwnControlPlane
  let scene: SpokeScene
  let issuer: TestIssuer
  before(async () => {
    issuer = await startIssuer(suite)
    plane = await startControlPlane(suite, { oidc: issuer.trust() })
    scene = await spokeScene(suite, plane)
  })
  const kubeconfigOf = async (user: string) =>
    plane.kubeconfig({ certificate: await plane.issueClientCertificate({ commonName: user }) })
  const configs = () => scene.admin.of(ClusterConfig.resource, scene.namespace)
  const showsItself = (cluster: string, user: string) =>
    eventually(`${cluster} knows the hub as ${user}`, () =>
      scene.userAt(cluster).then(
        (shown) => shown === user,
        () => false,
      ),
    )

  test('A35: what a client was made of changes or goes, and the next call uses what is there now', async () => {
    const first = await scene.byKubeconfig(await kubeconfigOf('first'))
    const others = [first.secret, first.secret].map((name) => scene.config({ kubeconfigSecretRef: scene.ref(name) }))
    const three = [first.cluster, ...(await Promise.all(others))]
    for (const cluster of three) assert.equal(await scene.userAt(cluster), 'first')
    const kept = await scene.spokes.open(first.cluster)
    assert.equal(await scene.spokes.open(first.cluster), kept)

    // One Secret, three clusters.
    await scene.secret({ value: await kubeconfigOf('second') }, first.secret)
    for (const cluster of three) await showsItself(cluster, 'second')

    // Whoever still holds the old client is not cut off in the midst of something.
    assert.equal((await whoAmI(kept.kube)).username, 'first')

    const other = await scene.secret({ value: await kubeconfigOf('third') })
    await configs().patch(first.cluster, {
      type: 'merge',
      body: { spec: { kubeconfigSecretRef: scene.ref(other) } },
    })
    await showsItself(first.cluster, 'third')
    assert.equal(await scene.userAt(three[1] ?? ''), 'second')

    await scene.admin.of(secrets, scene.namespace).delete(other)
    await eventually('there is no kubeconfig any more', () =>
      scene.userAt(first.cluster).then(
        () => false,
        ({ code }) => code === 'SPOKE_SECRET_MISSING',
      ),
    )
    await scene.secret({ value: await kubeconfigOf('fourth') }, other)
    await showsItself(first.cluster, 'fourth')

    const last = await scene.spokes.open(first.cluster)
    await configs().delete(first.cluster)
    await eventually('the cluster is unknown', () =>
      scene.userAt(first.cluster).then(
        () => false,
        ({ code }) => code === 'SPOKE_UNKNOWN',
      ),
    )
    await assert.rejects(whoAmI(last.kube), { code: 'KUBE_CLOSED' })

    // By OIDC there are more of them, and a token at hand that is good for minutes.
    const tokenOf = async (subject: string) => ({ token: (await issuer.accessToken({ subject })).reveal() })
    const [goodSecret, goodCa] = [{ 'client-secret': issuer.clientSecret }, { 'ca.crt': plane.caPem }]
    const [client, ca] = [await scene.secret(goodSecret), await scene.secret(goodCa)]
    const subject = await scene.secret(await tokenOf('jane'))
    const cluster = await scene.config({
      oidcAuth: {
        ...{ ...issuer.auth(plane.url), clientSecretRef: scene.ref(client), caSecretRef: scene.ref(ca) },
        tokenExchange: { enabled: true, subjectTokenSecretRef: scene.ref(subject) },
      },
    })
    const fails = (failure: string) =>
      eventually(`it fails with ${failure}`, () =>
        scene.userAt(cluster).then(
          () => false,
          ({ code }) => code === failure,
        ),
      )
    await showsItself(cluster, 'oidc:jane')
    await scene.secret(await tokenOf('june'), subject)
    await showsItself(cluster, 'oidc:june')
    await scene.secret({ 'client-secret': 'another' }, client)
    await fails('SPOKE_TOKEN_REFUSED')
    await scene.secret(goodSecret, client)
    await showsItself(cluster, 'oidc:june')
    await scene.secret({ 'ca.crt': issuer.caPem }, ca)
    await fails('KUBE_UNTRUSTED')
    await scene.secret(goodCa, ca)
    await showsItself(cluster, 'oidc:june')
  })
})
