import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import type { StandIn, TokenIssuer } from '../../src/demo/registries/index.ts'
import { startHarbor, startNexus, startQuay } from '../../src/demo/registries/index.ts'
import type { RegistryConfig } from '../../src/pull-secrets/registries/config.ts'
import { aTokenIssuer, skopeo, startDockerRegistry } from '../support/docker-registry.ts'
import { peer } from '../support/peer.ts'
import { clusterC, pullSecretScene, tester } from '../support/pull-secret-scene.ts'
import { tempDir } from '../support/temp-dir.ts'
import { teardown } from '../support/test-scope.ts'

const image = 'lanyard/tiny:1'
const user = { username: 'lanyard', password: 'our-own-password' }

interface Kind {
  start(tokens: TokenIssuer): Promise<StandIn>
  entry: Pick<RegistryConfig, 'type'> & Partial<RegistryConfig>
}

/** Who makes the accounts that the registry lets in. */
const kinds: Record<string, Kind> = {
  Quay: {
    start: (tokens) => startQuay({ org: 'images', team: 'pullers', tokens }),
    entry: { type: 'Quay', orgName: 'images', teamName: 'pullers' },
  },
  Harbor: {
    start: (tokens) => startHarbor({ project: 'lanyard', user, tokens }),
    entry: { type: 'Harbor', project: 'lanyard' },
  },
  Nexus: {
    start: (tokens) => startNexus({ roles: ['pull-docker'], user, tokens }),
    entry: { type: 'Nexus', roles: ['pull-docker'] },
  },
}

async function scene(t: TestContext, { start, entry }: Kind, programs: { registry: string; skopeo: string }) {
  const tokens = await aTokenIssuer()
  const standIn = await start(tokens)
  teardown(t, async () => await standIn[Symbol.asyncDispose]())
  const realm = `http://${standIn.host}/v2/auth`
  const { host } = await startDockerRegistry(t, programs.registry, { realm, tokens })
  const passwordFile = join(tempDir(t), 'password')
  writeFileSync(passwordFile, user.password)
  const registry: RegistryConfig = {
    id: 'real',
    url: host,
    apiBaseUrl: standIn.url,
    loginUrl: realm,
    auth: { username: user.username, passwordFile },
    rate: { rps: 1_000, burst: 1_000 },
    ...entry,
  }
  const client = skopeo(t, programs.skopeo)
  await client.push(host, image)
  const pulling = await pullSecretScene(t, { registries: () => [registry] })
  const document = async () => (await pulling.service.issuing.read(clusterC.id, tester)).document.json.reveal()
  return { ...pulling, document, pulls: (json: string) => client.pulls(host, image, json), host }
}

for (const [name, kind] of Object.entries(kinds))
  test(`skopeo pulls from a real registry with the document we make, through rotation and until suspension: accounts of ${name}`, async (t) => {
    const [registry, client] = [peer(t, 'docker-registry'), peer(t, 'skopeo')]
    if (!registry || !client) return
    const { service, tick, document, pulls, host } = await scene(t, kind, { registry, skopeo: client })

    assert.equal(await pulls(JSON.stringify({ auths: {} })), false, 'it lets nobody in without credentials')
    const wrong = Buffer.from('somebody:wrong').toString('base64')
    assert.equal(await pulls(JSON.stringify({ auths: { [host]: { auth: wrong } } })), false)

    await service.issuing.generate({ cluster: clusterC }, tester)
    const old = await document()
    assert.equal(await pulls(old), true)

    const { rotation } = await service.rotating.request({ clusterId: clusterC.id, reason: 'manual' }, tester)
    await tick('rotation')
    const renewed = await document()
    assert.notEqual(renewed, old)
    assert.equal(await pulls(old), true, 'nodes that have the old document keep pulling')
    assert.equal(await pulls(renewed), true)

    await service.rotating.confirm(clusterC.id, rotation.id, tester)
    await tick('rotation')
    assert.equal(await pulls(old), false, 'revoked')
    assert.equal(await pulls(renewed), true)

    await service.ending.suspend(clusterC.id, 'unpaid', tester)
    assert.equal(await pulls(renewed), false)

    await service.ending.resume(clusterC.id, 'paid', tester)
    assert.equal(await pulls(renewed), false, 'what was suspended does not come back')
    assert.equal(await pulls(await document()), true)
  })
