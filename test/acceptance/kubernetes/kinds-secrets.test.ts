/** Secrets and ConfigMaps: what they hold, and what they must hold for their type. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Secret } from 'kubernetes-types/core/v1.d.ts'
import { configMaps, secrets } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { base64, kindScene, whyInvalid } from '../../support/kind-scene.ts'

const configKey =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
const overMebibyte = 'x'.repeat(1024 * 1024 + 1)

const ask = (kube: Kube, namespace: string, secret: Secret) =>
  kube.of(secrets, namespace).create({ metadata: { name: 'sample' }, ...secret }, { dryRun: true })

describe('secrets', needsControlPlane, () => {
  test('E13: a Secret without a type is Opaque, and stringData is folded into data, over what is there', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const { type, data, stringData } = await kube.of(secrets, namespace).create({
      metadata: { name: 'sample' },
      data: { one: base64('1'), two: base64('2') },
      stringData: { two: 'zwei', three: 'drei' },
    })
    assert.deepEqual(
      { type, data, stringData },
      {
        type: 'Opaque',
        data: { one: base64('1'), two: base64('zwei'), three: base64('drei') },
        stringData: undefined,
      },
    )
    const changed = await kube
      .of(secrets, namespace)
      .patch('sample', { type: 'merge', body: { stringData: { one: 'eins' } } })
    assert.equal(changed.data?.['one'], base64('eins'))
  })

  test('E13: keys of a Secret are names of files, and it holds one mebibyte', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const why = (data: Record<string, string>) => whyInvalid(ask(kube, namespace, { data }))
    assert.equal(await why({ 'a b': '' }), `data[a b]: Invalid value: "a b": ${configKey}`)
    assert.equal(await why({ '..': '' }), `data[..]: Invalid value: "..": must not be '..'`)
    assert.equal(await why({ '..a': '' }), `data[..a]: Invalid value: "..a": must not start with '..'`)
    assert.equal(await why({ a: base64(overMebibyte) }), 'data: Too long: may not be more than 1048576 bytes')
  })

  const required: Record<string, string> = {
    'kubernetes.io/service-account-token': 'metadata.annotations[kubernetes.io/service-account.name]: Required value',
    'kubernetes.io/dockercfg': 'data[.dockercfg]: Required value',
    'kubernetes.io/dockerconfigjson': 'data[.dockerconfigjson]: Required value',
    'kubernetes.io/basic-auth': '[data[username]: Required value, data[password]: Required value]',
    'kubernetes.io/ssh-auth': 'data[ssh-privatekey]: Required value',
    'kubernetes.io/tls': '[data[tls.crt]: Required value, data[tls.key]: Required value]',
  }
  for (const [type, why] of Object.entries(required)) {
    test(`E13: a Secret of type ${type} must hold what its type says`, async (t) => {
      const { kube, namespace } = await kindScene(t)
      assert.equal(await whyInvalid(ask(kube, namespace, { type })), why)
    })
  }

  test('E13: a Secret of a type that nobody knows, or of a bootstrap token, may hold anything', async (t) => {
    const { kube, namespace } = await kindScene(t)
    assert.equal((await ask(kube, namespace, { type: 'example.com/mine' })).type, 'example.com/mine')
    assert.ok(await ask(kube, namespace, { type: 'bootstrap.kubernetes.io/token' }))
  })

  test('E13: a Secret with a pull configuration holds a JSON object, which is told to nobody', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const pull = (config: string) =>
      ask(kube, namespace, { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': config } })
    const redacted = 'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": '
    assert.equal(await whyInvalid(pull('hush')), `${redacted}invalid character 'h' looking for beginning of value`)
    assert.equal(
      await whyInvalid(pull('["hush"]')),
      `${redacted}json: cannot unmarshal array into Go value of type map[string]interface {}`,
    )
    assert.equal(await whyInvalid(pull('')), `${redacted}unexpected end of JSON input`)
    assert.ok(await pull('{"auths":{}}'))
  })

  test('E13: a Secret with either a user name or a password will do for basic-auth', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const type = 'kubernetes.io/basic-auth'
    assert.ok(await ask(kube, namespace, { type, stringData: { username: 'u' } }))
    assert.ok(await ask(kube, namespace, { type, stringData: { password: '' } }))
  })

  test('E13: the type of a Secret stays', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const collection = kube.of(secrets, namespace)
    await collection.create({ metadata: { name: 'sample' }, type: 'example.com/mine' })
    const changed = collection.patch('sample', { type: 'merge', body: { type: 'example.com/other' } })
    assert.equal(await whyInvalid(changed), 'type: Invalid value: "example.com/other": field is immutable')
    const left = collection.update({ metadata: { name: 'sample' } })
    assert.equal(await whyInvalid(left), 'type: Invalid value: "Opaque": field is immutable')
  })

  test('E13: a Secret that is immutable keeps its data and stays immutable', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const collection = kube.of(secrets, namespace)
    await collection.create({ metadata: { name: 'sample' }, immutable: true, data: { a: base64('1') } })
    const patch = (body: object) => collection.patch('sample', { type: 'merge', body })
    const why = 'Forbidden: field is immutable when `immutable` is set'
    assert.equal(await whyInvalid(patch({ data: { a: base64('2') } })), `data: ${why}`)
    assert.equal(await whyInvalid(patch({ immutable: false })), `immutable: ${why}`)
    assert.equal(
      await whyInvalid(patch({ immutable: null, stringData: { a: '2' } })),
      `[immutable: ${why}, data: ${why}]`,
    )
    assert.deepEqual((await patch({ metadata: { labels: { a: 'b' } } })).metadata.labels, { a: 'b' })
  })

  test('E13: secrets are selected by their type', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const collection = kube.of(secrets, namespace)
    await collection.create({ metadata: { name: 'plain' } })
    await collection.create({ metadata: { name: 'special' }, type: 'example.com/special' })
    const names = async (fieldSelector: string) =>
      (await collection.list({ fieldSelector })).items.map(({ metadata }) => metadata.name)
    assert.deepEqual(await names('type=example.com/special'), ['special'])
    assert.deepEqual(await names('type=Opaque'), ['plain'])
    assert.deepEqual(await names('type!=Opaque'), ['special'])
  })
})

describe('config maps', needsControlPlane, () => {
  const overlap = { data: { a: 'x' }, binaryData: { a: base64('x') } }

  test('E13: keys of a ConfigMap are names of files, each once, and it holds one mebibyte', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const why = (map: object) =>
      whyInvalid(kube.of(configMaps, namespace).create({ metadata: { name: 'sample' }, ...map }, { dryRun: true }))
    assert.equal(await why({ data: { 'a b': '' } }), `data[a b]: Invalid value: "a b": ${configKey}`)
    assert.equal(await why({ binaryData: { '.': '' } }), `binaryData[.]: Invalid value: ".": must not be '.'`)
    assert.equal(await why(overlap), 'data[a]: Invalid value: "a": duplicate of key present in binaryData')
    assert.equal(await why({ data: { a: overMebibyte } }), '[]: Too long: may not be more than 1048576 bytes')
  })

  test('E13: a ConfigMap that is immutable keeps its data and stays immutable', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const collection = kube.of(configMaps, namespace)
    await collection.create({ metadata: { name: 'sample' }, immutable: true, data: { a: '1' } })
    const patch = (body: object) => collection.patch('sample', { type: 'merge', body })
    const why = 'Forbidden: field is immutable when `immutable` is set'
    assert.equal(await whyInvalid(patch({ data: { a: '2' } })), `data: ${why}`)
    assert.equal(await whyInvalid(patch({ binaryData: { b: base64('2') } })), `binaryData: ${why}`)
    assert.equal(await whyInvalid(patch({ immutable: null })), `immutable: ${why}`)
  })
})
