import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { runInTest } from '../../../test/support/fleet-scene.ts'
import { kubeFailure, MemoryKube } from '../../../test/support/memory-kube.ts'
import type { TestScope } from '../../../test/support/test-scope.ts'
import { DenyPolicy } from '../../apis/breakglass/deny-policy.ts'
import type { Log } from '../../core/log.ts'
import { silentLog } from '../../core/log.ts'
import { randomFrom } from '../../core/random.ts'
import { informer } from '../../kube/informer.ts'
import { compilePolicies } from './compile.ts'
import type { CompilePolicies } from './contract.ts'
import { compiledPolicies } from './watched.ts'

const spec = { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }] }
const resource = { group: '', resource: 'secrets', subresource: '', namespace: '', name: '' }
const request = { cluster: 'east', tenant: '', verb: 'get', resource }

function hub(
  t: TestScope,
  { compile = compilePolicies, log = silentLog }: { compile?: CompilePolicies; log?: Log } = {},
) {
  const clock = new FakeClock()
  const kube = new MemoryKube(clock)
  const common = { clock, random: randomFrom(() => 0.5), log: silentLog }
  const policies = informer(kube.of(DenyPolicy.resource), common)
  let compilations = 0
  const counted: CompilePolicies = (given) => {
    compilations += 1
    return compile(given)
  }
  const compiled = compiledPolicies({ policies, clock, log, compile: counted })
  const start = () => runInTest(t, [policies.run, compiled.run])
  return { clock, kube, compiled, start, of: kube.of(DenyPolicy.resource), compilations: () => compilations }
}

test('there are none while they cannot be read, and then those there are', async (t) => {
  const { kube, clock, compiled, start, of } = hub(t)
  await of.create({ metadata: { name: 'p' }, spec })
  kube.failNext(1, kubeFailure(403, 'Forbidden'), 'list')
  start()
  await clock.settle()
  assert.equal(compiled.current(), undefined)
  await clock.advance('1s')
  await eventually('they are read', () => compiled.current()?.mayMatch(request, []))
})

test('a change counts at once, and many together are compiled a few times', async (t) => {
  const { clock, compiled, start, of, compilations } = hub(t)
  start()
  await eventually('they are read', () => compiled.current() !== undefined)
  await clock.advance('1s')
  await of.create({ metadata: { name: 'p' }, spec })
  await clock.settle()
  assert.equal(compiled.current()?.mayMatch(request, []), true)

  const before = compilations()
  for (let number = 0; number < 1_000; number += 1) await of.create({ metadata: { name: `p-${number}` }, spec })
  await of.delete('p')
  await clock.advance('1s')
  assert.ok(compilations() - before <= 2, `${compilations() - before} times`)
  for (let number = 0; number < 1_000; number += 1) await of.delete(`p-${number}`)
  await clock.advance('1s')
  assert.equal(compiled.current()?.mayMatch(request, []), false)
})

test('a status that was written compiles nothing', async (t) => {
  const { clock, compiled, start, of, compilations } = hub(t)
  const made = await of.create({ metadata: { name: 'p', generation: 1 }, spec })
  start()
  await eventually('they are read', () => compiled.current() !== undefined)
  await clock.advance('1s')
  const before = compilations()
  await of.update({ ...made, status: { observedGeneration: 1 } }, { subresource: 'status' })
  await clock.advance('1s')
  assert.equal(compilations(), before)
})

test('those that cannot be compiled are as good as unread, which is said once', async (t) => {
  let isBroken = true
  const errors: unknown[] = []
  const log = { ...silentLog, error: (...said: unknown[]) => void errors.push(said) } as Log
  const compile: CompilePolicies = (policies) => {
    if (isBroken) throw new Error('broken')
    return compilePolicies(policies)
  }
  const { clock, compiled, start, of } = hub(t, { compile, log })
  start()
  await eventually('it was tried', () => errors.length > 0)
  await clock.advance('1s')
  await of.create({ metadata: { name: 'p' }, spec })
  await clock.advance('1s')
  assert.equal(compiled.current(), undefined)
  assert.equal(errors.length, 1)
  isBroken = false
  await of.create({ metadata: { name: 'q' }, spec })
  await clock.advance('1s')
  assert.ok(compiled.current())
})
