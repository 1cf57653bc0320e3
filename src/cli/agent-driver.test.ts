import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { passBy } from '../core/checkpoint.ts'
import { silentLog } from '../core/log.ts'
import { systemRandom } from '../core/random.ts'
import { Secret } from '../core/secret.ts'
import type { AgentOptions } from './agent.ts'
import { agentCommand } from './agent.ts'
import { agentAws } from './agent-aws.ts'
import { agentAwsFlagsOf } from './agent-driver.ts'

const hubArn = 'arn:aws:eks:us-west-2:123456789012:cluster/hub-cluster1'
const managedArn = 'arn:aws:eks:us-west-2:123456789012:cluster/managed-cluster1'
const suffix = '7f8141296c75f2871e3d030f85c35692'
const aws = ['--registration-auth', 'awsirsa', '--hub-cluster-arn', hubArn, '--managed-cluster-arn', managedArn]

function parsed(...args: string[]): AgentOptions {
  const command = agentCommand({ signal: new AbortController().signal, exitCode: undefined })
    .exitOverride()
    .configureOutput({ writeErr() {} })
  command.parseOptions(args)
  return command.opts<AgentOptions>()
}

const flagsOf = (...args: string[]) => agentAwsFlagsOf(parsed(...args))
const driverOf = (args: string[], env = {}) =>
  agentAws(flagsOf(...args) ?? assert.fail('it joins by CSR'), { env, clock: new FakeClock() })

/** The kubeconfig that the driver would write. */
async function kubeconfigOf(args: string[], env = {}): Promise<string> {
  const driver = driverOf(args, env)
  const written: string[] = []
  const stop = new AbortController()
  const found = {
    metadata: { name: 'west', annotations: driver.clusterAnnotations },
    spec: { hubAcceptsClient: true },
    status: { conditions: [{ type: 'HubAcceptedManagedCluster', status: 'True' }] },
  }
  const kube = { of: () => ({ find: async () => found }) } as never
  const { run } = driver.join({
    cluster: 'west',
    agent: 'a1',
    hub: { name: 'hub', server: 'https://hub.example.com', proxyUrl: Secret.of('http://proxy:1') },
    keep: {
      load: async () => ({}),
      savePending: async () => {},
      async save({ material }) {
        written.push((material as unknown as { kubeconfig: Secret }).kubeconfig.reveal())
        stop.abort()
      },
    },
    keptIn: 'here',
    bootstrap: async () => kube,
    own: () => kube,
    report: () => {},
    clock: new FakeClock(),
    random: systemRandom,
    log: silentLog,
    checkpoint: passBy,
    lookAgainMs: 1,
    onAnswer: () => {},
  })
  await run(stop.signal)
  return written[0] ?? assert.fail('nothing was written')
}

test('either word, and the name of the flag in the seed, make an agent join by AWS IAM', () => {
  const wanted = { hubClusterArn: hubArn, managedClusterArn: managedArn, awsExec: 'lanyard' }
  assert.deepEqual(flagsOf(...aws), wanted)
  const seed = ['--registration-auth', 'aws-irsa', '--eks-hub-cluster-arn', hubArn, '--managed-cluster-arn', managedArn]
  assert.deepEqual(flagsOf(...seed), wanted)
  assert.equal(flagsOf(), undefined)
})

test('what is missing is asked for by its flag', () => {
  assert.throws(() => flagsOf('--registration-auth', 'awsirsa', '--managed-cluster-arn', managedArn), {
    code: 'AGENT_NEEDS_ARN',
    message: /add --hub-cluster-arn ARN/,
  })
  assert.throws(() => flagsOf('--registration-auth', 'awsirsa', '--hub-cluster-arn', hubArn), {
    code: 'AGENT_NEEDS_ARN',
    message: /add --managed-cluster-arn ARN/,
  })
})

test('what would have no effect, or two meanings, is refused', () => {
  for (const idle of [
    ['--hub-cluster-arn', hubArn],
    ['--eks-hub-cluster-arn', hubArn],
    ['--managed-cluster-arn', managedArn],
    ['--managed-cluster-role-suffix', suffix],
    ['--aws-exec', 'aws'],
    ['--aws-exec-command', '/bin/lanyard'],
  ])
    assert.throws(() => flagsOf(...idle), { code: 'FLAG_NEEDS_DRIVER', message: new RegExp(`^${idle[0]} `) })
  assert.throws(() => flagsOf(...aws, '--eks-hub-cluster-arn', managedArn), { code: 'FLAG_MALFORMED' })
  const two = ['--bootstrap-kubeconfigs', 'a', '--bootstrap-kubeconfigs', 'b']
  assert.throws(() => flagsOf(...aws, ...two), { code: 'AGENT_AWS_ONE_HUB' })
})

test('ARNs that could not be meant are refused with the flag that has them', () => {
  const both = (hub: string, managed: string) => [
    ...['--registration-auth', 'awsirsa', '--hub-cluster-arn', hub, '--managed-cluster-arn', managed],
  ]
  assert.throws(() => driverOf(both('hub', managedArn)), { code: 'FLAG_MALFORMED', message: /^--hub-cluster-arn: / })
  assert.throws(() => driverOf(both(hubArn, 'west')), { code: 'FLAG_MALFORMED', message: /^--managed-cluster-arn: / })
  const china = 'arn:aws-cn:eks:cn-north-1:123456789012:cluster/west'
  assert.throws(() => driverOf(both(hubArn, china)), { message: /^--managed-cluster-arn: .*aws-cn/ })
})

test('a suffix is only compared with what the ARNs say', () => {
  assert.doesNotThrow(() => driverOf([...aws, '--managed-cluster-role-suffix', suffix]))
  assert.throws(() => driverOf([...aws, '--managed-cluster-role-suffix', 'abc']), {
    code: 'FLAG_MALFORMED',
    message: new RegExp(`^--managed-cluster-role-suffix: "abc" .*${suffix}; check both ARNs`),
  })
})

test('the kubeconfig names what others can run: lanyard on their PATH, where it is mounted, or the aws CLI', async () => {
  assert.match(await kubeconfigOf(aws), /command: lanyard\n/)
  assert.match(await kubeconfigOf([...aws, '--aws-exec-command', '/plugins/lanyard']), /command: \/plugins\/lanyard\n/)
  assert.match(await kubeconfigOf([...aws, '--aws-exec', 'aws']), /command: aws\n/)
  assert.match(
    await kubeconfigOf([...aws, '--aws-exec', 'aws', '--aws-exec-command', '/awscli/aws']),
    /\/awscli\/aws\n/,
  )
})

test('another endpoint of STS is that of those who use the kubeconfig as well', async () => {
  const env = { AWS_ENDPOINT_URL_STS: 'https://vpce-1.sts.us-west-2.vpce.amazonaws.com' }
  assert.match(await kubeconfigOf(aws, env), /- --sts-endpoint\n +- https:\/\/vpce-1\.sts\./)
  assert.doesNotMatch(await kubeconfigOf(aws), /sts-endpoint/)
})
