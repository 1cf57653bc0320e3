import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestScope } from '../../../../test/support/test-scope.ts'
import { Secret } from '../../../core/secret.ts'
import { textOf } from '../../../fleet/secret-texts.ts'
import { certificateSigningRequests, secrets } from '../../../kube/kinds.ts'
import { awsAgentDriver } from './agent-driver.ts'
import { readAwsKubeconfig } from './agent-kubeconfig.ts'
import { wholeAgent } from './testing/agent-scene.ts'
import { hub as eksHub, fieldAnnotations, managed, managedArn, roleArn } from './testing/samples.ts'
import { failures } from './token/failures.ts'

/** A whole agent with tokens of a made-up AWS: a role that is made anew knows only the sessions since. */
function scene(t: TestScope) {
  const role = { isThere: false, isMapped: false, made: 0 }
  const asked = { tokens: 0, refreshes: 0 }
  let session = -1
  const driver = awsAgentDriver({
    eks: { hub: eksHub, managed },
    exec: { form: 'lanyard', command: 'lanyard' },
    tokens: {
      async token({ refresh = false } = {}) {
        asked.tokens += 1
        if (refresh) asked.refreshes += 1
        if (refresh || session < 0) {
          if (!role.isThere) throw failures.AWS_ROLE_REFUSED({ caller: 'pod', role: roleArn, detail: 'AccessDenied' })
          session = role.made
        }
        return { token: Secret.of(`session ${session}`), expiresAt: new Date('2026-01-01T00:14:00Z') }
      },
    },
  })
  /** Whatever a process had in memory. */
  const forget = () => {
    session = -1
  }
  const agent = wholeAgent(t, (token) => role.isThere && role.isMapped && token === `session ${role.made}`)
  const makeRole = () => Object.assign(role, { isThere: true, isMapped: true, made: role.made + 1 })
  return {
    ...agent,
    driver,
    asked,
    role,
    makeRole,
    forget,
    async accept() {
      makeRole()
      await agent.setAccepted(true)
    },
    async deny() {
      Object.assign(role, { isThere: false, isMapped: false })
      await agent.setAccepted(false)
    },
    async join() {
      await agent.invite()
      agent.start(driver)
      await agent.until('its cluster is there', async () => (await agent.clusters.find('west')) !== undefined)
      makeRole()
      await agent.setAccepted(true)
      await agent.until('it has joined', () => agent.state().phase === 'joined')
    },
    isJoined: () => agent.until('it has joined', () => agent.state().phase === 'joined'),
  }
}

test('an agent marks its cluster, asks for no certificate and joins once it is accepted', async (t) => {
  const { hub, clusters, invite, start, driver, clock, secret, state, accept, isJoined, until, dir } = scene(t)
  await invite()
  start(driver)
  await until('its cluster is there', async () => (await clusters.find('west')) !== undefined)
  await clock.advance('1h')
  assert.match(state().trouble?.message ?? '', /lanyard accept west$/)
  assert.equal((await secret())?.data?.['kubeconfig'], undefined)
  await accept()
  await isJoined()
  const { metadata, status } = await clusters.get('west')
  assert.deepEqual(metadata.annotations, { 'eks-managed-cluster-arn': managedArn, ...fieldAnnotations() })
  assert.deepEqual((await hub.of(certificateSigningRequests).list()).items, [])
  const { data = {} } = (await secret()) ?? assert.fail()
  assert.equal(readAwsKubeconfig(textOf(data, 'kubeconfig') ?? '')?.access.roleArn, roleArn)
  assert.deepEqual(Object.keys(data).sort(), ['agent-name', 'cluster-name', 'kubeconfig'])
  await until('the files are there', () => existsSync(join(dir, 'kubeconfig')))
  assert.deepEqual(readdirSync(dir).sort(), ['agent-name', 'cluster-name', 'kubeconfig'])
  // The hub is told nothing of a certificate that there is not.
  assert.deepEqual(
    status?.conditions?.map(({ type }) => type),
    ['HubAcceptedManagedCluster'],
  )
})

test('an agent that is denied learns it, whether or not it hears of it, and waits to be accepted again', async (t) => {
  for (const hears of [true, false]) {
    const { hub, clock, join: joinHub, deny, accept, state, isJoined, until, secret } = scene(t)
    await joinHub()
    const before = (await secret())?.data
    if (!hears) hub.stallWatches()
    await deny()
    await until('it works no more', () => state().phase !== 'joined')
    await clock.advance('1h')
    assert.match(state().trouble?.message ?? '', /has not accepted the cluster west yet.*lanyard accept west$/)
    await accept()
    await isJoined()
    assert.deepEqual((await secret())?.data, before)
  }
})

test('one whose bootstrap token ran out long ago is told so while it is denied, and comes back by its role', async (t) => {
  const { clock, join: joinHub, deny, accept, state, isJoined, bootstrap, until } = scene(t)
  await joinHub()
  bootstrap.isGood = false
  await deny()
  await until('it works no more', () => state().phase !== 'joined')
  await clock.advance('1h')
  assert.match(state().trouble?.message ?? '', /refuses the bootstrap kubeconfig .*or have the cluster accepted/)
  await accept()
  await isJoined()
})

for (const restart of ['that ran all the time', 'that was started since'])
  test(`a cluster that was deleted on the hub is not made again by an agent ${restart}, unless its Secret is removed`, async (t) => {
    const { clock, clusters, role, join: joinHub, state, until, stop, start, ...rest } = scene(t)
    const { accept, secret, deleteSecret, isJoined, driver, forget } = rest
    await joinHub()
    if (restart === 'that was started since') await stop()
    Object.assign(role, { isThere: false, isMapped: false })
    await clusters.delete('west')
    if (restart === 'that was started since') {
      forget()
      start(driver)
    }
    await until('it knows', () => state().trouble?.message.includes('was deleted on the hub') ?? false)
    await clock.advance('1h')
    assert.equal(await clusters.find('west'), undefined)
    assert.match(state().trouble?.message ?? '', /was deleted on the hub.* delete secret\/here\/hub-kubeconfig-secret/)
    await deleteSecret()
    await clock.settle()
    await until('its cluster is there again', async () => (await clusters.find('west')) !== undefined)
    await clock.advance('1h')
    assert.equal((await secret())?.data?.['kubeconfig'], undefined)
    await accept()
    await isJoined()
    assert.ok((await secret())?.data?.['kubeconfig'])
  })

test('a role that was made anew is taken up with the next request, and nothing is given up for it', async (t) => {
  const { clock, join: joinHub, makeRole, asked, secret, state } = scene(t)
  await joinHub()
  const before = (await secret())?.metadata.resourceVersion
  makeRole()
  await clock.advance('10m')
  assert.ok(asked.refreshes >= 1)
  assert.equal(state().phase, 'joined')
  assert.equal((await secret())?.metadata.resourceVersion, before)
})

test('a role that the hub does not map yet is tried again within a minute, and nothing is written meanwhile', async (t) => {
  const { clock, home, role, invite, start, driver, clusters, accept, state, until } = scene(t)
  await invite()
  start(driver)
  await until('its cluster is there', async () => (await clusters.find('west')) !== undefined)
  await accept()
  role.isMapped = false
  await clock.advance('10m')
  const writes = home.count('patch', 'create', 'update')
  await clock.advance('2h')
  assert.equal(home.count('patch', 'create', 'update'), writes)
  assert.notEqual(state().phase, 'joined')
  assert.match(state().trouble?.message ?? '', /does not know the AWS role of the agent/)
  role.isMapped = true
  await clock.advance('2m')
  assert.equal(state().phase, 'joined')
})

test('a role that may not be assumed is told with the words of AWS, and nothing is written meanwhile', async (t) => {
  const { clock, home, role, invite, start, driver, clusters, accept, state, until } = scene(t)
  await invite()
  start(driver)
  await until('its cluster is there', async () => (await clusters.find('west')) !== undefined)
  await accept()
  role.isThere = false
  await clock.advance('10m')
  assert.equal(state().trouble?.reason, 'AgentUnproven')
  assert.match(state().trouble?.message ?? '', /pod may not assume .* \(AccessDenied\)/)
  const writes = home.count('patch', 'create', 'update')
  await clock.advance('3h')
  assert.equal(home.count('patch', 'create', 'update'), writes)
  role.isThere = true
  await clock.advance('2m')
  assert.equal(state().phase, 'joined')
})

test('an agent that came by CSR joins anew by AWS, and leaves no key behind in the Secret or in files', async (t) => {
  const { home, clusters, invite, start, driver, clock, accept, isJoined, secret, state, dir, until } = scene(t)
  await clusters.create({ metadata: { name: 'west' }, spec: { hubAcceptsClient: true } })
  const old = { 'tls.crt': 'b2xk', 'tls.key': 'b2xk', pending: 'b2xk', kubeconfig: 'b2xk', 'cluster-name': 'd2VzdA==' }
  await home.of(secrets, 'here').create({ metadata: { name: 'hub-kubeconfig-secret' }, data: old })
  mkdirSync(dir)
  for (const file of ['tls.crt', 'tls.key', 'kubeconfig']) writeFileSync(join(dir, file), 'old')
  await invite()
  start(driver)
  await until('it has looked', () => state().trouble !== undefined)
  await clock.advance('1m')
  assert.match(state().trouble?.message ?? '', /puts these annotations on it: eks-managed-cluster-arn=/)
  const annotations = { 'eks-managed-cluster-arn': managedArn }
  await clusters.patch('west', { type: 'merge', body: { metadata: { annotations } } })
  await accept()
  await isJoined()
  assert.deepEqual(Object.keys((await secret())?.data ?? {}).sort(), ['agent-name', 'cluster-name', 'kubeconfig'])
  await until('the files of the certificate are gone', () => !existsSync(join(dir, 'tls.key')))
  assert.deepEqual(readdirSync(dir).sort(), ['agent-name', 'cluster-name', 'kubeconfig'])
})

test('and one that came by AWS asks for a certificate when it is started for CSR', async (t) => {
  const { hub, join: joinHub, stop, start, until, state } = scene(t)
  await joinHub()
  await stop()
  start()
  await until('it asks', async () => (await hub.of(certificateSigningRequests).list()).items.length === 1)
  assert.equal(state().phase, 'asking')
})
