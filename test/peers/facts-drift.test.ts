/** The facts that the embedded control plane goes by, beside a real kube-apiserver of the version we follow. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { factFiles } from '../../tools/kubernetes-facts/files.ts'
import { needsControlPlane, startControlPlane } from '../support/control-plane.ts'
import { kubeClient } from '../support/kube-client.ts'

test('the facts we keep about Kubernetes are what the real one says', needsControlPlane, async (t) => {
  const plane = await startControlPlane(t)
  const root = join(import.meta.dirname, '../..')
  const files = await factFiles(kubeClient(t, plane.connection()))
  assert.ok(files.size > 4)
  for (const [path, text] of files) {
    const kept = readFileSync(join(root, path), 'utf8').split('\n')
    const told = text.split('\n')
    const advice = `${path} differs; if the version we follow has moved, run tools/kubernetes-facts/main.ts`
    assert.deepEqual(
      kept.filter((line) => !told.includes(line)),
      [],
      advice,
    )
    assert.deepEqual(kept, told, advice)
  }
})
