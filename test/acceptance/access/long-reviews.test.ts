/** Somebody who makes the question of their API server so long that the hub cannot answer it is still held to policies. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { before, describe, test } from 'node:test'
import type { BreakglassScene } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { longReview, longSelector, policiesPath } from '../../support/long-reviews.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import { hubOverTls } from '../../support/webhook-front.ts'
import type { WebhookSpoke } from '../../support/webhook-spoke.ts'
import { webhookSpoke } from '../../support/webhook-spoke.ts'

const user = 'reader@example.com'
const isReal = process.env['CONTROL_PLANE'] === 'kube'
/** What an API server takes in headers, less what else is in them. */
const longest = 1024 * 1024 - 8 * 1024

describe('a question as long as somebody can make it', needsControlPlane, () => {
  const suite = suiteScope()
  let scene: BreakglassScene
  let spoke: WebhookSpoke
  let policy: string
  before(async () => {
    scene = await breakglassScene(suite, await startControlPlane(suite, {}))
    spoke = await webhookSpoke(suite, scene, { front: await hubOverTls(suite, scene) })
    const rules = [{ apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: ['list'] }]
    await spoke.let(user, rules)
    policy = await scene.policy({
      appliesTo: { clusters: [spoke.cluster] },
      rules: [{ verbs: ['list'], apiGroups: [''], resources: ['secrets'], namespaces: { patterns: ['default'] } }],
    })
  })

  /** By hand: no client of ours sends such a thing. */
  const list = async (resource: string, labelSelector: string): Promise<{ status: number; text: string }> => {
    const { url: server, caPem } = spoke.plane
    const { certPem, keyPem } = await spoke.plane.issueClientCertificate({ commonName: user })
    const url = `${server}/api/v1/namespaces/default/${resource}?labelSelector=${labelSelector}`
    const asking = httpsRequest(url, { ca: caPem, cert: certPem, key: keyPem.reveal(), agent: false })
    const [answer] = (await once(asking.end(), 'response')) as [IncomingMessage]
    return { status: answer.statusCode ?? 0, text: Buffer.concat(await Array.fromAsync<Buffer>(answer)).toString() }
  }

  test('F1: a policy denies a request with selectors as long as headers can hold', async () => {
    await eventually(
      'RBAC lets them list what no policy forbids',
      async () => (await list('configmaps', 'a')).status === 200,
    )
    await eventually('the policy forbids the rest', async () => (await list('secrets', 'a')).status === 403)
    for (const length of [740 * 1024, longest]) {
      const { status, text } = await list('secrets', longSelector(length))
      if (isReal) assert.match(text, new RegExp(policy), `${status}`)
      // The embedded one may refuse such a selector itself.
      assert.ok(isReal ? status === 403 : status >= 400, `${length} bytes: ${status} ${text.slice(0, 200)}`)
    }
    const body = longReview({ user, verb: 'list', namespace: 'default' }, longest)
    assert.ok(body.length > 15 * 2 ** 20, `${body.length}`)
    const headers = { authorization: `Bearer ${await scene.webhookToken(spoke.cluster)}` }
    const asked = await fetch(`${scene.url}${policiesPath(spoke.cluster)}`, { method: 'POST', headers, body })
    const { status } = (await asked.json()) as { status: { denied?: boolean; reason: string } }
    assert.deepEqual([asked.status, status.denied], [200, true])
    assert.match(status.reason, new RegExp(policy))
  })
})
