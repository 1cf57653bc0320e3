import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { whyNobodyElse } from '../../../test/support/other-users.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { formatHubKubeconfig } from '../../fleet/hub-stanza.ts'
import { emptyKubeconfig, formatKubeconfig, withContext } from '../../kube/kubeconfig/index.ts'
import { hubFiles } from './hub-files.ts'

const secret = (kubeconfig: string) => ({ data: { kubeconfig: Buffer.from(kubeconfig).toString('base64') } })
const modeOf = (path: string) => statSync(path).mode & 0o777

test('a folder that it makes is closed to others, one that is there is left as it is', async (t) => {
  const dir = tempDir(t)
  await hubFiles(join(dir, 'made'))(secret('a'))
  assert.deepEqual([modeOf(join(dir, 'made')), modeOf(join(dir, 'made', 'kubeconfig'))], [0o700, 0o600])
  mkdirSync(join(dir, 'there'))
  chmodSync(join(dir, 'there'), 0o777)
  await hubFiles(join(dir, 'there'))(secret('a'))
  assert.deepEqual([modeOf(join(dir, 'there')), modeOf(join(dir, 'there', 'kubeconfig'))], [0o777, 0o600])
})

const certified = formatHubKubeconfig({ name: 'hub', server: 'https://hub.example.com' })
const withPlugin = formatKubeconfig(
  withContext(emptyKubeconfig, {
    cluster: { server: 'https://hub.example.com' },
    user: {
      exec: { apiVersion: 'client.authentication.k8s.io/v1beta1', command: 'lanyard', interactiveMode: 'Never' },
    },
    names: { cluster: 'hub' },
  }),
).reveal()

test('a certificate and its key go once the kubeconfig names a plugin in their place, and at no other time', async (t) => {
  const dir = tempDir(t)
  const write = hubFiles(dir)
  const pair = { 'tls.crt': 'eA==', 'tls.key': 'eA==' }
  const files = () => readdirSync(dir).sort()
  await write({ data: { ...secret(certified).data, ...pair } })
  await write({ data: { 'agent-name': 'eA==' } })
  await write(secret(certified))
  assert.deepEqual(files(), ['agent-name', 'kubeconfig', 'tls.crt', 'tls.key'])
  await write(secret(withPlugin))
  assert.deepEqual(files(), ['agent-name', 'kubeconfig'])
  await write({ data: { ...secret(certified).data, ...pair } })
  assert.deepEqual(files(), ['agent-name', 'kubeconfig', 'tls.crt', 'tls.key'])
})

test('in a volume of another user, each start of a pod writes its files', async (t) => {
  const volume = tempDir(t)
  // As a kubelet mounts an emptyDir for a pod without an fsGroup.
  chmodSync(volume, 0o777)
  const script = (folder: string, text: string) => `
    import { hubFiles } from ${JSON.stringify(import.meta.resolve('./hub-files.ts'))}
    await hubFiles(${JSON.stringify(folder)})(${JSON.stringify(secret(text))})`
  const asPod = whyNobodyElse ? {} : { uid: 65532, gid: 65532 }
  for (const folder of [join(volume, 'hub-kubeconfig'), volume])
    for (const start of ['first', 'second']) {
      const args = ['--input-type=module', '--eval', script(folder, start)]
      await promisify(execFile)(process.execPath, args, { ...asPod, cwd: '/' })
      assert.equal(readFileSync(join(folder, 'kubeconfig'), 'utf8'), start)
    }
  assert.equal(modeOf(join(volume, 'hub-kubeconfig')), 0o700)
})
