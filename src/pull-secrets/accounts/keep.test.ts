import assert from 'node:assert/strict'
import { test } from 'node:test'
import { never } from '../../../test/support/never.ts'
import { clusterC, loginOf, pullSecretScene, strayAccounts, tester } from '../../../test/support/pull-secret-scene.ts'
import { failures } from '../failures.ts'
import type { Database } from '../store/database.ts'

/** The first commits after which nobody knows whether they happened: they did, or they did not. */
function losingCommits(database: Database, which: (commit: number) => 'lost' | 'undone' | undefined): Database {
  let commits = 0
  const away = () => failures.PULL_DATABASE_AWAY({ retryAfterSeconds: 1 })
  const db = new Proxy(database.db, {
    get(target, name) {
      const value = Reflect.get(target, name, target)
      if (name !== 'transaction') return typeof value === 'function' ? value.bind(target) : value
      return () => ({
        async execute(work: (tx: unknown) => Promise<unknown>) {
          const fate = which(commits++)
          const result = await target.transaction().execute(async (tx) => {
            const worked = await work(tx)
            if (fate === 'undone') throw away()
            return worked
          })
          if (fate === 'lost') throw away()
          return result
        },
      })
    },
  })
  return { ...database, db }
}

for (const fate of ['lost', 'undone'] as const)
  for (let at = 0; at < 7; at += 1)
    test(`commit ${at} of a first call is ${fate}: nothing is doubled and nothing is left`, async (t) => {
      const scene = await pullSecretScene(t)
      const pod = await scene.pod({
        database: (database) => losingCommits(database, (n) => (n === at ? fate : undefined)),
      })
      const first = await pod.service.issuing.generate({ cluster: clusterC }, tester).catch(() => undefined)
      const { pullSecret } = await scene.service.issuing.generate({ cluster: clusterC }, tester)
      if (first) assert.equal(first.pullSecret.document.hash, pullSecret.document.hash)
      never('doubled', () => assert.deepEqual([scene.quay.accounts().length, scene.redhat.accounts().length], [1, 1]))
      assert.ok(scene.redhat.logsIn(...loginOf(pullSecret, 'registry.redhat.io')))
      await never('lost', async () => assert.deepEqual(await strayAccounts(scene), []))
    })
