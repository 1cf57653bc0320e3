import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { kubeFailure, MemoryKube, unreachable } from '../../../test/support/memory-kube.ts'
import type { Kube } from '../../kube/kube.ts'
import { hubFacts } from './hub-facts.ts'

const { signal } = new AbortController()

/** Answers one after the other; the last one for ever. */
function hubThat(...answers: (() => unknown)[]) {
  const asked: string[] = []
  const request = async ({ path }: { path: string }) => {
    asked.push(path)
    return answers[Math.min(asked.length, answers.length) - 1]?.()
  }
  return { asked, kube: { of: new MemoryKube(new FakeClock()).of, request } as Kube }
}
const says = (gitVersion: string) => () => ({ gitVersion })
const fails = (error: unknown) => () => {
  throw error
}

test('the hub is asked once what it is, and not at all where add-ons come by token', async () => {
  const hub = hubThat(says('v1.36.2'))
  const facts = hubFacts(hub.kube, 'csr')
  assert.deepEqual([await facts(signal), await facts(signal)], [{ version: 'v1.36.2' }, { version: 'v1.36.2' }])
  assert.deepEqual(hub.asked, ['/version'])
  assert.deepEqual(await hubFacts(hub.kube, 'token')(signal), {})
  assert.deepEqual(hub.asked, ['/version'])
})

test('a hub that does not tell is taken for one like any other', async () => {
  for (const code of [403, 404]) {
    const hub = hubThat(fails(kubeFailure(code, code === 403 ? 'Forbidden' : 'NotFound')))
    assert.deepEqual(await hubFacts(hub.kube, 'csr')(signal), { version: undefined })
  }
})

test('those who ask at the same time share one question', async () => {
  const hub = hubThat(says('v1.36.2'))
  const facts = hubFacts(hub.kube, 'csr')
  await Promise.all([facts(signal), facts(signal)])
  assert.deepEqual(hub.asked, ['/version'])
})

test('a hub that cannot be reached is taken for any other, and asked again the next time', async () => {
  const hub = hubThat(fails(unreachable()), says('v1.33.1-eks-1fbb135'))
  const facts = hubFacts(hub.kube, 'csr')
  assert.deepEqual(await facts(signal), {})
  assert.deepEqual(await facts(signal), { version: 'v1.33.1-eks-1fbb135' })
  assert.deepEqual(await facts(signal), { version: 'v1.33.1-eks-1fbb135' })
  assert.deepEqual(hub.asked, ['/version', '/version'])
})
