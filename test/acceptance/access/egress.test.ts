/** Where break glass on the hub connects to when users name the address: mail servers, sinks of the audit, Keycloak. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { AuditConfig } from '../../../src/apis/breakglass/audit-config.ts'
import { BreakglassEscalation } from '../../../src/apis/breakglass/breakglass-escalation.ts'
import { IdentityProvider } from '../../../src/apis/breakglass/identity-provider.ts'
import { MailProvider } from '../../../src/apis/breakglass/mail-provider.ts'
import type { Condition } from '../../../src/core/conditions.ts'
import { findCondition } from '../../../src/core/conditions.ts'
import { egressRules, everywhere } from '../../../src/core/egress.ts'
import { secrets } from '../../../src/kube/kinds.ts'
import type { KubeObject, Resource } from '../../../src/kube/objects.ts'
import type { BreakglassScene } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { uniqueName } from '../../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import type { CountingListener } from '../../support/counting-listener.ts'
import { startCountingListener } from '../../support/counting-listener.ts'
import { eventually } from '../../support/eventually.ts'
import { suiteScope } from '../../support/suite-scope.ts'

describe('addresses that users give to break glass', needsControlPlane, () => {
  const suite = suiteScope()
  const pod = egressRules(everywhere, { inPod: true })
  let egress = pod
  let scene: BreakglassScene
  let listener: CountingListener
  before(async () => {
    listener = await startCountingListener(suite)
    scene = await breakglassScene(suite, await startControlPlane(suite, {}), { egress: () => egress })
  })

  interface WithConditions extends KubeObject {
    status?: { conditions?: unknown }
  }
  /** Makes the object and waits for the condition with this reason; its message. */
  async function told<T extends WithConditions>(
    resource: Resource<T>,
    object: T & { metadata: { name: string } },
    [type, reason]: readonly [string, string],
  ): Promise<string> {
    const { name } = object.metadata
    await scene.admin.of(resource).create(object)
    const { message } = await eventually(`${name}: ${type} is ${reason}`, async () => {
      const { status } = await scene.admin.of(resource).get(name)
      const found = findCondition(status?.conditions as Condition[] | undefined, type)
      return found?.reason === reason ? found : undefined
    })
    return message
  }

  test('F11l: no mail server, no sink and no Keycloak is connected to where the hub must not', async (t) => {
    const { port } = listener
    const [mail, sink, keycloak] = ['mail', 'audit', 'keycloak'].map((kind) => uniqueName(kind)) as [
      string,
      string,
      string,
    ]
    const mailProvider = {
      metadata: { name: mail },
      spec: { smtp: { host: 'localhost', port }, sender: { address: 'hub@example.com' } },
    }
    assert.match(await told(MailProvider.resource, mailProvider, ['Healthy', 'EgressDenied']), /connect to localhost;/)

    const url = `https://127.0.0.1:${port}/events`
    const auditConfig = {
      metadata: { name: sink },
      spec: { enabled: true, sinks: [{ name: 'siem', type: 'webhook' as const, webhook: { url } }] },
    }
    t.after(() => scene.admin.of(AuditConfig.resource).delete(sink))
    const unhealthy = told(AuditConfig.resource, auditConfig, ['SinksHealthy', 'EgressDenied'])

    const client = uniqueName('client')
    const data = { 'client-secret': Buffer.from('hunter2').toString('base64') }
    await scene.admin.of(secrets, scene.namespace).create({ metadata: { name: client }, data })
    const baseURL = `https://[::ffff:127.0.0.1]:${port}`
    const provider = {
      metadata: { name: keycloak },
      spec: {
        oidc: { authority: 'https://issuer.invalid', clientID: 'people' },
        groupSyncProvider: 'Keycloak' as const,
        keycloak: {
          ...{ baseURL, realm: 'fleet', clientID: 'lanyard' },
          clientSecretRef: { name: client, namespace: scene.namespace },
        },
      },
    }
    const spec = {
      ...{ escalatedGroup: 'admins', allowed: { clusters: ['*'], groups: ['devs'] }, approvers: { groups: ['leads'] } },
      allowedIdentityProviders: [keycloak],
    }
    await scene.admin
      .of(BreakglassEscalation.resource, scene.namespace)
      .create({ metadata: { name: uniqueName('escalation') }, spec })
    assert.match(
      await told(IdentityProvider.resource, provider, ['GroupSyncHealthy', 'EgressDenied']),
      /connect to \[::ffff:7f00:1\];/,
    )
    // So that there is something to write.
    await scene.ask('nowhere', 'somebody', {}, { token: 'of-nobody' })
    assert.match(await unhealthy, /siem: .*connect to 127\.0\.0\.1;/)
    assert.equal(listener.connections, 0)

    egress = everywhere
    t.after(() => {
      egress = pod
    })
    await scene.admin.of(MailProvider.resource).patch(mail, { type: 'merge', body: { spec: { displayName: 'again' } } })
    await eventually('the mail server is connected to once that is allowed', () => listener.connections > 0)
  })
})
