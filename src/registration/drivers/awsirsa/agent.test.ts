import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { kubeFailure, MemoryKube } from '../../../../test/support/memory-kube.ts'
import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { passBy } from '../../../core/checkpoint.ts'
import type { Report } from '../../../core/keep-fresh.ts'
import { silentLog } from '../../../core/log.ts'
import { systemRandom } from '../../../core/random.ts'
import { reasons } from '../../../core/reasons.ts'
import { textOf } from '../../../fleet/secret-texts.ts'
import { certificateSigningRequests, secrets } from '../../../kube/kinds.ts'
import type { Kube } from '../../../kube/kube.ts'
import type { JoinOptions } from '../driver.ts'
import type { AwsJoinOptions } from './agent.ts'
import { awsJoin } from './agent.ts'
import { awsJoinAnnotations } from './agent-annotations.ts'
import { readAwsKubeconfig } from './agent-kubeconfig.ts'
import type { AwsHubMaterial } from './agent-secret.ts'
import { awsSecretKeep } from './agent-secret.ts'
import { awsTroubleOf } from './agent-trouble.ts'
import type { EksCluster } from './names.ts'
import { hubRoleArn, parseEksArn } from './names.ts'

const eks = {
  hub: parseEksArn('arn:aws:eks:eu-central-1:111111111111:cluster/hub') as EksCluster,
  managed: parseEksArn('arn:aws:eks:eu-west-1:222222222222:cluster/spoke') as EksCluster,
}
const stanza = { name: 'hub', server: 'https://hub.example.com', ca: 'pem' }
const marks = awsJoinAnnotations(eks.hub, eks.managed)

type Given = Partial<JoinOptions<AwsHubMaterial> & AwsJoinOptions>
type Status = 'True' | 'False' | 'Unknown'

/** An agent with a hub; nothing runs until `start`. */
function scene(t: { after(work: () => void): void }, given: Given = {}) {
  const clock = new FakeClock()
  const [hub, home] = [new MemoryKube(clock), new MemoryKube(clock)]
  const clusters = hub.of(ManagedCluster.resource)
  const place = { kube: home, namespace: 'here', name: 'hub' }
  const reports: Report[] = []
  const answers = { count: 0 }
  const stop = new AbortController()
  const start = (also: Given = {}) => {
    const options: JoinOptions<AwsHubMaterial> = {
      cluster: 'west',
      agent: 'a1',
      hub: stanza,
      keep: awsSecretKeep({ ...place, cluster: 'west', agent: 'a1' }),
      keptIn: 'secret/here/hub',
      bootstrap: async () => hub,
      own: () => assert.fail('it is not asked as itself'),
      report: (report) => void reports.push(report),
      clock,
      random: systemRandom,
      log: silentLog,
      checkpoint: passBy,
      lookAgainMs: 300_000,
      onAnswer: () => {
        answers.count += 1
      },
      ...given,
      ...also,
    }
    const join = awsJoin(options, { eks, exec: { form: 'lanyard', command: 'lanyard' }, ...given, ...also })
    const one = new AbortController()
    const running = join.run(AbortSignal.any([stop.signal, one.signal]))
    const end = () => {
      one.abort()
      return running
    }
    return { ...join, end }
  }
  t.after(() => stop.abort())
  const accept = async (status: Status, hubAcceptsClient = true) => {
    const at = clock.now().toISOString()
    const condition = { type: 'HubAcceptedManagedCluster', status, reason: 'X', message: '', lastTransitionTime: at }
    await clusters.patch('west', {
      type: 'merge',
      body: { spec: { hubAcceptsClient }, status: { conditions: [condition] } },
    })
  }
  const create = (annotations = marks) =>
    clusters.create({ metadata: { name: 'west', annotations }, spec: { hubAcceptsClient: false } })
  const secret = () => home.of(secrets, 'here').find('hub')
  return { clock, hub, home, clusters, reports, answers, start, accept, create, secret, last: () => reports.at(-1) }
}

const shut: Kube = new MemoryKube(new FakeClock()).through(() => Promise.reject(kubeFailure(401, 'Unauthorized')))

test('no CSR is made, and nothing is written before the hub accepts the cluster', async (t) => {
  const { clock, hub, start, create, secret, last } = scene(t)
  const join = start()
  await clock.advance('1m')
  await create()
  await clock.advance('1d')
  assert.equal(last()?.state, reasons.AwaitingApproval)
  assert.equal(await secret(), undefined)
  assert.equal(join.held(), undefined)
  assert.deepEqual((await hub.of(certificateSigningRequests).list()).items, [])
})

test('the condition has to be True: one that is False or Unknown, or without the acceptance, does not count', async (t) => {
  const { clock, start, create, accept, secret } = scene(t)
  const join = start()
  await create()
  for (const [status, accepted] of [
    ['False', true],
    ['Unknown', true],
    ['True', false],
  ] as const) {
    await accept(status, accepted)
    await clock.advance('5m')
    assert.equal(join.held(), undefined)
    assert.equal(await secret(), undefined)
  }
})

test('once accepted, the Secret has the kubeconfig with the role on the hub, within a minute', async (t) => {
  const { clock, start, create, accept, secret, last } = scene(t)
  const join = start()
  await create()
  await clock.advance('1h')
  await accept('True')
  await clock.advance('1m')
  assert.equal(last()?.state, reasons.PassIssued)
  const { data = {} } = (await secret()) ?? assert.fail()
  assert.deepEqual(Object.keys(data).sort(), ['agent-name', 'cluster-name', 'kubeconfig'])
  const found = readAwsKubeconfig(textOf(data, 'kubeconfig') ?? '')
  assert.deepEqual(found?.access, {
    region: 'eu-central-1',
    clusterName: 'hub',
    roleArn: hubRoleArn(eks.hub, eks.managed),
  })
  assert.deepEqual(found?.stanza, stanza)
  assert.equal(join.held()?.pass.expiresAt, undefined)
})

test('an agent that starts again goes on with what is kept, without a word to the hub', async (t) => {
  const { clock, start, create, accept, answers } = scene(t)
  const first = start()
  await create()
  await accept('True')
  await clock.advance('1m')
  const before = first.held()?.pass.fingerprint
  await first.end()
  const asked = answers.count
  const second = start({ bootstrap: () => assert.fail('the hub was asked') })
  await clock.advance('1m')
  assert.equal(second.held()?.pass.fingerprint, before ?? assert.fail())
  assert.equal(answers.count, asked)
})

test('a Secret that gets lost or is edited is put right without a word to the hub', async (t) => {
  const { clock, home, hub, start, create, accept, secret } = scene(t)
  const join = start()
  await create()
  await accept('True')
  await clock.advance('1m')
  const [written, calls] = [(await secret())?.data, hub.calls.length]
  await home.of(secrets, 'here').delete('hub')
  join.poke()
  await clock.advance('1m')
  assert.deepEqual((await secret())?.data, written)
  const edited = Buffer.from(textOf(written ?? {}, 'kubeconfig')?.replace('lanyard', 'evil') ?? '').toString('base64')
  await home.of(secrets, 'here').patch('hub', { type: 'merge', body: { data: { kubeconfig: edited } } })
  join.poke()
  await clock.advance('1m')
  assert.deepEqual((await secret())?.data, written)
  assert.equal(hub.calls.length, calls)
})

test('another path of the plugin is written at the next start, without a word to the hub', async (t) => {
  const { clock, start, create, accept, secret } = scene(t)
  const first = start()
  await create()
  await accept('True')
  await clock.advance('1m')
  await first.end()
  start({ exec: { form: 'aws', command: '/opt/aws' }, bootstrap: () => assert.fail('the hub was asked') })
  await clock.advance('1m')
  assert.match(textOf((await secret())?.data ?? {}, 'kubeconfig') ?? '', /command: \/opt\/aws/)
})

test('what is kept for another hub or another role is not taken for this one', async (t) => {
  const { clock, start, create, accept } = scene(t)
  const first = start()
  await create()
  await accept('True')
  await clock.advance('1m')
  await first.end()
  const moved = start({
    hub: { ...stanza, server: 'https://other.example.com' },
    bootstrap: async () => shut,
    own: () => shut,
  })
  const renamed = { ...eks, hub: parseEksArn('arn:aws:eks:eu-central-1:111111111111:cluster/hub1') as EksCluster }
  const other = start({ eks: renamed, bootstrap: async () => shut, own: () => shut })
  await clock.advance('1m')
  assert.deepEqual([moved.held(), other.held()], [undefined, undefined])
})

test('after a rejection the hub is asked as if for the first time, and nothing is written when it accepts', async (t) => {
  const { clock, home, start, create, accept } = scene(t)
  const join = start()
  await create()
  await accept('True')
  await clock.advance('1m')
  const { fingerprint } = join.held()?.pass ?? assert.fail()
  const writes = home.count('patch', 'create', 'update')
  await accept('False', false)
  join.reject(fingerprint)
  await clock.advance('1h')
  assert.equal(join.held(), undefined)
  await accept('True')
  await clock.advance('1m')
  assert.equal(join.held()?.pass.fingerprint, fingerprint)
  for (let times = 0; times < 10; times += 1) {
    join.reject(fingerprint)
    assert.equal(join.held(), undefined)
    await clock.advance('1m')
    assert.ok(join.held())
  }
  assert.equal(home.count('patch', 'create', 'update'), writes)
})

test('once the hub says that the cluster is gone, its Secret is not put back: the agent may make the cluster anew', async (t) => {
  const { clock, home, clusters, start, create, accept, secret, last } = scene(t)
  const join = start()
  await create()
  await accept('True')
  await clock.advance('1m')
  await clusters.delete('west')
  join.reject(join.held()?.pass.fingerprint ?? assert.fail())
  await clock.advance('1h')
  assert.match(awsTroubleOf(last() ?? assert.fail(), 'west'), /to join anew, delete secret\/here\/hub/)
  assert.equal(join.wasLetIn(), true)
  await home.of(secrets, 'here').delete('hub')
  join.poke()
  await clock.settle()
  assert.equal(join.wasLetIn(), false)
  await clock.advance('1h')
  assert.equal(await secret(), undefined)
  await create()
  await accept('True')
  await clock.advance('1m')
  assert.ok(join.held())
  assert.ok(await secret())
})

test('a bootstrap token that ran out while a person took days is no obstacle: the agent asks by its role', async (t) => {
  const { clock, hub, start, create, accept, last } = scene(t)
  const own = { kube: shut }
  const join = start({ bootstrap: async () => shut, own: () => own.kube })
  await create()
  await clock.advance('1d')
  assert.equal(last()?.state, reasons.IssuanceFailed)
  assert.match(awsTroubleOf(last() ?? assert.fail(), 'west'), /refuses the bootstrap kubeconfig .*lanyard token/)
  await accept('True')
  own.kube = hub
  await clock.advance('1m')
  assert.ok(join.held())
})

test('a ManagedCluster that somebody made without the annotations is told with what to put on it', async (t) => {
  const { clock, start, create, accept, last } = scene(t)
  const join = start()
  await create({})
  await accept('True')
  await clock.advance('1m')
  assert.equal(join.held(), undefined)
  const trouble = awsTroubleOf(last() ?? assert.fail(), 'west')
  assert.match(trouble, /eks-managed-cluster-arn=arn:aws:eks:eu-west-1:222222222222:cluster\/spoke/)
})

test('a cluster that waits is looked at quickly at first and once a minute in the end', async (t) => {
  const { clock, start, create, answers } = scene(t)
  start()
  await create()
  await clock.advance('10s')
  assert.ok(answers.count >= 4, `${answers.count} looks`)
  await clock.advance('1h')
  const before = answers.count
  await clock.advance('1h')
  assert.ok(answers.count - before >= 55 && answers.count - before <= 130, `${answers.count - before} looks an hour`)
})

test('while it waits, the trouble names the command that accepts the cluster', () => {
  const report = { state: reasons.AwaitingApproval, usable: false }
  assert.match(awsTroubleOf(report, 'west'), /lanyard accept west$/)
})
