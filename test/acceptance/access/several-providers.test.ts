/** Several identity providers: what the people of one may be called, and what that is good for among those of another. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { IdentityProvider } from '../../../src/apis/breakglass/identity-provider.ts'
import { providerAnnotations } from '../../../src/fleet/names.ts'
import type { BreakglassScene, TestPerson } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { TestIssuer } from '../../support/issuer.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import { timedPlane } from '../../support/timed-plane.ts'

const leadName = 'lead@example.com'
/** As many identity providers leave it. */
const unsaid = { email_verified: undefined }

describe('several identity providers', needsControlPlane, () => {
  const suite = suiteScope()
  let scene: BreakglassScene
  before(async () => {
    const timed = await timedPlane(suite)
    scene = await breakglassScene(suite, timed.plane, {
      clock: timed.clock,
      settings: { oidcPrefixes: ['corp:', 'partner:'] },
    })
  })

  const annotate = (name: string, annotations: Record<string, string | null>) =>
    scene.admin.of(IdentityProvider.resource).patch(name, { type: 'merge', body: { metadata: { annotations } } })
  const statusOf = async (call: Promise<{ status: number }>) => (await call).status
  const isKnown = (someone: TestPerson) =>
    eventually('the provider is known', async () => (await statusOf(someone.get('/api/breakglassSessions'))) === 200)

  /** Asked for by a developer of the first provider. */
  async function asked(story: Awaited<ReturnType<BreakglassScene['story']>>): Promise<string> {
    const { status, body } = await story.dev.request(story.cluster, story.group)
    assert.equal(status, 201, JSON.stringify(body))
    return body.metadata.name
  }
  /** Once the hub has heard of what was changed. */
  const approves = (someone: TestPerson, session: string) =>
    eventually('the approval counts', async () => (await statusOf(someone.act(session, 'approve'))) === 200)

  async function partner(): Promise<{
    issuer: TestIssuer
    name: string
    as(email: string, more?: object): TestPerson
  }> {
    const { issuer, provider: name } = await scene.another()
    const as = (email: string, more: object = {}) => scene.person(email, { issuer, ...more })
    await isKnown(as('anybody@partner.example.com'))
    return { issuer, name, as }
  }
  const gone = (name: string) => scene.admin.of(IdentityProvider.resource).delete(name)

  test('F9b: a mail address counts from the only provider as it did, and of several from one that vouches for it', async () => {
    const story = await scene.story()
    const first = await asked(story)
    const quiet = scene.person(leadName, { claims: unsaid })
    assert.equal(await statusOf(quiet.act(first, 'approve')), 200, 'the only provider need not say so')

    const other = await scene.story()
    const second = await asked(other)
    const { name, as } = await partner()
    for (const claims of [unsaid, { ...unsaid, preferred_username: leadName }, { email_verified: false }])
      assert.equal(await statusOf(as(leadName, { claims }).act(second, 'approve')), 403)
    assert.equal(await statusOf(quiet.act(second, 'approve')), 403, 'nor does the first one say so any more')
    assert.equal((await scene.session(second)).status?.state, 'Pending')
    await annotate(name, { [providerAnnotations.mailTrusted]: 'true' })
    assert.equal(await statusOf(as(leadName, { claims: { email_verified: false } }).act(second, 'approve')), 403)
    await approves(as(leadName, { claims: unsaid }), second)

    await annotate(name, { [providerAnnotations.mailTrusted]: null })
    const third = await asked(await scene.story())
    assert.equal(await statusOf(as(leadName).act(third, 'approve')), 200, 'the token says so')
    await gone(name)
  })

  test('F9c: a group of one provider is none of another, whatever prefixes are taken off', async () => {
    const { name, as } = await partner()
    await annotate(scene.provider, { [providerAnnotations.groupsPrefix]: 'corp:' })
    await annotate(name, { [providerAnnotations.groupsPrefix]: 'partner:' })
    const story = await scene.story({
      escalation: { allowed: { clusters: ['*'], groups: ['corp:devs'] }, approvers: { groups: ['corp:leads'] } },
    })
    const session = await eventually('the hub knows the prefix', async () => {
      const { status, body } = await story.dev.request(story.cluster, story.group)
      return status === 201 ? (body.metadata.name as string) : undefined
    })
    for (const groups of [['leads'], ['partner:leads'], ['corp:leads'], ['partner:corp:leads']])
      assert.equal(await statusOf(as('x@partner.example.com', { groups }).act(session, 'approve')), 403, `${groups}`)
    for (const groups of [['devs'], ['partner:devs'], ['corp:devs'], ['partner:corp:devs']])
      assert.equal(await statusOf(as('y@partner.example.com', { groups }).request(story.cluster, story.group)), 403)
    const lead = scene.person('boss@example.com', { groups: ['leads'] })
    await approves(lead, session)

    await annotate(scene.provider, { [providerAnnotations.groupsPrefix]: null })
    await gone(name)
  })

  test('F9: who chose the names of another person at another provider gets nothing of theirs and cannot approve their own request', async () => {
    const { name, as } = await partner()
    const { group, cluster, dev, lead } = await scene.story({
      escalation: { approvers: { users: [leadName], groups: ['leads'] }, blockSelfApproval: true },
    })
    const { status, body } = await dev.request(cluster, group)
    assert.equal(status, 201)
    const session: string = body.metadata.name
    const double = as(dev.email, { groups: ['leads'], claims: unsaid })
    assert.equal(await statusOf(double.act(session, 'approve')), 403, 'it could be the same person')
    const stranger = as('stranger@partner.example.com', { claims: { ...unsaid, preferred_username: dev.email } })
    for (const action of ['withdraw', 'drop']) assert.equal(await statusOf(stranger.act(session, action)), 403)
    const approver = as('other@partner.example.com', {
      groups: ['leads'],
      claims: { ...unsaid, preferred_username: leadName },
    })
    assert.equal(await statusOf(approver.act(session, 'approve')), 200)
    const { approvers = [] } = (await scene.session(session)).status ?? {}
    assert.deepEqual(approvers, [`${name}:${leadName}`], 'on record it is not the name of somebody else')
    assert.equal(await statusOf(lead.act(session, 'cancel')), 200)
    await gone(name)
  })
})
