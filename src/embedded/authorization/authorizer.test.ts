import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import {
  authorizationConfig,
  rbacAuthorizer,
  startAuthorizationHook,
  webhookAuthorizer,
} from '../../../test/support/authorization-hook.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { teardown } from '../../../test/support/test-scope.ts'
import { isFailure } from '../../core/failure.ts'
import { silentLog } from '../../core/log.ts'
import { systemRandom } from '../../core/random.ts'
import { createAuthorizer } from './authorizer.ts'
import { clusterRole, clusterRoleBinding, group, PolicyStore, user } from './testing/policy-store.ts'
import { resourceQuestion, somebody } from './testing/questions.ts'

const policy = () =>
  new PolicyStore([
    clusterRole('reader', { apiGroups: [''], resources: ['pods'], verbs: ['get'] }),
    clusterRoleBinding('reader', 'ClusterRole/reader', user('jane'), group('dev')),
    clusterRoleBinding('lost', 'ClusterRole/lost', user('joe')),
  ])

async function start(t: TestContext, config?: string) {
  const [store, clock] = [policy(), new FakeClock()]
  const configFile = config === undefined ? undefined : join(tempDir(t), 'authz.yaml')
  if (configFile) writeFileSync(configFile, config ?? '')
  const authorizer = await createAuthorizer({ store, clock, random: systemRandom, log: silentLog, config: configFile })
  const stop = new AbortController()
  const running = authorizer.run(stop.signal)
  const end = () => {
    stop.abort()
    return running
  }
  teardown(t, end)
  const rewrite = (text: string) => writeFileSync(configFile ?? '', text)
  return { store, clock, authorizer, end, rewrite, ask: authorizer.authorize }
}

const getPods = (name: string, ...groups: string[]) => resourceQuestion(somebody(name, ...groups), 'get pods')

/** Files are read in real time, so the fake clock needs real turns. */
const until = (clock: FakeClock, holds: () => Promise<boolean>): Promise<true> =>
  eventually(
    'it comes to that',
    async () => {
      if (await holds()) return true
      await clock.advance('1s')
      return false
    },
    { everyMs: 1 },
  )

describe('the authorizer', () => {
  test('is RBAC unless configured otherwise, and members of system:masters may do everything', async (t) => {
    const { ask } = await start(t)
    assert.equal((await ask(getPods('jane'))).verdict, 'allow')
    assert.deepEqual(await ask(resourceQuestion('jane', 'delete pods')), { verdict: 'no opinion', reason: '' })
    assert.deepEqual(await ask(resourceQuestion(somebody('root', 'system:masters'), 'delete pods')), {
      verdict: 'allow',
      reason: '',
    })
  })

  test('asks in the order of the file, and tells all reasons where nobody decides', async (t) => {
    const hook = await startAuthorizationHook(t, ({ user }) =>
      user === 'jane' ? { allowed: false, denied: true, reason: 'no Jane' } : { allowed: false, reason: 'do not know' },
    )
    const { ask, authorizer } = await start(
      t,
      authorizationConfig(webhookAuthorizer('hook', hook.kubeConfigFile), rbacAuthorizer),
    )
    assert.deepEqual(await ask(getPods('jane')), { verdict: 'deny', reason: 'no Jane' })
    assert.equal((await ask(getPods('anna', 'dev'))).verdict, 'allow')
    assert.deepEqual(await ask(getPods('joe')), {
      verdict: 'no opinion',
      reason: 'do not know\nRBAC: clusterrole.rbac.authorization.k8s.io "lost" not found',
    })
    const { rules, errors, incomplete } = authorizer.rulesFor(somebody('jane'), 'blue')
    assert.deepEqual(
      [rules.length, errors, incomplete],
      [1, ['webhook authorizer does not support user rule resolution'], true],
    )
  })

  test('fails where a webhook fails and nobody allows', async (t) => {
    const hook = await startAuthorizationHook(t, () => undefined)
    const { ask } = await start(t, authorizationConfig(webhookAuthorizer('hook', hook.kubeConfigFile), rbacAuthorizer))
    assert.equal((await ask(getPods('jane'))).verdict, 'allow')
    assert.deepEqual(await ask(resourceQuestion('anna', 'get pods')), {
      verdict: 'no opinion',
      reason: '',
      error: 'the server could not find the requested resource',
    })
  })

  test('follows changes of its file, and keeps to the old one where the new one cannot be used', async (t) => {
    const hook = await startAuthorizationHook(t, () => ({ allowed: true }))
    const { ask, clock, rewrite } = await start(t, authorizationConfig(rbacAuthorizer))
    const mayAnna = async () => (await ask(getPods('anna'))).verdict === 'allow'
    assert.equal(await mayAnna(), false)
    rewrite(authorizationConfig(webhookAuthorizer('hook', hook.kubeConfigFile), rbacAuthorizer))
    await until(clock, mayAnna)
    rewrite('nonsense')
    await clock.advance('30s')
    assert.equal(await mayAnna(), true)
    rewrite(authorizationConfig(rbacAuthorizer))
    await until(clock, async () => !(await mayAnna()))
  })

  test('does not start with a configuration that cannot be used', async (t) => {
    await assert.rejects(start(t, 'nonsense'), (error) => isFailure(error, 'AUTHORIZATION_CONFIG_INVALID'))
    const deps = { store: policy(), clock: new FakeClock(), random: systemRandom, log: silentLog }
    await assert.rejects(createAuthorizer({ ...deps, config: '/nowhere/authz.yaml' }), (error) =>
      isFailure(error, 'AUTHORIZATION_CONFIG_UNREADABLE'),
    )
  })

  test('leaves nothing behind when it ends', async (t) => {
    const { store, end } = await start(t)
    assert.equal(store.listeners, 1)
    await end()
    assert.equal(store.listeners, 0)
  })
})
