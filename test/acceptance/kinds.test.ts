/** The kinds of src/kube/kinds.ts are served, and are what we say they are. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as kinds from '../../src/kube/kinds.ts'
import { needsControlPlane, startControlPlane } from '../support/control-plane.ts'
import { kubeClient } from '../support/kube-client.ts'

interface ResourceList {
  resources: { name: string; kind: string; namespaced: boolean }[]
}

describe('every kind', needsControlPlane, () => {
  test('is served under its name, in a namespace or not, as declared', async (t) => {
    const kube = kubeClient(t, (await startControlPlane(t)).connection())
    for (const { group, version, plural, kind, namespaced } of Object.values(kinds)) {
      const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
      const { resources } = await kube.request<ResourceList>({ path })
      const served = resources.find(({ name }) => name === plural)
      assert.deepEqual({ kind: served?.kind, namespaced: served?.namespaced }, { kind, namespaced }, plural)
    }
  })
})
