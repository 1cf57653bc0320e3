/** What becomes of requests that the control plane itself cannot do justice to. On a real one nobody moves the time. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  authorizationConfig,
  hookKubeconfig,
  rbacAuthorizer,
  webhookAuthorizer,
} from '../../../test/support/authorization-hook.ts'
import { issueForClient } from '../../../test/support/control-plane/identities.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { rawRequest } from '../../../test/support/raw-request.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import type { TestScope } from '../../../test/support/test-scope.ts'
import { teardown } from '../../../test/support/test-scope.ts'
import { silentLog } from '../../core/log.ts'
import { systemRandom } from '../../core/random.ts'
import { startEmbedded } from '../start.ts'

/** Takes connections and says nothing. Counts those that have sent something. */
async function silentServer(t: TestScope) {
  const heard = { connections: 0 }
  const server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => heard.connections++)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  teardown(t, () => void server.close())
  return { heard, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** With so many webhooks that hang before RBAC, by which everybody may ask for /version. */
async function behindWebhooks(t: TestScope, count: number) {
  const clock = new FakeClock(new Date())
  const dir = tempDir(t)
  const { heard, url } = await silentServer(t)
  const authorizationConfigFile = join(dir, 'authorization.yaml')
  const hooks = Array.from({ length: count }, (_, index) =>
    webhookAuthorizer(`silent-${index}`, hookKubeconfig(t, url, ''), {
      matchConditions: [{ expression: 'request.user == "jane"' }],
    }),
  )
  writeFileSync(authorizationConfigFile, authorizationConfig(...hooks, rbacAuthorizer))
  const plane = await startEmbedded({
    ...{ dir: join(dir, 'data'), clock, random: systemRandom, log: silentLog },
    authorizationConfig: authorizationConfigFile,
  })
  teardown(t, () => plane.close())
  const { serverCa, clientCa } = plane.identities
  const jane = await issueForClient(clientCa, { commonName: 'jane' })
  const ask = (path: string, certificate: typeof jane | null = jane) =>
    rawRequest({ url: plane.url, caPem: serverCa.certPem }, { path, certificate })
  return { plane, clock, heard, ask }
}

test('F4: where the time of a request ends before every authorizer was asked, the next one has no say', async (t) => {
  const { clock, heard, ask } = await behindWebhooks(t, 3)
  let answered: Awaited<ReturnType<typeof ask>> | undefined
  const answering = ask('/version').then((answer) => {
    answered = answer
  })
  for (let asked = 1; asked <= 3 && !answered; asked++) {
    await eventually('the next webhook is asked, or none', () => heard.connections >= asked || answered !== undefined)
    await clock.advance('30s')
  }
  await answering
  assert.deepEqual([answered?.code, answered?.json.reason], [503, 'ServiceUnavailable'])
})

test('F4f: what is asked while the control plane is stopped gets no answer that nobody gave', async (t) => {
  const { plane, heard, ask } = await behindWebhooks(t, 1)
  const answering = ask('/version').then(
    ({ code }) => code,
    () => 'none',
  )
  await eventually('the webhook is asked', () => heard.connections > 0)
  await plane.close()
  assert.ok([503, 'none'].includes(await answering))
})

test('F15: selectors over 64 KiB are refused, of whoever sends them, and before anybody is asked about them', async (t) => {
  const { ask, heard } = await behindWebhooks(t, 1)
  const long = 'a,'.repeat(350 * 1024)
  for (const path of [
    `/api/v1/secrets?labelSelector=${long}`,
    `/api/v1/secrets?fieldSelector=${long}`,
    `/api/v1/namespaces/default/pods?watch=1&labelSelector=${long}`,
    `/apis/example.com/v1/widgets?labelSelector=${long}`,
  ])
    for (const certificate of [undefined, null]) {
      const { code, json } = await ask(path, certificate)
      assert.deepEqual(
        [code, json.reason, json.message],
        [400, 'BadRequest', 'a selector may not be longer than 65536 bytes'],
        path.slice(0, 60),
      )
    }
  assert.equal(heard.connections, 0)
  const { code } = await ask(`/api/v1/secrets?labelSelector=${'a,'.repeat(32 * 1024 - 1)}a`, null)
  assert.equal(code, 403)
})

test('F15a: parameters without end are refused before they are taken apart', async (t) => {
  const { ask } = await behindWebhooks(t, 0)
  assert.equal((await ask(`/version?${'a&'.repeat(350 * 1024)}`, null)).code, 400)
  assert.equal((await ask(`/version?${'a&'.repeat(900)}`, null)).code, 200)
})
