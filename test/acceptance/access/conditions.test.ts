/** The conditions of what people write: true at once when it changes, or what it names, and written by nobody twice. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { AuditConfig } from '../../../src/apis/breakglass/audit-config.ts'
import type { EscalationSpec } from '../../../src/apis/breakglass/breakglass-escalation.ts'
import { BreakglassEscalation } from '../../../src/apis/breakglass/breakglass-escalation.ts'
import { ClusterConfig } from '../../../src/apis/breakglass/cluster-config.ts'
import { DenyPolicy } from '../../../src/apis/breakglass/deny-policy.ts'
import { IdentityProvider } from '../../../src/apis/breakglass/identity-provider.ts'
import { MailProvider } from '../../../src/apis/breakglass/mail-provider.ts'
import { namespaces } from '../../../src/kube/kinds.ts'
import type { KubeObject, Resource } from '../../../src/kube/objects.ts'
import type { BreakglassScene } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { aNamespace, uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

interface Condition {
  type: string
  status: string
  reason: string
  message: string
  observedGeneration?: number
}

describe('the conditions of what people write', needsControlPlane, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  let scene: BreakglassScene
  before(async () => {
    timed = await timedPlane(suite)
    scene = await breakglassScene(suite, timed.plane, { clock: timed.clock })
  })

  const of = <T extends KubeObject>(resource: Resource<T>, namespace = scene.namespace) =>
    scene.admin.of(resource, resource.namespaced ? namespace : undefined)
  const reaches = <T extends KubeObject & { status?: { conditions?: Condition[] } }>(
    resource: Resource<T>,
    name: string,
    type: string,
    expected: string,
    namespace = scene.namespace,
  ) =>
    eventually(
      `${type} of ${name} is ${expected}`,
      async () => {
        const { metadata, status } = await of(resource, namespace).get(name)
        const found = status?.conditions?.find((one) => one.type === type)
        return {
          said: `${found?.status} ${found?.reason}`,
          isOfThis: found?.observedGeneration === metadata.generation,
          message: found?.message ?? '',
        }
      },
      { until: ({ said, isOfThis }) => said === expected && isOfThis },
    )
  const escalation = async (
    spec: Partial<EscalationSpec>,
    name = uniqueName('escalation'),
    namespace = scene.namespace,
  ) => {
    const good = { escalatedGroup: 'g', allowed: { clusters: ['*'] }, approvers: { users: ['a@b.c'] } }
    await of(BreakglassEscalation.resource, namespace).create({ metadata: { name }, spec: { ...good, ...spec } })
    return name
  }
  const becomes = (name: string, type: string, expected: string, namespace?: string) =>
    reaches(BreakglassEscalation.resource, name, type, expected, namespace)
  const fine = 'True ValidationSucceeded'

  test('an escalation says what is wrong with itself, and is Ready when that is mended', async () => {
    const name = await escalation({ approvers: {} })
    const { message } = await becomes(name, 'Ready', 'False ValidationFailed')
    assert.match(message, /spec\.approvers: must name at least one user or one group/)
    await becomes(name, 'ConfigValidated', 'False ConfigValidationFailed')
    const patched = { spec: { approvers: { groups: ['leads'] } } }
    await of(BreakglassEscalation.resource).patch(name, { type: 'merge', body: patched })
    for (const type of [
      'Ready',
      'ConfigValidated',
      'ClusterRefsValid',
      'IDPRefsValid',
      'DenyPolicyRefsValid',
      'MailProviderValid',
    ])
      await becomes(name, type, fine)
    const { status } = await of(BreakglassEscalation.resource).get(name)
    assert.equal(status?.observedGeneration, 2)
  })

  test('what it names makes it Ready when it comes, and not when it goes', async () => {
    const [cluster, provider, policy, mail] = ['cluster', 'provider', 'policy', 'mail'].map(uniqueName) as [
      string,
      string,
      string,
      string,
    ]
    const name = await escalation({
      allowed: { clusters: [cluster] },
      allowedIdentityProviders: [provider],
      denyPolicyRefs: [policy],
      mailProvider: mail,
    })
    await becomes(name, 'Ready', 'False ValidationFailed')
    await becomes(name, 'ClusterRefsValid', 'False ClusterRefValidationFailed')
    await becomes(name, 'IDPRefsValid', 'False IDPRefValidationFailed')
    await becomes(name, 'DenyPolicyRefsValid', 'False DenyPolicyRefValidationFailed')
    await becomes(name, 'MailProviderValid', 'False MailProviderValidationFailed')

    await scene.cluster({}, { name: cluster, ready: false })
    await becomes(name, 'ClusterRefsValid', fine)
    const oidc = { authority: `https://${provider}.example.com`, clientID: 'a' }
    await of(IdentityProvider.resource).create({ metadata: { name: provider }, spec: { oidc, disabled: true } })
    await becomes(name, 'IDPRefsValid', 'False IDPRefValidationFailed')
    await of(IdentityProvider.resource).patch(provider, { type: 'merge', body: { spec: { disabled: false } } })
    await becomes(name, 'IDPRefsValid', fine)
    await scene.policy({ rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] }, policy)
    await becomes(name, 'DenyPolicyRefsValid', fine)
    await becomes(name, 'Ready', fine)
    const { message } = await becomes(name, 'MailProviderValid', 'False MailProviderValidationFailed')
    assert.match(message, /nobody gets mail/)
    const spec = { smtp: { host: 'mail.example.com', port: 25 }, sender: { address: 'a@example.com' } }
    await of(MailProvider.resource).create({ metadata: { name: mail }, spec })
    await becomes(name, 'MailProviderValid', fine)

    await of(DenyPolicy.resource).delete(policy)
    await becomes(name, 'Ready', 'False ValidationFailed')
    await scene.policy({ rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] }, policy)
    await becomes(name, 'Ready', fine)
    await of(ClusterConfig.resource).delete(cluster)
    await becomes(name, 'Ready', 'False ValidationFailed')
    await of(BreakglassEscalation.resource).patch(name, {
      type: 'merge',
      body: { spec: { clusterConfigRefs: ['prod-*'] } },
    })
    await becomes(name, 'Ready', fine)
    await becomes(name, 'ClusterRefsValid', 'False ClusterRefValidationFailed')
  })

  test('of two with one name neither is Ready, until one goes', async () => {
    const elsewhere = uniqueName('elsewhere')
    await scene.admin.of(namespaces).create(aNamespace(elsewhere))
    const name = await escalation({})
    await becomes(name, 'Ready', fine)
    await escalation({}, name, elsewhere)
    await becomes(name, 'Ready', 'False ValidationFailed')
    await becomes(name, 'Ready', 'False ValidationFailed', elsewhere)
    await of(BreakglassEscalation.resource, elsewhere).delete(name)
    await becomes(name, 'Ready', fine)
  })

  test('policies, audit configurations and mail providers say whether they can be used', async () => {
    const policy = await scene.policy({ rules: [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }] })
    await reaches(DenyPolicy.resource, policy, 'Ready', fine)
    const idle = await scene.policy({ rules: [{ verbs: ['get'] }] })
    await reaches(DenyPolicy.resource, idle, 'Ready', 'False ValidationFailed')
    await of(DenyPolicy.resource).delete(idle)

    const audit = uniqueName('audit')
    const kafka = { name: 'k', type: 'kafka' as const, kafka: { brokers: ['a:1'], topic: 't' } }
    await of(AuditConfig.resource).create({ metadata: { name: audit }, spec: { sinks: [kafka] } })
    const { message } = await reaches(AuditConfig.resource, audit, 'Ready', 'False ValidationFailed')
    assert.match(message, /Lanyard does not send to Kafka/)
    const sinks = [{ name: 'e', type: 'kubernetes' as const }]
    await of(AuditConfig.resource).patch(audit, { type: 'merge', body: { spec: { sinks } } })
    await reaches(AuditConfig.resource, audit, 'Ready', 'True ConfigurationValid')

    const [first, second] = [uniqueName('mail'), uniqueName('mail')]
    // Nobody listens there.
    const spec = { smtp: { host: '127.0.0.1', port: 1 }, sender: { address: 'a@example.com' } }
    const mails = of(MailProvider.resource)
    await mails.create({ metadata: { name: first }, spec: { ...spec, default: true } })
    await reaches(MailProvider.resource, first, 'Ready', 'False Unhealthy')
    await mails.create({ metadata: { name: second }, spec: { ...spec, default: true } })
    await reaches(MailProvider.resource, first, 'Ready', 'False ValidationFailed')
    await mails.patch(second, { type: 'merge', body: { spec: { disabled: true } } })
    await reaches(MailProvider.resource, second, 'Ready', 'False Disabled')
    await reaches(MailProvider.resource, first, 'Ready', 'False Unhealthy')
  })

  test('what is said already is not written again', async () => {
    const name = await escalation({ denyPolicyRefs: [] })
    await becomes(name, 'Ready', fine)
    const { metadata } = await of(BreakglassEscalation.resource).get(name)
    await scene.stop()
    await scene.start()
    const later = await escalation({})
    await becomes(later, 'Ready', fine)
    assert.equal((await of(BreakglassEscalation.resource).get(name)).metadata.resourceVersion, metadata.resourceVersion)
  })
})
