/** Breaking the glass as people see it: with kubectl, on a cluster whose API server uses the printed configuration. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { secrets } from '../../../src/kube/kinds.ts'
import { grant } from '../../support/access-scene.ts'
import type { BreakglassScene } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'
import type { WebhookSpoke } from '../../support/webhook-spoke.ts'
import { needsKubectl, webhookSpoke } from '../../support/webhook-spoke.ts'

/** Longer than an API server remembers a verdict by the printed configuration. */
const remembered = { withinMs: 40_000, everyMs: 500 }

describe('kubectl on a cluster that asks the hub', { skip: needsControlPlane.skip || needsKubectl.skip }, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  let scene: BreakglassScene
  let spoke: WebhookSpoke
  before(async () => {
    timed = await timedPlane(suite)
    scene = await breakglassScene(suite, timed.plane, { clock: timed.clock })
    spoke = await webhookSpoke(suite, scene)
    for (const name of ['one', 'two']) await spoke.admin.of(secrets, 'default').create({ metadata: { name } })
  })

  const secret = (person: string, name: string) => spoke.kubectl(person, 'get', 'secret', name, '-o', 'name')

  test('a call is denied, allowed once it is approved, and denied again once the session is over', async () => {
    const { cluster } = spoke
    const group = await scene.groupMay([{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }], {
      kube: spoke.admin,
    })
    await scene.escalation({
      escalatedGroup: group,
      allowed: { clusters: [cluster], groups: ['devs'] },
      approvers: { users: ['lead@example.com'] },
      maxValidFor: '1h',
    })
    const dev = scene.person('dev@example.com', { groups: ['devs'] })
    const lead = scene.person('lead@example.com')

    // An API server waits three seconds for the hub and then decides without it.
    const before = await eventually('the hub is heard', () => secret(dev.email, 'one'), {
      until: ({ text }) => /no session/i.test(text),
      ...remembered,
    })
    assert.equal(before.ok, false)
    assert.match(before.text, /Forbidden.*User "dev@example.com" cannot get resource "secrets"/)
    assert.equal(before.text.match(/no session/gi)?.length, 1, before.text)

    const { status, body } = await dev.request(cluster, group, { reason: 'the night is dark' })
    assert.equal(status, 201)
    assert.equal((await secret(dev.email, 'two')).ok, false, 'asked for is not allowed')
    assert.equal((await lead.act(body.metadata.name, 'approve')).status, 200)
    const allowed = await eventually('kubectl is let in', () => secret(dev.email, 'one'), {
      until: ({ ok }) => ok,
      ...remembered,
    })
    assert.equal(allowed.text.trim(), 'secret/one')
    assert.equal((await spoke.kubectl(dev.email, 'delete', 'secret', 'one')).ok, false, 'not more than the group may')
    assert.equal((await secret('other@example.com', 'one')).ok, false, 'nor anybody else')

    await timed.clock.advance('1h')
    const over = await eventually('kubectl is refused', () => secret(dev.email, 'one'), {
      until: ({ ok }) => !ok,
      ...remembered,
    })
    assert.match(over.text, /Forbidden/)
  })

  test('a policy forbids what RBAC allows, and kubectl says which', async () => {
    const person = 'ops@example.com'
    await grant(spoke.admin, 'default', [person], { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list'] })
    await eventually('RBAC lets them in', () => secret(person, 'two'), { until: ({ ok }) => ok, ...remembered })
    const policy = await scene.policy({
      appliesTo: { clusters: [spoke.cluster] },
      rules: [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: ['two'] }],
    })
    const refused = await eventually('the policy counts', () => secret(person, 'two'), {
      until: ({ ok }) => !ok,
      ...remembered,
    })
    assert.match(refused.text, new RegExp(policy))
    assert.equal((await secret(person, 'one')).ok, true, 'all else stays as it is')
  })
})
