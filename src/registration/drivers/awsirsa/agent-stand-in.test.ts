import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { CreateAccessEntryCommand, DeleteAccessEntryCommand, EKSClient } from '@aws-sdk/client-eks'
import { CreateRoleCommand, DeleteRoleCommand } from '@aws-sdk/client-iam'
import { awsGround, region } from '../../../../test/support/aws-ground.ts'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import type { TestScope } from '../../../../test/support/test-scope.ts'
import { teardown } from '../../../../test/support/test-scope.ts'
import { sleep, systemClock } from '../../../core/clock.ts'
import type { AwsFault } from '../../../demo/aws/index.ts'
import { awsAgentDriver } from './agent-driver.ts'
import { hubRoleTrust } from './documents.ts'
import { hubRoleArn, hubRoleName, roleSuffix } from './names.ts'
import { wholeAgent } from './testing/agent-scene.ts'
import { postVia } from './token/post.ts'
import { tokenSource } from './token/token-source.ts'

/** A whole agent with the web identity of a pod, AWS's stand-in, and a hub whose API server asks EKS who a token is of. */
async function scene(t: TestScope, sharedClock?: FakeClock) {
  const ground = await awsGround(t, sharedClock ? { clock: sharedClock } : {})
  const { aws, hub, hubSide } = ground
  const spoke = await ground.spoke('west')
  const roleArn = hubRoleArn(hub.eks, spoke.eks)
  const RoleName = hubRoleName(roleSuffix(hub.eks, spoke.eks))
  const iam = ground.iam(hubSide)
  const eks = new EKSClient({ region, endpoint: aws.url, credentials: hubSide.admin, maxAttempts: 1 })
  teardown(t, () => eks.destroy())
  // Near that of AWS, which is the machine's; moved on where the agent would wait before it asks for another token.
  const tokenClock = sharedClock ?? new FakeClock(systemClock.now())
  /** What does not live by the clock of the test. */
  const underWay = { count: 0, isKeptWaiting: false }
  const counted =
    <A extends unknown[], R>(call: (...given: A) => Promise<R>) =>
    (...given: A): Promise<R> => {
      underWay.count += 1
      return call(...given).finally(() => {
        underWay.count -= 1
        underWay.isKeptWaiting = false
      })
    }
  const driver = awsAgentDriver({
    eks: { hub: hub.eks, managed: spoke.eks },
    exec: { form: 'lanyard', command: 'lanyard' },
    tokens: tokenSource(
      { region, clusterName: hub.eks.name, roleArn },
      {
        env: { ...spoke.env, AWS_ENDPOINT_URL: aws.url },
        clock: tokenClock,
        post: counted(postVia({})),
        readFile: counted((path: string) => readFile(path, 'utf8')),
      },
    ),
  })
  const users: string[] = []
  const agent = wholeAgent(
    t,
    (token) => {
      const found = hub.cluster.userOf(token)
      if ('refused' in found) return false
      users.push(found.username)
      return true
    },
    sharedClock,
  )

  /** What a hub does in AWS when it accepts a cluster, and when it denies it. */
  const entry = { clusterName: hub.eks.name, principalArn: roleArn }
  const grant = async () => {
    const AssumeRolePolicyDocument = JSON.stringify(hubRoleTrust(hub.eks, spoke.eks))
    await iam.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument }))
    await eks.send(
      new CreateAccessEntryCommand({ ...entry, username: 'west', kubernetesGroups: ['open-cluster-management:west'] }),
    )
  }
  const revoke = async () => {
    await eks.send(new DeleteAccessEntryCommand(entry))
    await iam.send(new DeleteRoleCommand({ RoleName }))
  }
  const isPhase = (...phases: string[]) => agent.until(phases.join(), () => phases.includes(agent.state().phase))
  return {
    ...agent,
    aws,
    spoke,
    users,
    driver,
    grant,
    revoke,
    isPhase,
    async join() {
      await agent.invite()
      agent.start(driver)
      await agent.until('its cluster is there', async () => (await agent.clusters.find('west')) !== undefined)
      await grant()
      await agent.setAccepted(true)
      await isPhase('joined')
    },
    underWay,
    passForTokens: () => tokenClock.advance('11s'),
  }
}

test('an agent joins with the web identity of its pod alone, and is its cluster on the hub', async (t) => {
  const { aws, spoke, users, join } = await scene(t)
  await join()
  assert.deepEqual([...new Set(users)], ['west'])
  const asked = aws.calls.filter(({ service }) => service === 'sts')
  assert.deepEqual([...new Set(asked.map(({ action }) => action))], ['AssumeRoleWithWebIdentity', 'AssumeRole'])
  assert.equal(asked.at(-1)?.caller?.includes(spoke.role.roleName), true)
})

test('it is out when the hub takes its role away, and in again with the role of a later acceptance', async (t) => {
  const { join, revoke, grant, setAccepted, isPhase, passForTokens, state, clock } = await scene(t)
  await join()
  await passForTokens()
  await revoke()
  await setAccepted(false)
  await isPhase('asking')
  assert.match(state().trouble?.message ?? '', /lanyard accept west$/)
  await passForTokens()
  await grant()
  await setAccepted(true)
  await isPhase('joined')
  await clock.advance('10m')
  assert.equal(state().phase, 'joined')
})

test('a role that somebody removed and made again is taken up without a new join', async (t) => {
  const { join, revoke, grant, until, passForTokens, state, secret, users } = await scene(t)
  await join()
  const before = (await secret())?.metadata.resourceVersion
  await revoke()
  await grant()
  await passForTokens()
  users.length = 0
  await until('the hub has been asked again', () => users.length > 0)
  assert.deepEqual([state().phase, state().trouble], ['joined', undefined])
  assert.equal((await secret())?.metadata.resourceVersion, before)
})

const outages: Record<string, { fault?: AwsFault; says: RegExp }> = {
  'cannot be reached': { fault: { do: 'drop' }, says: /STS at .* cannot be asked \(ECONNRESET\)/ },
  'refuses the role': {
    fault: { action: 'AssumeRole', do: { code: 'AccessDenied', status: 403 } },
    says: /may not assume .*AccessDenied/,
  },
  throttles: { fault: { do: 'throttle' }, says: /STS at .* cannot be asked \(Throttling\)/ },
  'is out of order': {
    fault: { do: { code: 'ServiceUnavailable', status: 503 } },
    says: /STS at .* cannot be asked \(ServiceUnavailable\)/,
  },
  'is slow': { says: /STS at .* cannot be asked \(no answer within 10 s\)/ },
}
for (const [outage, { fault, says }] of Object.entries(outages))
  test(`while STS ${outage}, an agent works on with what it has, then says why it cannot, and comes back by itself`, async (t) => {
    const clock = new FakeClock(systemClock.now())
    const { aws, join, state, secret, underWay, bootstrap } = await scene(t, clock)
    /** In steps: what is asked over the wire is answered before more time passes, unless that is the outage. */
    const pass = async (minutes: number) => {
      for (let step = 0; step < minutes * 60; step += 1) {
        await clock.advance('1s')
        while (underWay.count > 0 && !underWay.isKeptWaiting) await clock.settle(1)
      }
    }
    await join()
    await pass(1)
    // As it is an hour after a join; only where the hub may have taken the role back is it asked by others.
    bootstrap.isGood = outage === 'refuses the role'
    const before = (await secret())?.metadata.resourceVersion
    const slow = async () => {
      underWay.isKeptWaiting = true
      await sleep(clock, 60_000)
    }
    aws.faults.add({ ...(fault ?? { do: { before: slow } }), times: Number.POSITIVE_INFINITY })
    const calls = aws.calls.length
    await pass(40)
    assert.deepEqual([state().phase, aws.calls.length], ['joined', calls])
    // From the 44th minute on it would rather have new credentials, and lives on the last token.
    await pass(8)
    assert.equal(state().phase, 'joined')
    await pass(15)
    assert.equal(state().trouble?.reason, 'AgentUnproven')
    assert.match(state().trouble?.message ?? '', says)
    const asked = aws.calls.length
    await pass(10)
    const inTenMinutes = aws.calls.length - asked
    assert.ok(inTenMinutes >= 5 && inTenMinutes <= 80, `${inTenMinutes} calls`)
    aws.faults.clear()
    await pass(3)
    assert.deepEqual([state().phase, state().trouble], ['joined', undefined])
    assert.equal((await secret())?.metadata.resourceVersion, before)
  })
