/** kubectl drives the embedded control plane, command by command. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { stringify } from 'yaml'
import { findAssets } from '../../tools/kube-assets/locate.ts'
import { uniqueName } from '../support/builders.ts'
import { launchEmbedded } from '../support/control-plane/embedded.ts'
import type { OwnControlPlane } from '../support/control-plane.ts'
import { eventually } from '../support/eventually.ts'
import { tempDir } from '../support/temp-dir.ts'
import { teardown } from '../support/test-scope.ts'

const run = promisify(execFile)
const versions = ['kubectl', 'kubectl-1.35'] as const

let plane: OwnControlPlane

function aShell(t: TestContext, version: (typeof versions)[number]) {
  const program = findAssets(process.env, [version])?.path(version)
  assert.ok(program, `${version} is not built; run: npm run kube-assets`)
  const folder = tempDir(t)
  const common = ['--kubeconfig', plane.adminKubeconfigPath]
  const env = { HOME: folder, EDITOR: 'sed -i s/one/two/' }
  const kubectl = async (...args: string[]) => (await run(program, [...common, ...args], { env })).stdout
  const following = (...args: string[]) => {
    const child = spawn(program, [...common, ...args], { env, stdio: ['ignore', 'pipe', 'ignore'] })
    teardown(t, () => void child.kill('SIGKILL'))
    const seen = { text: '' }
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      seen.text += chunk
    })
    return seen
  }
  const file = (name: string, object: object) => {
    const path = join(folder, `${name}.yaml`)
    writeFileSync(path, stringify(object))
    return path
  }
  return { kubectl, following, file }
}

async function aNamespaceOf(t: TestContext, kubectl: (...args: string[]) => Promise<string>): Promise<string> {
  const namespace = uniqueName('kubectl')
  await kubectl('create', 'namespace', namespace)
  teardown(t, async () => void (await kubectl('delete', 'namespace', namespace)))
  return namespace
}

describe('kubectl on the embedded control plane', () => {
  before(async () => {
    plane = await launchEmbedded({})
  })
  after(() => plane?.stop())

  for (const version of versions) {
    test(`${version}: get, create, delete`, async (t) => {
      const { kubectl, file } = aShell(t, version)
      const namespace = await aNamespaceOf(t, kubectl)
      const inside = (...args: string[]) => kubectl('-n', namespace, ...args)
      assert.match(await inside('create', 'configmap', 'made', '--from-literal=a=one'), /configmap\/made created/)
      assert.match(await inside('get', 'configmaps'), /^NAME +DATA +AGE\n[\s\S]*made +1 +\d+s/)
      assert.equal(await inside('get', 'configmap', 'made', '-o', 'jsonpath={.data.a}'), 'one')
      const path = file('map', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'filed' }, data: { a: 'b' } })
      assert.match(await inside('create', '-f', path), /configmap\/filed created/)
      await assert.rejects(inside('create', '-f', path), /AlreadyExists/)
      assert.match(await inside('delete', 'configmap', 'made', 'filed'), /"made" deleted[\s\S]*"filed" deleted/)
      await assert.rejects(inside('get', 'configmap', 'made'), /NotFound/)
      for (const [kind, ...rest] of [
        ['secret', 'generic', 's', '--from-literal=a=b'],
        ['serviceaccount', 'robot'],
        ['role', 'reader', '--verb=get', '--resource=pods'],
        ['rolebinding', 'reader', '--role=reader', `--serviceaccount=${namespace}:robot`],
        ['deployment', 'web', '--image=example'],
      ] as [string, ...string[]][])
        assert.match(await inside('create', kind, ...rest), /created/)
      assert.match(await inside('get', 'secret,serviceaccount,role,rolebinding,deployment'), /deployment.apps\/web/)
    })

    test(`${version}: get -w`, async (t) => {
      const { kubectl, following } = aShell(t, version)
      const namespace = await aNamespaceOf(t, kubectl)
      const seen = following('-n', namespace, 'get', 'configmaps', '-w', '--output-watch-events')
      await eventually('the watch is open', () => seen.text.includes('kube-root-ca.crt'))
      await kubectl('-n', namespace, 'create', 'configmap', 'a')
      await kubectl('-n', namespace, 'delete', 'configmap', 'a')
      await eventually('both are seen', () => /ADDED +a +0[\s\S]*DELETED +a +0/.test(seen.text))
    })

    test(`${version}: auth can-i`, async (t) => {
      const { kubectl } = aShell(t, version)
      const namespace = await aNamespaceOf(t, kubectl)
      assert.equal((await kubectl('auth', 'can-i', 'delete', 'nodes')).trim(), 'yes')
      await kubectl('-n', namespace, 'create', 'role', 'reader', '--verb=get', '--resource=pods')
      await kubectl('-n', namespace, 'create', 'rolebinding', 'reader', '--role=reader', '--user=jane')
      const jane = (...args: string[]) => kubectl('auth', 'can-i', '-n', namespace, '--as', 'jane', ...args)
      assert.equal((await jane('get', 'pods')).trim(), 'yes')
      await assert.rejects(jane('delete', 'pods'), (error: { stdout: string }) => error.stdout.trim() === 'no')
      assert.match(await jane('--list'), /pods +\[\] +\[\] +\[get\]/)
    })

    test(`${version}: a custom kind`, async (t) => {
      const { kubectl, file } = aShell(t, version)
      const namespace = await aNamespaceOf(t, kubectl)
      const group = `${uniqueName('k')}.example.com`
      const schema = {
        type: 'object',
        properties: { spec: { type: 'object', required: ['size'], properties: { size: { type: 'integer' } } } },
      }
      const definition = file('crd', {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `widgets.${group}` },
        spec: {
          group,
          scope: 'Namespaced',
          names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wi'] },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
        },
      })
      await kubectl('create', '-f', definition)
      teardown(t, async () => void (await kubectl('delete', '-f', definition)))
      await kubectl('wait', '--for=condition=Established', '--timeout=20s', '-f', definition)
      const widget = (name: string, spec: object) =>
        file(name, { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name, namespace }, spec })
      await kubectl('create', '-f', widget('good', { size: 1 }))
      await assert.rejects(kubectl('create', '-f', widget('bad', {})), /spec.size: Required value/)
      assert.match(await kubectl('-n', namespace, 'get', `wi.${group}`), /^NAME +AGE\ngood +\d+s/)
    })
  }
})
