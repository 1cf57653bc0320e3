import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Command } from 'commander'
import { agentArguments, agentRbacManifests } from '../registration/manifests/agent.ts'
import { handoverSettingsOf, installedReach, reachOfferWarning, withReachOffer } from './agent-reach.ts'

const own = { server: 'https://10.0.0.1', tls: { ca: 'PEM', serverName: 'kubernetes' } }

test('nothing is offered unless asked for', () => {
  assert.equal(handoverSettingsOf({}, 'agents', own), undefined)
  assert.equal(reachOfferWarning({}), undefined)
  assert.deepEqual(installedReach({}), {})
})

test('the hub is told the address from outside, else the one the agent uses', () => {
  const usual = { namespace: 'agents', caPem: 'PEM', tokenSeconds: 3_600 }
  assert.deepEqual(handoverSettingsOf({ offerReach: true }, 'agents', own), {
    ...usual,
    server: own.server,
    tlsServerName: 'kubernetes',
  })
  const spokeExternalServerUrls = ['https://west.example.com', 'https://other.example.com']
  const outside = { offerReach: true, spokeExternalServerUrls, reachTokenExpirationSeconds: 900 }
  assert.deepEqual(handoverSettingsOf(outside, 'agents', own), {
    ...usual,
    server: 'https://west.example.com',
    tokenSeconds: 900,
  })
  assert.match(reachOfferWarning({ offerReach: true }) ?? '', /--spoke-external-server-urls/)
  assert.equal(reachOfferWarning(outside), undefined)
})

test('a token of less than ten minutes is refused: no API server grants it', () => {
  const parse = (...args: string[]) =>
    withReachOffer(new Command().exitOverride().configureOutput({ writeErr: () => {} }))
      .parse(args, { from: 'user' })
      .opts()
  assert.deepEqual(parse('--offer-reach', '--reach-token-expiration-seconds', '600'), {
    offerReach: true,
    reachTokenExpirationSeconds: 600,
  })
  assert.throws(() => parse('--reach-token-expiration-seconds', '599'))
})

test('an agent that is installed to offer it gets the flag, the account its rights, and nobody else anything', () => {
  const base = { namespace: 'agents', image: 'i' }
  const offering = { ...base, ...installedReach({ offerReach: true }) }
  assert.ok(agentArguments(offering).includes('--offer-reach'))
  assert.ok(!agentArguments(base).includes('--offer-reach'))
  const names = (installation: typeof base) =>
    agentRbacManifests(installation).map(({ object }) => `${object.kind} ${object.metadata.name}`)
  const more = names(offering).filter((name) => !names(base).includes(name))
  assert.deepEqual(more, ['ClusterRole lanyard-reach', 'ClusterRoleBinding lanyard-reach:agents:lanyard-reach'])
})
