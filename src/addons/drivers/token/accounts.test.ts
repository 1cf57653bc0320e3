import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ManagedClusterAddOn } from '../../../apis/addon/managed-cluster-addon.ts'
import { accountUser, addonAccounts, addonConditions } from '../../../fleet/names.ts'
import type { Stored } from '../../../kube/objects.ts'
import { itemsOf } from '../../registrations.ts'
import { accountOf, declaredAccount, infrastructureOf } from './accounts.ts'
import { tokenAgentDriver } from './agent.ts'
import { formatAnnouncement } from './announcement.ts'

const whose = { cluster: 'west', addon: 'logs' }
const [ours, theirs] = addonAccounts('west', 'logs')

const announcing = (message: string, status = 'True') =>
  ({
    status: { conditions: [{ type: addonConditions.tokenInfrastructureReady, status, message }] },
  }) as unknown as ManagedClusterAddOn

test('only two user names stand for an account of the add-on, each as a whole', () => {
  assert.equal(accountOf(accountUser('west', ours), whose), ours)
  assert.equal(accountOf(accountUser('west', theirs), whose), theirs)
  for (const user of [
    undefined,
    '',
    ours,
    accountUser('west1', ours),
    accountUser('west', `${ours}1`),
    accountUser('west', 'logs'),
    `x${accountUser('west', ours)}`,
  ])
    assert.equal(accountOf(user, whose), undefined)
})

test('the hub is believed when it announces one of the two accounts in the namespace of the cluster', () => {
  for (const account of [ours, theirs]) {
    const announced = { namespace: 'west', account, uid: '1' }
    assert.deepEqual(infrastructureOf(announcing(formatAnnouncement(announced)), whose), { is: 'ready', ...announced })
  }
  fc.assert(
    fc.property(fc.string(), fc.string(), (namespace, account) => {
      const isOurs = namespace === 'west' && (account === ours || account === theirs)
      const { is } = infrastructureOf(announcing(formatAnnouncement({ namespace, account, uid: '1' })), whose)
      assert.equal(is, isOurs ? 'ready' : 'foreign')
    }),
  )
})

test('nothing is announced by a condition that is missing or not True', () => {
  const message = formatAnnouncement({ namespace: 'west', account: ours, uid: '1' })
  for (const object of [undefined, announcing(message, 'False'), announcing(message, 'Unknown')])
    assert.deepEqual(infrastructureOf(object, whose), { is: 'awaited' })
})

test('ours is declared, unless the hub announces the other; what is declared stays', () => {
  const ready = (account: string) => ({ is: 'ready', namespace: 'west', account, uid: '1' }) as const
  const awaited = { is: 'awaited' } as const
  assert.equal(declaredAccount(undefined, awaited, whose), ours)
  assert.equal(declaredAccount(undefined, ready(ours), whose), ours)
  assert.equal(declaredAccount(ours, ready(theirs), whose), theirs)
  assert.equal(declaredAccount(theirs, ready(ours), whose), theirs)
  assert.equal(declaredAccount(ours, { is: 'foreign', message: 'x' }, whose), ours)
})

test('hub and agent, each of which follows the other, come to rest from wherever they begin', () => {
  for (const subject of [undefined, ours, theirs])
    for (const announced of [undefined, ours, theirs]) {
      let [said, told]: (string | undefined)[] = [subject, announced]
      // Both look at the same moment, and both write.
      for (let round = 0; round < 4; round += 1) {
        const infrastructure = told
          ? ({ is: 'ready', namespace: 'west', account: told, uid: '1' } as const)
          : ({ is: 'awaited' } as const)
        ;[said, told] = [declaredAccount(said, infrastructure, whose), said]
      }
      assert.equal(said, told, `from ${subject} and ${announced}`)
    }
})

test('a custom signer is not served', () => {
  const addon = {
    metadata: { name: 'logs', namespace: 'west' },
    status: { registrations: [{ type: 'customSigner', customSigner: { signerName: 'example.com/x' } }] },
  } as Stored<ManagedClusterAddOn>
  for (const item of itemsOf(addon))
    assert.match(String(tokenAgentDriver.declaration(item, addon, {})), /custom signer/)
})
