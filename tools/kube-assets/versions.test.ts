import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { modulesDir } from './locate.ts'
import { assetNames, kubernetesStamps, linkerFlags, parseNames, pins } from './versions.ts'

const goMod = (module: string) => readFileSync(join(modulesDir, module, 'go.mod'), 'utf8')

test('Kubernetes is stamped with its version in both packages that tell it', () => {
  const stamps = kubernetesStamps('v1.36.3', '2026-07-22T18:07:38Z')
  for (const path of ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version']) {
    assert.equal(stamps[`${path}.gitVersion`], 'v1.36.3')
    assert.equal(stamps[`${path}.gitMajor`], '1')
    assert.equal(stamps[`${path}.gitMinor`], '36')
    assert.equal(stamps[`${path}.gitTreeState`], 'clean')
    assert.equal(stamps[`${path}.buildDate`], '2026-07-22T18:07:38Z')
  }
})

test('linker flags drop the symbols and carry each stamp', () => {
  const pin = { version: 'v1', module: 'm', package: 'p', stamps: { 'a.b': 'c', 'd.e': '' } }
  assert.equal(linkerFlags(pin), '-s -w -X a.b=c -X d.e=')
})

for (const name of assetNames) {
  test(`the module of ${name} requires its pinned version and keeps its package`, () => {
    const { module, version, package: path } = pins[name]
    const required = goMod(module)
      .split('\n')
      .filter((line) => !line.includes('=>'))
      .map((line) =>
        line
          .replace(/^require|\/\/.*$/g, '')
          .trim()
          .split(' '),
      )
      .find(([required = '', itsVersion]) => itsVersion !== undefined && `${path}/`.startsWith(`${required}/`))
    assert.equal(required?.[1], version)
    assert.match(goMod(module), new RegExp(`^(tool |\t)${path}$`, 'm'))
  })
}

for (const name of ['kube-apiserver', 'kubectl-1.35'] as const) {
  test(`${name} is built with the staging modules of its own release`, () => {
    const { module, version } = pins[name]
    const staged = goMod(module).match(/=>.*/g) ?? []
    assert.ok(staged.length > 30)
    for (const line of staged) assert.equal(line.split(' ').at(-1), version.replace('v1.', 'v0.'))
  })
}

test('names are read in build order, each once, whatever the spacing', () => {
  assert.deepEqual(parseNames('kubectl, etcd,etcd'), ['etcd', 'kubectl'])
})

test('an unknown name is refused with the known ones', () => {
  assert.throws(() => parseNames('etcd,kubelet'), /unknown: kubelet; choose from etcd, kube-apiserver/)
})
