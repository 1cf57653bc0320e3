import assert from 'node:assert/strict'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suite, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { assertNoCanary } from '../../support/canary.ts'
import { eventually } from '../../support/eventually.ts'
import { lanyardSources } from '../../support/program.ts'
import type { Answered } from '../../support/pull-secret-process.ts'
import { facts, secretPath, serveSetting, serving } from '../../support/pull-secret-process.ts'
import { scanSource } from '../../support/source-scan.ts'
import { tempDir } from '../../support/temp-dir.ts'
import type { TestScope } from '../../support/test-scope.ts'

const root = join(import.meta.dirname, '../../..')

/** Nothing of the machine's Kubernetes, and a list of every module that the process loads. */
function alone(t: TestScope): { env: Record<string, string>; loaded(): string[] } {
  const dir = tempDir(t)
  const list = join(dir, 'modules')
  const hook = join(dir, 'hook.mjs')
  writeFileSync(list, '')
  writeFileSync(
    hook,
    `import { appendFileSync } from 'node:fs'
     import { registerHooks } from 'node:module'
     registerHooks({ load: (url, context, next) => (appendFileSync(${JSON.stringify(list)}, url + '\\n'), next(url, context)) })`,
  )
  return {
    env: {
      NODE_OPTIONS: `--import=${pathToFileURL(hook).href}`,
      HOME: dir,
      KUBECONFIG: '',
      KUBERNETES_SERVICE_HOST: '',
      KUBERNETES_SERVICE_PORT: '',
    },
    loaded: () => readFileSync(list, 'utf8').split('\n').filter(Boolean),
  }
}

const authsOf = ({ body }: Answered): Record<string, { auth: string }> => body.pull_secret.auths
const pairOf = (auth: string): [string, string] => {
  const text = Buffer.from(auth, 'base64').toString()
  return [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1)]
}

suite('with no Kubernetes anywhere', () => {
  test('P72: the process starts, and generates, reads, rotates, suspends, resumes, pools and deletes; nothing of Kubernetes is even loaded', async (t) => {
    const setting = await serveSetting(t, {
      pool: { enabled: true, high: 2, low: 1, batch: 2 },
      loops: { pool: 3_600, rotation: 0.2, sweep: 1 },
    })
    const { quay, redhat } = setting
    const { env, loaded } = alone(t)
    const service = await serving(t, setting, { program: lanyardSources, env })
    const letsIn = (answer: Answered) =>
      Object.values(authsOf(answer)).map(({ auth }) => quay.logsIn(...pairOf(auth)) || redhat.logsIn(...pairOf(auth)))

    const made = await service.call('POST', secretPath, facts)
    assert.deepEqual([made.status, Object.keys(authsOf(made)).length], [201, 3])
    assert.deepEqual(letsIn(made), [true, true, true])
    const read = await service.call('GET', secretPath)
    assert.deepEqual(authsOf(read), authsOf(made))

    const asked = { reason: 'compromise', force_immediate: true }
    const rotation = await service.call('POST', `${secretPath}/rotations`, asked)
    assert.equal(rotation.status, 201)
    await eventually('it is rotated', async () => {
      const { body } = await service.call('GET', `${secretPath}/rotations/${rotation.body.id}`)
      return body.status === 'completed'
    })
    const rotated = await service.call('GET', secretPath)
    assert.deepEqual(
      [letsIn(rotated), letsIn(made)],
      [
        [true, true, true],
        [false, false, false],
      ],
    )

    assert.equal((await service.call('POST', `${secretPath}/suspend`, { reason: 'unpaid' })).status, 200)
    assert.deepEqual(letsIn(rotated), [false, false, false])
    assert.equal((await service.call('POST', secretPath, facts)).status, 409)
    assert.equal((await service.call('POST', `${secretPath}/resume`, { reason: 'paid' })).status, 200)
    assert.deepEqual(letsIn(await service.call('GET', secretPath)), [true, true, true])

    assert.equal((await service.call('POST', '/pools/quay/fill')).status, 200)
    assert.ok((await service.call('GET', '/pools')).body.items.some(({ size }: { size: number }) => size > 0))
    assert.equal((await service.call('DELETE', secretPath)).status, 204)
    assert.equal((await service.call('GET', secretPath)).status, 404)
    assert.equal(await service.probe('/readyz'), 200)

    const kubernetes = loaded().filter((url) => /\/src\/(kube|embedded|apis)\//.test(url))
    assert.ok(
      loaded().some((url) => url.endsWith('/src/pull-secrets/index.ts')),
      'the list of modules is there',
    )
    assert.deepEqual(kubernetes, [])
    assertNoCanary({ printed: service.printed(), metrics: await service.metrics() }, setting.canary)
    assert.equal((await service.stop()).code, 0)
  })

  /** The sink that writes Secrets (P66), and tokens that an API server reviews. */
  const needsKubernetes = /kubernetes|service-?account/

  test('P72a: every other behaviour is proven without Kubernetes: no acceptance file reaches src/kube', () => {
    const reached = globSync('test/acceptance/pull-secrets/*.test.ts', { cwd: root })
      .filter((path) => !needsKubernetes.test(path))
      .flatMap((path) => pathsTo(path, (file) => file.startsWith('src/kube/') || file.startsWith('src/embedded/')))
    assert.deepEqual(reached, [])
  })
})

/** How a file comes to load one that matches, without anything loaded on demand. */
function pathsTo(entry: string, matches: (path: string) => boolean): string[] {
  const seen = new Set([entry])
  const found: string[] = []
  const visit = (path: string, way: string[]) => {
    for (const { specifier, kind } of scanSource(readFileSync(join(root, path), 'utf8')).imports) {
      if (kind !== 'value' || !specifier?.startsWith('.') || !specifier.endsWith('.ts')) continue
      const target = join(dirname(path), specifier)
      if (seen.has(target)) continue
      seen.add(target)
      if (matches(target)) found.push([...way, target].join(' -> '))
      else visit(target, [...way, target])
    }
  }
  visit(entry, [entry])
  return found
}
