/** What the hub says to writes of escalations, policies, audit configurations and mail providers before they are stored. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { accessWebhooks } from '../../../src/access/admission/index.ts'
import { defaultAccessSettings } from '../../../src/access/settings.ts'
import { AuditConfig } from '../../../src/apis/breakglass/audit-config.ts'
import type { EscalationSpec } from '../../../src/apis/breakglass/breakglass-escalation.ts'
import { BreakglassEscalation } from '../../../src/apis/breakglass/breakglass-escalation.ts'
import { DenyPolicy } from '../../../src/apis/breakglass/deny-policy.ts'
import { MailProvider } from '../../../src/apis/breakglass/mail-provider.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { namespaces } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import type { KubeObject, Resource } from '../../../src/kube/objects.ts'
import { hubOf, serveAccessWebhooks, writerOf } from '../../support/access-webhook-scene.ts'
import { refusalOf } from '../../support/admission-hook.ts'
import { aNamespace, uniqueName } from '../../support/builders.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { installFleetKinds } from '../../support/fleet-scene.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { rawCall } from '../../support/raw-call.ts'
import { suiteScope } from '../../support/suite-scope.ts'

const good: EscalationSpec = {
  escalatedGroup: 'cluster-admin',
  allowed: { clusters: ['tenant-prod-cluster'], groups: ['emergency-responders'] },
  approvers: { users: ['admin@example.com'] },
}
const mail = { smtp: { host: 'mail.example.com', port: 25 }, sender: { address: 'a@example.com' } }
const secret = (name: string) => ({ name, namespace: 'secrets' })
const mayGet = (...resourceNames: string[]) => ({
  apiGroups: [''],
  resources: ['secrets'],
  resourceNames,
  verbs: ['get'],
})

describe('the webhooks of access', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: OwnControlPlane
  let admin: Kube
  /** In a namespace of its own, stored before anybody was asked. */
  const unasked = 'unasked'

  const create = async <T extends KubeObject & { spec?: unknown }>(
    resource: Resource<T>,
    spec: object,
    { kube = admin, name = uniqueName('made'), namespace = 'default' } = {},
  ) =>
    kube.of(resource, resource.namespaced ? namespace : undefined).create({ metadata: { name }, spec } as unknown as T)
  const refuses = async <T extends KubeObject & { spec?: unknown }>(
    resource: Resource<T>,
    spec: object,
    words: RegExp,
    { code: expected = 400, ...options }: { code?: number; kube?: Kube; name?: string; namespace?: string } = {},
  ) => {
    const { code, message } = await refusalOf(create(resource, spec, options))
    assert.deepEqual([code, words.test(message)], [expected, true], `${code} ${message}`)
  }
  const escalates = (changes: Partial<EscalationSpec>, words: RegExp) =>
    refuses(BreakglassEscalation.resource, { ...good, ...changes }, words)

  const warningsOn = async (collection: string, kind: string, spec: object) => {
    const apiVersion = 'breakglass.t-caas.telekom.com/v1alpha1'
    const body = { apiVersion, kind, metadata: { name: uniqueName('warned') }, spec }
    const { code, warnings } = await rawCall(plane, { method: 'POST', path: `/apis/${apiVersion}/${collection}`, body })
    assert.equal(code, 201)
    return warnings
  }

  before(async () => {
    plane = await startControlPlane(suite, {})
    const client = kubeClient(suite, plane.connection())
    admin = client
    await installFleetKinds(client)
    await admin.of(namespaces).create(aNamespace('elsewhere'))
    await create(BreakglassEscalation.resource, { ...good, approvers: {} }, { name: unasked })
    const kube = await hubOf(suite, plane, admin)
    const settings = () => defaultAccessSettings
    await serveAccessWebhooks(suite, admin, accessWebhooks({ kube, clock: systemClock, settings }))
  })

  test('an escalation as the description shows it is taken, also before its cluster is there, with a word about that', async () => {
    await create(BreakglassEscalation.resource, good)
    const warnings = await warningsOn('namespaces/default/breakglassescalations', 'BreakglassEscalation', good)
    assert.match(warnings.join(), /there is no ClusterConfig tenant-prod-cluster/)
  })

  test('what an escalation must not say is refused by name', async () => {
    await escalates({ approvers: {} }, /spec\.approvers: must name at least one/)
    await escalates({ blockSelfApproval: true }, /spec\.approvers\.groups/)
    await escalates(
      { allowedIdentityProvidersForRequests: ['a'] },
      /spec\.allowedIdentityProvidersForApprovers: is required/,
    )
    await escalates({ maxValidFor: '0s' }, /spec\.maxValidFor/)
    await escalates({ approvalTimeout: '2h' }, /spec\.approvalTimeout: must be at most maxValidFor/)
    await escalates({ minApprovals: 2 }, /spec\.minApprovals: is 2/)
    await escalates({ allowed: { clusters: ['(a|b)+'] } }, /spec\.allowed\.clusters\[0\]/)
    await escalates({ emergencyBypass: { enabled: true }, disableNotifications: true }, /spec\.disableNotifications/)
  })

  test('an idle timeout that API servers would not notice is refused', async () => {
    await escalates({ idleTimeout: '59s' }, /spec\.idleTimeout: must be at least 60s/)
    await create(BreakglassEscalation.resource, { ...good, idleTimeout: '1m' })
  })

  test('names of escalations are unique over all namespaces', async () => {
    const name = uniqueName('once')
    await create(BreakglassEscalation.resource, good, { name })
    await refuses(BreakglassEscalation.resource, good, /another namespace has a BreakglassEscalation/, {
      name,
      namespace: 'elsewhere',
    })
  })

  test('what was stored before may be changed, as long as it does not get worse', async () => {
    const escalations = admin.of(BreakglassEscalation.resource, 'default')
    const patch = (spec: object) => escalations.patch(unasked, { type: 'merge', body: { spec } })
    await patch({ maxValidFor: '2h' })
    assert.equal((await refusalOf(patch({ idleTimeout: '1s' }))).code, 400)
    await patch({ approvers: { groups: ['leads'] } })
    assert.equal((await refusalOf(patch({ approvers: { groups: null } }))).code, 400)
  })

  test('a policy forbids something, of resources or of paths', async () => {
    const rule = { verbs: ['get'], apiGroups: [''], resources: ['secrets'] }
    await create(DenyPolicy.resource, { rules: [rule] })
    await refuses(DenyPolicy.resource, {}, /spec: forbids nothing/)
    await refuses(DenyPolicy.resource, { rules: [{ verbs: ['get'] }] }, /spec\.rules\[0\]: must name resources/)
    await refuses(DenyPolicy.resource, { rules: [{ ...rule, nonResourceURLs: ['/a'] }] }, /make it two rules/)
    const named = { rules: [{ ...rule, verbs: ['*'], resourceNames: ['a'] }] }
    const warnings = await warningsOn('denypolicies', 'DenyPolicy', named)
    assert.match(warnings.join(), /does not stop it/)
  })

  test('sinks of the audit have the block of their type, and who names a Secret may read it', async () => {
    await refuses(
      AuditConfig.resource,
      { sinks: [{ name: 'a', type: 'webhook' }] },
      /spec\.sinks\[0\]\.webhook: is required/,
    )
    await refuses(
      AuditConfig.resource,
      { sinks: [{ name: 'a', type: 'log', kubernetes: {} }] },
      /is of another type than log/,
    )
    await create(AuditConfig.resource, { sinks: [{ name: 'a', type: 'log' }] })
    const to = (url: string) => ({
      sinks: [{ name: 'a', type: 'webhook', webhook: { url, authSecretRef: secret('sink') } }],
    })
    const may = await writerOf(suite, plane, admin, mayGet('sink'))
    const mayNot = await writerOf(suite, plane, admin)
    const { metadata } = await create(AuditConfig.resource, to('https://sink.example.com'), { kube: may })
    const options = { kube: mayNot, code: 403 }
    await refuses(
      AuditConfig.resource,
      to('https://sink.example.com'),
      /lacks the right to get secrets named sink/,
      options,
    )
    // Nor may they have it sent elsewhere.
    const patch = (spec: object) =>
      mayNot.of(AuditConfig.resource).patch(metadata.name, { type: 'merge', body: { spec } })
    assert.equal((await refusalOf(patch(to('https://thief.example.com')))).code, 403)
    await patch({ enabled: false })
  })

  test('a mail provider has both or neither of name and password, one is the default, and who names a Secret may read it', async () => {
    const passwordRef = { ...secret('smtp'), key: 'password' }
    const withLogin = (host: string) => ({ ...mail, smtp: { host, port: 587, username: 'u', passwordRef } })
    await refuses(
      MailProvider.resource,
      { ...mail, smtp: { ...mail.smtp, username: 'u' } },
      /spec\.smtp\.passwordRef: is required/,
    )
    await refuses(
      MailProvider.resource,
      { ...mail, smtp: { ...mail.smtp, passwordRef } },
      /spec\.smtp\.username: is required/,
    )
    await create(MailProvider.resource, { ...mail, default: true })
    await refuses(MailProvider.resource, { ...mail, default: true }, /another MailProvider is the default already/)
    await create(MailProvider.resource, { ...mail, default: true, disabled: true })
    const may = await writerOf(suite, plane, admin, mayGet('smtp'))
    const mayNot = await writerOf(suite, plane, admin)
    const { metadata } = await create(MailProvider.resource, withLogin('mail.example.com'), { kube: may })
    await refuses(MailProvider.resource, withLogin('mail.example.com'), /lacks the right to get secrets named smtp/, {
      kube: mayNot,
      code: 403,
    })
    const patch = (spec: object) =>
      mayNot.of(MailProvider.resource).patch(metadata.name, { type: 'merge', body: { spec } })
    assert.equal((await refusalOf(patch({ smtp: { host: 'thief.example.com' } }))).code, 403)
    await patch({ displayName: 'Mail' })
  })
})
