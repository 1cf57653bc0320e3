import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { stringify } from 'yaml'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { parseKubeconfig } from '../../kube/kubeconfig/index.ts'
import { readWebhookCredentials, userFor } from './webhook-credentials.ts'

const kubeconfig = (names: string[], more: object = {}) =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    users: names.map((name) => ({ name, user: { token: `for ${name}` } })),
    ...more,
  })

const table: [target: string, users: string[], found: string | undefined][] = [
  ['hub.example.com:9443', ['hub.example.com:9443', '*'], 'hub.example.com:9443'],
  ['hub.example.com:9443', ['hub.example.com', '*.example.com'], undefined],
  ['hub.example.com:9443', ['*.com:9443', '*.example.com:9443', '*'], '*.example.com:9443'],
  ['hub.example.com:443', ['hub.example.com', '*'], 'hub.example.com'],
  ['hub.example.com:443', ['*.example.com'], '*.example.com'],
  ['hub.example.com:443', ['*.example.com:443', 'hub.example.com'], '*.example.com:443'],
  ['hub.space.svc:443', ['*.space.svc', '*'], '*.space.svc'],
  ['hub.space.svc:443', ['*'], '*'],
  ['hub.space.svc:443', [], undefined],
  ['127.0.0.1:9443', ['127.0.0.1:9443'], '127.0.0.1:9443'],
]
for (const [target, users, found] of table)
  test(`${target} is shown ${found ?? 'nothing'} of ${users.join(', ') || 'nobody'}`, () =>
    assert.equal(userFor(target, parseKubeconfig(kubeconfig(users), { name: 'test' })), found))

test('the user of the current context is shown where no other is', () => {
  const more = { contexts: [{ name: 'c', context: { cluster: '', user: 'b' } }], 'current-context': 'c' }
  assert.equal(userFor('a:1', parseKubeconfig(kubeconfig(['b', 'd'], more), { name: 'test' })), 'b')
})

test('mutating and validating webhooks have a kubeconfig each, inline or by a file of its own', async (t) => {
  const dir = tempDir(t)
  const at = (name: string) => join(dir, name)
  const webhooks = (kubeConfigFile: string) => ({
    ...{ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'WebhookAdmissionConfiguration' },
    kubeConfigFile,
  })
  const write = (plugins: object[]) =>
    writeFile(
      at('admission.yaml'),
      stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration', plugins }),
    )
  await writeFile(at('users'), kubeconfig(['*']))
  await writeFile(at('own.yaml'), stringify(webhooks(at('users'))))
  await write([{ name: 'ValidatingAdmissionWebhook', path: 'own.yaml' }])
  const { mutating, validating } = await readWebhookCredentials(at('admission.yaml'))
  assert.equal(validating('a:1').authorization?.reveal(), 'Bearer for *')
  assert.deepEqual(mutating('a:1'), {})
  await write([{ name: 'MutatingAdmissionWebhook', configuration: webhooks('users') }])
  await assert.rejects(readWebhookCredentials(at('admission.yaml')), /must be an absolute file path/)
  await write([{ name: 'MutatingAdmissionWebhook', configuration: webhooks(at('missing')) }])
  await assert.rejects(readWebhookCredentials(at('admission.yaml')), { code: 'ADMISSION_CONFIG_INVALID' })
})
