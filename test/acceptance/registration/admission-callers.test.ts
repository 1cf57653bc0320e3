/** The hub's admission port, where it asks the API server for its client certificate. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { KubeFailure } from '../../../src/kube/failures.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { formatKubeconfig } from '../../../src/kube/kubeconfig/index.ts'
import type { Authority } from '../../../src/pki/index.ts'
import { registrationDeclarations, registrationWebhooks } from '../../../src/registration/admission/index.ts'
import { ask } from '../../../src/server/testing/ask.ts'
import { uniqueName } from '../../support/builders.ts'
import { issueForClient, testAuthority } from '../../support/control-plane/identities.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import { convertAddOns, installWebhooks, serveWebhooks } from '../../support/webhook-scene.ts'

const apiServerName = 'kube-apiserver-webhook-client'

describe('an admission port for its own API server only', needsControlPlane, () => {
  const suite = suiteScope()
  let authority: Authority
  let plane: OwnControlPlane
  before(async () => {
    authority = await testAuthority('webhook-client-ca')
    const { certPem, keyPem } = await issueForClient(authority, { commonName: apiServerName })
    const value = { clientCertificateData: certPem, clientKeyData: keyPem }
    // As docs/admission.md has it, but for the name: the port is not known yet.
    const users = formatKubeconfig({ clusters: [], contexts: [], users: [{ name: '*', value }] })
    plane = await startControlPlane(suite, { webhookUsers: users.reveal() })
  })

  const creates = (admin: Kube, name: string) =>
    admin.of(ManagedCluster.resource).create({ metadata: { name } }, { dryRun: true })

  test('F12: the webhooks answer the API server by its certificate, and no other client; conversion and probes stay open', async (t) => {
    const callers = { ca: async () => authority.certPem, names: [apiServerName] }
    const scene = await serveWebhooks(t, plane, { callers })
    const { admin, url, caPem } = scene
    await assert.rejects(creates(admin, 'not.a.name'), (error) => error instanceof KubeFailure && error.code === 400)
    await creates(admin, uniqueName('cluster'))

    const review = {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: { uid: 'u', operation: 'CREATE', userInfo: { username: 'system:admin', groups: ['system:masters'] } },
    }
    const post = (path: string, cert?: string, key?: string) =>
      ask(`${url}${path}`, caPem, {
        ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(review) },
        ...(cert !== undefined && { cert }),
        ...(key !== undefined && { key }),
      })
    // Not by no certificate, nor by one of the cluster itself, nor by another name of the same authority.
    const agent = await plane.issueClientCertificate({ commonName: 'system:open-cluster-management:west:a' })
    const other = await issueForClient(authority, { commonName: 'somebody' })
    for (const { path } of registrationDeclarations) {
      assert.equal((await post(path)).status, 401, path)
      for (const { certPem, keyPem } of [agent, other])
        assert.equal((await post(path, certPem, keyPem.reveal())).status, 401, path)
    }
    for (const path of ['/healthz', '/readyz']) assert.equal((await ask(`${url}${path}`, caPem)).status, 200)

    // No API server shows a certificate for a conversion.
    await convertAddOns(admin, scene)

    // An API server that shows another name is refused, and so is what it asks about.
    await installWebhooks(
      t,
      admin,
      registrationWebhooks({ kube: admin, clock: systemClock }),
      registrationDeclarations,
      { ...callers, names: ['another'] },
    )
    await eventually('what cannot be asked about is refused', () =>
      creates(kubeClient(t, plane.connection()), uniqueName('cluster')).then(
        () => false,
        (error) => error instanceof KubeFailure && error.code === 500,
      ),
    )
  })
})
