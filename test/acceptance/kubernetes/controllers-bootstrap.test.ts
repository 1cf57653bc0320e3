/** What keeps bootstrap tokens, and what they vouch for, in order. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { systemRandom } from '../../../src/core/random.ts'
import { isAlreadyExists } from '../../../src/kube/failures.ts'
import { configMaps, secrets } from '../../../src/kube/kinds.ts'
import { aBootstrapToken, aSecret } from '../../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { teardown } from '../../support/test-scope.ts'

const secret = '0123456789abcdef'

async function start(t: TestContext) {
  const plane = await startControlPlane(t)
  const admin = kubeClient(t, plane.connection())
  const tokens = admin.of(secrets, 'kube-system')
  const make = async (fields: Record<string, string> = {}) => {
    const id = systemRandom.suffix(6)
    const token = aBootstrapToken({ id, secret })
    const { data } = aSecret('', fields)
    await tokens.create({ ...token, data: { ...token.data, ...data } })
    teardown(t, async () => void (await tokens.delete(token.metadata.name)))
    return { id, name: token.metadata.name }
  }
  const gone = (name: string) => eventually('the token is gone', async () => !(await tokens.find(name)))
  return { admin, tokens, make, gone }
}

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString()

describe('the cleaner of bootstrap tokens', needsControlPlane, () => {
  test('E18: a token that has expired goes', async (t) => {
    const { make, gone } = await start(t)
    const { name } = await make({ expiration: inSeconds(-3_600) })
    await gone(name)
  })

  test('E18: a token goes when it expires, and not before', async (t) => {
    const { make, gone } = await start(t)
    const expiration = inSeconds(2)
    const { name } = await make({ expiration })
    await gone(name)
    assert.ok(Date.now() >= Date.parse(expiration))
  })

  test('E18: a token whose end was moved goes at the new one', async (t) => {
    const { tokens, make, gone } = await start(t)
    const { name } = await make({ expiration: inSeconds(86_400) })
    await tokens.patch(name, { type: 'merge', body: { data: aSecret('', { expiration: inSeconds(-1) }).data } })
    await gone(name)
  })

  test('E18: a token whose end cannot be read goes, one without an end stays', async (t) => {
    const { tokens, make, gone } = await start(t)
    const stays = await make()
    const later = await make({ expiration: inSeconds(86_400) })
    const { name } = await make({ expiration: 'tomorrow' })
    await gone(name)
    assert.ok(await tokens.find(stays.name))
    assert.ok(await tokens.find(later.name))
  })

  test('E18: other secrets are none of its business', async (t) => {
    const { tokens, make, gone } = await start(t)
    const other = aSecret(undefined, { expiration: inSeconds(-3_600) })
    await tokens.create(other)
    teardown(t, async () => void (await tokens.delete(other.metadata.name)))
    const { name } = await make({ expiration: inSeconds(-3_600) })
    await gone(name)
    assert.ok(await tokens.find(other.metadata.name))
  })
})

describe('the signer of cluster-info', needsControlPlane, () => {
  const signing = { 'usage-bootstrap-signing': 'true' }

  async function clusterInfo(t: TestContext) {
    const scene = await start(t)
    const maps = scene.admin.of(configMaps, 'kube-public')
    // kubeadm makes it, or the control plane itself; where neither does, the test.
    await maps.create({ metadata: { name: 'cluster-info' }, data: { kubeconfig: 'for a test' } }).catch((error) => {
      if (!isAlreadyExists(error)) throw error
    })
    const data = async () => (await maps.get('cluster-info')).data ?? {}
    const signature = (id: string) =>
      eventually('there is a signature', async () => (await data())[`jws-kubeconfig-${id}`])
    const unsigned = (id: string) =>
      eventually('there is no signature', async () => !(await data())[`jws-kubeconfig-${id}`])
    return { ...scene, maps, data, signature, unsigned }
  }

  function expected(kubeconfig: string, id: string): string {
    const encode = (text: string) => Buffer.from(text).toString('base64url')
    const header = encode(`{"alg":"HS256","kid":"${id}"}`)
    return `${header}..${createHmac('sha256', secret)
      .update(`${header}.${encode(kubeconfig)}`)
      .digest('base64url')}`
  }

  test('E18: a token that signs vouches for the kubeconfig in it', async (t) => {
    const { make, signature, data } = await clusterInfo(t)
    const { id } = await make(signing)
    assert.equal(await signature(id), expected(`${(await data())['kubeconfig']}`, id))
  })

  test('E18: a token that does not sign, or is over, vouches for nothing', async (t) => {
    const { make, signature, data } = await clusterInfo(t)
    const silent = await make()
    const over = await make({ ...signing, expiration: inSeconds(-60) })
    await signature((await make(signing)).id)
    for (const { id } of [silent, over]) assert.equal((await data())[`jws-kubeconfig-${id}`], undefined)
  })

  test('E18: a signature goes with its token', async (t) => {
    const { tokens, make, signature, unsigned } = await clusterInfo(t)
    const { id, name } = await make(signing)
    await signature(id)
    await tokens.delete(name)
    await unsigned(id)
  })

  test('E18: a signature that somebody changed is made good, and one of nobody removed', async (t) => {
    const { maps, make, signature, unsigned, data } = await clusterInfo(t)
    const { id } = await make(signing)
    const good = await signature(id)
    const stranger = systemRandom.suffix(6)
    const forged = { [`jws-kubeconfig-${id}`]: 'mine', [`jws-kubeconfig-${stranger}`]: 'mine' }
    await maps.patch('cluster-info', { type: 'merge', body: { data: forged } })
    await unsigned(stranger)
    await eventually('it is good again', async () => (await data())[`jws-kubeconfig-${id}`] === good)
  })
})
