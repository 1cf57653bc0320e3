import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import { silentLog } from '../../core/log.ts'
import { createMetrics } from '../../core/metrics.ts'
import type { OpenSpoke, SpokeView } from '../../fleet/spoke/index.ts'
import type { Kube } from '../../kube/kube.ts'
import { defaultAccessSettings } from '../settings.ts'
import type { Asked } from './contract.ts'
import { createReviews } from './reviews.ts'
import { HeldObjects } from './testing/held-objects.ts'
import { reading, start } from './testing/scene.ts'

type Question = {
  spec: { user: string; groups: string[]; resourceAttributes?: object; nonResourceAttributes?: object }
}
const signal = new AbortController().signal

async function reviewsScene(t: { after(action: () => Promise<void>): void }) {
  const clock = new FakeClock(start)
  const metrics = await createMetrics()
  const configs = new HeldObjects<ClusterConfig, 'name' | 'secret' | 'provider'>({
    name: ({ metadata }) => [metadata.name],
    secret: () => [],
    provider: () => [],
  })
  const providers = new HeldObjects<IdentityProvider, 'secret'>({ secret: () => [] })
  const questions: Question[] = []
  const scene = {
    user: 'hub' as string | Error,
    say: async (_question: Question, _signal: AbortSignal): Promise<object> => ({ allowed: true }),
    openings: 0,
    selfReviews: 0,
  }
  const aKube = () =>
    ({
      of: () => ({
        async create(question: Question, options: { signal: AbortSignal }) {
          questions.push(question)
          return { status: await scene.say(question, options.signal) }
        },
      }),
      async request() {
        scene.selfReviews += 1
        if (scene.user instanceof Error) throw scene.user
        return { status: { userInfo: { username: scene.user } } }
      },
    }) as unknown as Kube
  const kubes = new Map<string, Kube>()
  const reviews = createReviews({
    ...{ clock, log: silentLog, metrics },
    settings: () => defaultAccessSettings,
    spokes: {
      async open(cluster) {
        scene.openings += 1
        const kube = kubes.get(cluster) ?? aKube()
        kubes.set(cluster, kube)
        return { kube } as OpenSpoke
      },
      forget: (cluster) => void kubes.delete(cluster),
    },
    spokeView: { configs, providers, secretChanges: { on: () => ({ [Symbol.dispose]() {} }) } } as unknown as SpokeView,
  })
  const config = (name: string, generation: number, tenant?: string) =>
    configs.put({ metadata: { namespace: 'n', name, generation }, spec: { ...(tenant !== undefined && { tenant }) } })
  config('west', 1)
  config('east', 1)
  const stop = new AbortController()
  const running = reviews.run(stop.signal)
  t.after(async () => {
    stop.abort()
    await running
  })
  const ask = (asked: Asked = reading('dev'), { cluster = 'west', groups = ['admins'] as readonly string[] } = {}) =>
    reviews.ask(cluster, groups, asked, signal)
  return Object.assign(scene, { clock, metrics, reviews, questions, ask, config, kubes, configs })
}

test('the cluster is asked as nobody, with these groups and nothing else', async (t) => {
  const { ask, questions } = await reviewsScene(t)
  assert.deepEqual(await ask(), { answer: 'allowed' })
  await ask({ user: 'dev', groups: ['x'], verb: 'get', path: '/healthz' })
  const resourceAttributes = { ...reading('dev').resource, verb: 'get' }
  assert.deepEqual(questions, [
    { spec: { user: 'system:breakglass-session', groups: ['admins'], resourceAttributes } },
    {
      spec: {
        user: 'system:breakglass-session',
        groups: ['admins'],
        nonResourceAttributes: { verb: 'get', path: '/healthz' },
      },
    },
  ])
})

test('an answer counts for a while, yes for longer than no, and for the same question only', async (t) => {
  const scene = await reviewsScene(t)
  const { ask, clock, questions } = scene
  await ask()
  assert.deepEqual(ask(reading('another')), { answer: 'allowed' }, 'at once, whoever asks')
  await clock.advance(9_999)
  assert.ok(!(ask() instanceof Promise))
  await clock.advance(1)
  assert.ok(ask() instanceof Promise, 'asked again')
  await clock.settle()
  scene.say = async () => ({ allowed: true, denied: true })
  const other = reading('dev', { verb: 'delete' })
  assert.deepEqual(await ask(other), { answer: 'refused' })
  await clock.advance(2_999)
  assert.deepEqual(ask(other), { answer: 'refused' })
  await clock.advance(1)
  assert.ok(ask(other) instanceof Promise)
  await clock.settle()
  const before = questions.length
  await ask(reading('dev'), { groups: ['admins', 'x'] })
  await ask(reading('dev'), { cluster: 'east' })
  assert.equal(questions.length, before + 2)
})

test('those who ask the same at the same time share one question', async (t) => {
  const { ask, questions } = await reviewsScene(t)
  const answers = await Promise.all(Array.from({ length: 100 }, () => ask()))
  assert.deepEqual(new Set(answers.map(({ answer }) => answer)), new Set(['allowed']))
  assert.equal(questions.length, 1)
})

test('a cluster that hangs is given up at its deadline, and not remembered', async (t) => {
  const scene = await reviewsScene(t)
  const { ask, clock } = scene
  scene.say = (_, until) =>
    new Promise((_resolve, reject) => until.addEventListener('abort', () => reject(until.reason)))
  const asking = ask()
  let answer: unknown
  void Promise.resolve(asking).then((found) => (answer = found))
  await clock.advance(799)
  assert.equal(answer, undefined)
  await clock.advance(1)
  assert.deepEqual(answer, { answer: 'unknown', why: 'the cluster did not answer in time' })
  scene.say = async () => ({ allowed: true })
  assert.deepEqual(await ask(), { answer: 'allowed' })
})

test('a flood of questions for one cluster is cut off, and harms no other', async (t) => {
  const scene = await reviewsScene(t)
  const { ask, metrics } = scene
  const gate = Promise.withResolvers<object>()
  scene.say = () => gate.promise
  const named = (name: string) => reading('dev', { verb: name })
  const flood = Array.from({ length: 100 }, (_, n) => ask(named(`v${n}`)))
  const cut = flood.filter((review) => !(review instanceof Promise))
  assert.equal(cut.length, 36)
  assert.ok(ask(named('v0')) instanceof Promise, 'who asks what is being asked waits for that')
  const elsewhere = ask(named('v0'), { cluster: 'east' })
  gate.resolve({ allowed: true })
  assert.deepEqual(await elsewhere, { answer: 'allowed' })
  await Promise.all(flood)
  assert.deepEqual(await ask(named('v99')), { answer: 'allowed' })
  assert.match(await metrics.text(), /lanyard_access_reviews_total\{result="overload"\} 36/)
})

test('memory is bounded, and comes back', async (t) => {
  const scene = await reviewsScene(t)
  const { ask, metrics, clock } = scene
  for (let n = 0; n < 1_500; n++) await ask(reading('dev', { verb: `v${n}` }))
  await ask(reading('dev', { verb: 'x'.repeat(100_000) }))
  assert.match(await metrics.text(), /lanyard_access_reviews_kept_items 1000\n/)
  await clock.advance(120_000)
  assert.match(await metrics.text(), /lanyard_access_reviews_kept_items 0\n/)
})

test('a cluster that changed is asked anew; one whose status was written is not', async (t) => {
  const scene = await reviewsScene(t)
  const { ask, config } = scene
  await ask()
  await ask(reading('dev'), { cluster: 'east' })
  config('west', 1, 'only its status')
  assert.ok(!(ask() instanceof Promise))
  const gate = Promise.withResolvers<object>()
  scene.say = () => gate.promise
  const under = ask(reading('dev', { verb: 'delete' }))
  config('west', 2)
  gate.resolve({ allowed: true })
  assert.deepEqual(await under, { answer: 'allowed' })
  assert.ok(ask(reading('dev', { verb: 'delete' })) instanceof Promise, 'what was under way is not remembered')
  assert.ok(ask() instanceof Promise)
  assert.ok(!(ask(reading('dev'), { cluster: 'east' }) instanceof Promise), 'the other one is left alone')
})

test('whom a cluster takes the hub for is learned when it is first asked, and when it is asked another way', async (t) => {
  const scene = await reviewsScene(t)
  const { ask, reviews, clock, kubes } = scene
  assert.equal(reviews.isHubUser('west', 'hub'), false)
  await ask()
  await clock.settle()
  assert.equal(reviews.isHubUser('west', 'hub'), true)
  assert.equal(reviews.isHubUser('east', 'hub'), false)
  assert.equal(reviews.isHubUser('west', ''), false)
  await ask(reading('dev', { verb: 'a' }))
  assert.equal(scene.selfReviews, 1, 'once')
  kubes.clear()
  scene.user = 'other'
  await ask(reading('dev', { verb: 'b' }))
  await clock.settle()
  assert.deepEqual([reviews.isHubUser('west', 'hub'), reviews.isHubUser('west', 'other')], [false, true])
  kubes.clear()
  scene.user = new Error('away')
  await ask(reading('dev', { verb: 'c' }))
  await clock.settle()
  assert.equal(reviews.isHubUser('west', 'other'), true, 'the last that is known')
  scene.configs.remove('n/west')
  assert.equal(reviews.isHubUser('west', 'other'), false)
})

test('what could not be learned is asked for again, not all the time', async (t) => {
  const scene = await reviewsScene(t)
  const { ask, reviews, clock } = scene
  scene.user = new Error('away')
  await ask()
  await ask(reading('dev', { verb: 'a' }))
  assert.equal(scene.selfReviews, 1)
  scene.user = 'hub'
  await clock.advance(30_000)
  await ask(reading('dev', { verb: 'b' }))
  await clock.settle()
  assert.equal(reviews.isHubUser('west', 'hub'), true)
})

test("whoever wants to understand a decision asks few questions at a time, and is in nobody else's way", async (t) => {
  const scene = await reviewsScene(t)
  const { reviews, questions, clock, ask } = scene
  const waiting: (() => void)[] = []
  scene.say = () => new Promise((resolve) => waiting.push(() => resolve({ allowed: true })))
  const aside = (name: string) => reviews.aside.ask('west', [name], reading('dev'), signal)
  const asides = Array.from({ length: 72 }, (_, n) => aside(`group-${n}`))
  await clock.settle()
  assert.equal(questions.length, 8)
  assert.equal(aside('group-3'), asides[3], 'the same question is asked once')
  assert.equal((await aside('one-more')).answer, 'unknown', 'nor do more than a few wait')
  void ask(reading('dev'), { groups: ['admins'] })
  void ask(reading('dev'), { groups: ['group-71'] })
  await clock.settle()
  assert.equal(questions.length, 10, 'a decision waits for none of them')
  for (let round = 0; round < 12; round += 1) {
    for (const answer of waiting.splice(0)) answer()
    await clock.settle()
  }
  for (const review of await Promise.all(asides)) assert.equal(review.answer, 'allowed')
  assert.ok(!(aside('group-0') instanceof Promise), 'what was learned is kept for all')
  assert.ok(!(ask(reading('dev'), { groups: ['group-0'] }) instanceof Promise))
})
