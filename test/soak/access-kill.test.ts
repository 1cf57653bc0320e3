/** Two replicas of the hub are killed again and again while people ask, approve and end, and clusters ask about them. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { AnyState } from '../../src/access/sessions/states.ts'
import { isTerminal, stateOf } from '../../src/access/sessions/states.ts'
import { makeWebhookToken } from '../../src/access/webhook-tokens/index.ts'
import { BreakglassEscalation } from '../../src/apis/breakglass/breakglass-escalation.ts'
import { BreakglassSession } from '../../src/apis/breakglass/breakglass-session.ts'
import { ClusterConfig } from '../../src/apis/breakglass/cluster-config.ts'
import { IdentityProvider } from '../../src/apis/breakglass/identity-provider.ts'
import type { CheckpointName } from '../../src/core/checkpoint.ts'
import { systemClock } from '../../src/core/clock.ts'
import { hubNamespace } from '../../src/fleet/names.ts'
import type { KubeClient } from '../../src/kube/client/index.ts'
import { clusterRoleBindings, clusterRoles, namespaces, secrets } from '../../src/kube/kinds.ts'
import { hubCaSecret } from '../../src/registration/manifests/hub-rbac.ts'
import { aClusterRole } from '../support/builders.ts'
import { freePort } from '../support/control-plane/ports.ts'
import { needsControlPlane, startControlPlane } from '../support/control-plane.ts'
import { eventually } from '../support/eventually.ts'
import { accountKubeconfig, prepareHub } from '../support/hub-process.ts'
import { startIssuer } from '../support/issuer.ts'
import { kubeClient } from '../support/kube-client.ts'
import { startServiceFront } from './access-front.ts'
import type { AccessLedger } from './access-ledger.ts'
import { keepAccessLedger } from './access-ledger.ts'
import type { HttpAnswer } from './access-people.ts'
import { post, SoakPerson } from './access-people.ts'
import { compileOnce } from './soak-hub.ts'
import type { Supervised } from './supervised.ts'
import { supervise } from './supervised.ts'

const rounds = Number(process.env['SOAK_ROUNDS'] ?? 10)
const namespace = 'soak-access'
const group = 'soak-operators'
/** Nobody approves of it. */
const unapproved = 'soak-nobody'
const peopleARound = 4
/** How the sessions of each round end. */
const allEnds = ['dropped', 'canceled', 'withdrawn', 'approvalTimeout', 'timeExpired'] as const
/** Outlives the longest run. */
const tokenSeconds = 24 * 3_600

const checkpoints: readonly CheckpointName[] = [
  'access.session-made',
  'access.session-written',
  'access.herald-told',
  'access.herald-noted',
  'access.finalizer-added',
  'access.finalizer-removed',
  'access.purged',
]

interface World {
  kube: KubeClient
  hubs: readonly Supervised[]
  urls: readonly string[]
  caPem: string
  ledger: AccessLedger
  person(email: string, groups?: readonly string[]): SoakPerson
  kubeconfig: string
}

async function prepareWorld(t: TestContext): Promise<World> {
  await compileOnce(t)
  const issuer = await startIssuer(t, { tokenSeconds })
  const plane = await startControlPlane(t, {})
  const kube = kubeClient(t, plane.connection())
  const { webhookUrl } = await prepareHub(t, plane)
  const account = { namespace: hubNamespace, name: 'registration-controller-sa' }
  const kubeconfig = await accountKubeconfig(t, plane, kube, account, tokenSeconds)
  const ports = await Promise.all([freePort(), freePort()])
  const accessPorts = await Promise.all([freePort(), freePort()])
  await startServiceFront(t, Number(new URL(webhookUrl).port), ports)
  const election = ['--leader-elect-lease-duration', '4s', '--leader-elect-renew-deadline', '3s']
  const hubs = ports.map((port, index) =>
    supervise(t, `hub ${index + 1}`, [
      'hub',
      ...['--kubeconfig', kubeconfig, '--webhook-url', webhookUrl],
      ...['--listen', `127.0.0.1:${port}`, '--access-listen', `127.0.0.1:${accessPorts[index]}`],
      ...[...election, '--leader-elect-retry-period', '500ms', '--log-level', 'warn'],
    ]),
  )
  for (const hub of hubs) hub.start([])
  const { data } = await kube.of(secrets, hubNamespace).get(hubCaSecret)
  const caPem = Buffer.from(data?.['ca.crt'] ?? '', 'base64').toString()
  const urls = accessPorts.map((port) => `https://127.0.0.1:${port}`)
  await makeEscalation(kube, issuer, hubs)
  const ledger = await keepAccessLedger(t, kube)
  const replicas = { urls, caPem }
  const person = (email: string, groups: readonly string[] = []) => new SoakPerson(email, groups, { issuer, replicas })
  return { kube, hubs, urls, caPem, ledger, person, kubeconfig: plane.kubeconfig() }
}

/** Who may ask for what. While no hub is up nobody answers its webhooks. */
async function makeEscalation(
  kube: KubeClient,
  issuer: { issuer: string; caPem: string },
  hubs: readonly Supervised[],
): Promise<void> {
  await kube.of(namespaces).create({ metadata: { name: namespace } })
  const rule = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] }
  await kube.of(clusterRoles).create(aClusterRole(group, rule))
  await kube.of(clusterRoleBindings).create({
    metadata: { name: group },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: group },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group }],
  })
  const oidc = { authority: issuer.issuer, clientID: 'lanyard-people', certificateAuthority: issuer.caPem }
  await made(hubs, () => kube.of(IdentityProvider.resource).create({ metadata: { name: 'soak' }, spec: { oidc } }))
  // Longer than whoever acts is patient: what is to end by its time is asked for as that.
  const times = { maxValidFor: '5m', approvalTimeout: '5m', retainFor: '5s' }
  for (const [name, more] of [
    ['soak', { escalatedGroup: group, ...times }],
    ['soak-unapproved', { escalatedGroup: unapproved, ...times, approvalTimeout: '1m' }],
  ] as const) {
    const allowed = { clusters: ['soak-*'], groups: ['devs'] }
    const spec = { allowed, approvers: { users: ['lead@example.com'] }, ...more }
    await made(hubs, () => kube.of(BreakglassEscalation.resource, namespace).create({ metadata: { name }, spec }))
  }
}

async function made(hubs: readonly Supervised[], make: () => Promise<unknown>): Promise<void> {
  let last: unknown
  await eventually(
    'it is let in',
    async () => {
      for (const hub of hubs) hub.check()
      return make().then(
        () => true,
        (error) => {
          last = error
          return false
        },
      )
    },
    { withinMs: 120_000, everyMs: 200 },
  ).catch((error: Error) => {
    throw new Error([error.message, String(last), ...hubs.map(({ tail }) => tail())].join('\n'))
  })
}

/** Another cluster each round, so that it can be taken away. Its name, and the token of its API server. */
async function aCluster({ kube, kubeconfig, hubs }: World, round: number): Promise<{ cluster: string; token: string }> {
  const cluster = `soak-${round}`
  const data = { value: Buffer.from(kubeconfig).toString('base64') }
  await kube.of(secrets, namespace).create({ metadata: { name: cluster }, data })
  const kubeconfigSecretRef = { name: cluster, namespace }
  await made(hubs, () =>
    kube.of(ClusterConfig.resource, namespace).create({ metadata: { name: cluster }, spec: { kubeconfigSecretRef } }),
  )
  const token = await makeWebhookToken(cluster, { kube, namespace: hubNamespace, clock: systemClock })
  return { cluster, token: token.reveal() }
}

/** Asks about somebody, at whichever replica; undefined where it did not answer. */
async function asks(world: World, { cluster, token }: { cluster: string; token: string }, user: string) {
  const url = world.urls[Math.floor(Math.random() * world.urls.length)]
  const resourceAttributes = { verb: 'get', version: 'v1', resource: 'secrets', namespace: 'default', name: 'any' }
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user, groups: ['system:authenticated'], resourceAttributes },
  }
  const askedAt = systemClock.now()
  const answer = await post(`${url}/api/breakglass/webhook/authorize/${cluster}`, world.caPem, token, review).catch(
    () => undefined,
  )
  if (answer?.status !== 200) return undefined
  const isAllowed = answer.body.status.allowed === true
  world.ledger.tell({ user, isAllowed, askedAt, answeredAt: systemClock.now() })
  return isAllowed
}

const nameIn = ({ body }: HttpAnswer): string => (body.session ?? body).metadata.name
const isMade = ({ status }: HttpAnswer): boolean => status === 201 || status === 409

/** Asked for at both replicas at once, approved, used, and ended in one way or the other. */
async function playPerson(world: World, at: { cluster: string; token: string }, number: number, round: number) {
  const dev = world.person(`dev-${round}-${number}@example.com`, ['devs'])
  const lead = world.person('lead@example.com')
  const sessions = world.kube.of(BreakglassSession.resource, namespace)
  const wish = { cluster: at.cluster, group, reason: 'soak' }
  const asked = (more: { group?: string; duration?: number } = {}) =>
    Promise.all([0, 1].map((first) => dev.surely('/api/breakglassSessions', { ...wish, ...more }, isMade, first))).then(
      (both) => both.map(nameIn),
    )
  /** Of one that is gone: as it was last seen. */
  const stateNow = async (name: string) => {
    const last = world.ledger.seen().find(({ metadata }) => metadata.name === name)
    return stateOf((await sessions.find(name)) ?? last ?? {})
  }
  /** A replica that died after it wrote never said so: what counts is what is on record. */
  const done = async (who: SoakPerson, name: string, action: string, ...states: AnyState[]) => {
    for (;;) {
      const answer = await who.surely(
        `/api/breakglassSessions/${name}/${action}`,
        undefined,
        ({ status }) => status > 0,
      )
      if (answer.status === 200) return
      const state = await stateNow(name)
      if (states.includes(state)) return
      assert.ok(!isTerminal(state), `${name} is ${state}, ${action}: ${JSON.stringify(answer)}`)
      await delay(100)
    }
  }
  const [name = '', other] = await asked()
  assert.equal(name, other, 'both replicas tell of the same session')
  await done(lead, name, 'approve', 'Approved')
  await eventually(`${dev.email} is let in`, () => asks(world, at, dev.email), { everyMs: 100 })
  if (number % 4 === 1) return await done(lead, name, 'cancel', 'Expired')
  await done(dev, name, 'drop', 'Expired')
  const [again = ''] = await asked({ duration: 60 })
  assert.notEqual(again, name)
  // By its time: of what nobody approves, and of what is approved for a minute.
  if (number % 4 === 0) {
    await done(dev, again, 'withdraw', 'Withdrawn')
    await asked({ group: unapproved })
  } else await done(lead, again, 'approve', 'Approved', 'Expired')
}

test(
  `two replicas killed while people break glass, ${rounds} rounds: nobody is let in without an approval or after the end, and no slot has two`,
  needsControlPlane,
  async (t) => {
    const world = await prepareWorld(t)
    const { kube, hubs, ledger } = world
    const said = () => hubs.map(({ name, tail }) => `--- ${name} said last:\n${tail()}`)
    const asking: { at: { cluster: string; token: string }; user: string }[] = []
    const stop = new AbortController()
    const prober = (async () => {
      while (!stop.signal.aborted) {
        const next = asking[Math.floor(Math.random() * asking.length)]
        if (next) await asks(world, next.at, next.user)
        await delay(20)
      }
    })()
    try {
      for (let round = 1; round <= rounds; round += 1) {
        const startedAt = performance.now()
        const at = checkpoints[(round - 1) % checkpoints.length] as CheckpointName
        for (const hub of hubs) {
          hub.check()
          if (hub.ahead.length > 0 && Math.random() < 0.5) continue
          await hub.stop()
          hub.start([at])
        }
        const place = await aCluster(world, round)
        for (let number = 0; number < peopleARound; number += 1)
          asking.push({ at: place, user: `dev-${round}-${number}@example.com` })
        const ends = Array.from({ length: peopleARound }, (_, number) => playPerson(world, place, number, round))
        // Wherever it is just now, besides.
        const victim = hubs[round % hubs.length] as Supervised
        await delay(Math.random() * 3_000)
        await victim.stop()
        victim.start(victim.ahead)
        await Promise.all(ends)
        if (round % 2 === 0) await kube.of(ClusterConfig.resource, namespace).delete(place.cluster)
        assert.deepEqual(ledger.contradictions, [])
        t.diagnostic(`round ${round}: armed at ${at}, ${Math.round(performance.now() - startedAt)} ms`)
      }
      for (const hub of hubs) {
        await hub.stop()
        hub.start([])
      }
      await eventually(
        'all sessions have ended, told of, and gone by their time',
        () => {
          for (const hub of hubs) hub.check()
          assert.deepEqual(ledger.contradictions, [])
          const now = systemClock.now()
          const left = ledger.all().filter(({ status = {} }) => {
            const last = status.history?.at(-1)?.seq ?? 0
            return status.retainedUntil === undefined || Number(status.told ?? 0) < Number(last)
          })
          assert.deepEqual(
            left.map(({ metadata, status }) => `${metadata.name} ${status?.state} told ${status?.told}`),
            [],
            now.toISOString(),
          )
          return true
        },
        { withinMs: 180_000, everyMs: 250 },
      )
      await eventually('the clusters that were taken away are gone', async () => {
        const { items } = await kube.of(ClusterConfig.resource, namespace).list()
        return items.every(({ metadata }) => metadata.deletionTimestamp === undefined)
      })
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause)
      throw new Error([message, ...ledger.contradictions, ...said()].join('\n'), { cause })
    } finally {
      stop.abort()
      await prober
    }
    const ends = new Set(ledger.seen().map(({ status }) => status?.reasonEnded))
    assert.ok(ends.isSupersetOf(new Set(allEnds)), [...ends].join())
    // What the ledger waits for before it judges.
    await delay(6_000)
    assert.deepEqual(ledger.contradictions, [])
    const kills = hubs.flatMap(({ killedAt }) => killedAt)
    for (const name of checkpoints) t.diagnostic(`${name}: killed ${kills.filter((one) => one === name).length} times`)
    t.diagnostic(`let in ${ledger.counts.allowed} times, refused ${ledger.counts.refused} times`)
    assert.ok(kills.length > 0 && ledger.counts.allowed > 0 && ledger.counts.refused > 0)
    if (rounds >= checkpoints.length) assert.ok(new Set(kills).size >= checkpoints.length / 2, kills.join())
  },
)
