/** What stands in the query of a request, and what happens when it makes no sense. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { configMaps } from '../../../src/kube/kinds.ts'
import { aConfigMap } from '../../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { rawRequest } from '../../support/raw-request.ts'

async function scene(t: TestContext) {
  const plane = await startControlPlane(t)
  const kube = kubeClient(t, plane.connection())
  const namespace = await freshNamespace(t, kube)
  const maps = kube.of(configMaps, namespace)
  const path = `/api/v1/namespaces/${namespace}/configmaps`
  const ask = (query: string, request: { method?: string; path?: string; body?: unknown; type?: string } = {}) =>
    rawRequest(plane, {
      method: request.method ?? 'GET',
      path: `${request.path ?? path}?${query}`,
      headers: { 'content-type': request.type ?? 'application/json' },
      ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
    })
  return {
    ...{ kube, namespace, maps, path, ask },
    /** Code and message. */
    async refused(query: string, request?: Parameters<typeof ask>[1]): Promise<string> {
      const { code, json } = await ask(query, request)
      return `${code} ${json?.message}`
    },
  }
}

const encode = encodeURIComponent
const valueForm =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

describe('parameters of lists', needsControlPlane, () => {
  test('E8: a label selector that makes no sense is refused in the words of Kubernetes', async (t) => {
    const { refused } = await scene(t)
    const table: [selector: string, message: string][] = [
      [',a', "found ',', expected: !, identifier, or 'end of string'"],
      ['a,', "found '', expected: identifier after ','"],
      ['a=b c', "found 'c', expected: ',' or 'end of string'"],
      ['!', "unable to parse requirement: found '', expected: identifier"],
      ['a in', "unable to parse requirement: found '' expected: '('"],
      ['a in (b,', "unable to parse requirement: found '', expected: ',', or identifier"],
      ['/a', 'unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty'],
      ['a in (ok,-no)', `unable to parse requirement: values[0][a]: Invalid value: "-no": ${valueForm}`],
      [
        'a>x',
        `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
      ],
    ]
    for (const [selector, message] of table)
      assert.equal(await refused(`labelSelector=${encode(selector)}`), `400 ${message}`, selector)
  })

  test('E8: a field selector that makes no sense is refused in the words of Kubernetes', async (t) => {
    const { refused, namespace } = await scene(t)
    const table: [selector: string, message: string][] = [
      ['foo', "invalid selector: 'foo'; can't understand 'foo'"],
      ['metadata.name=a=b', 'invalid field selector: unescaped character in value: 61'],
      ['metadata.name=\\x', 'invalid field selector: invalid escape sequence: \\x'],
      ['foo=b,bar=c', '"bar" is not a known field selector: only "metadata.name", "metadata.namespace"'],
    ]
    for (const [selector, message] of table)
      assert.equal(await refused(`fieldSelector=${encode(selector)}`), `400 ${message}`, selector)
    const secrets = { path: `/api/v1/namespaces/${namespace}/secrets` }
    assert.equal(await refused('fieldSelector=foo%3Da', secrets), '400 field label not supported: foo')
    const all = { path: '/api/v1/namespaces' }
    assert.equal(
      await refused('fieldSelector=metadata.namespace%3Da', all),
      '400 field label not supported: metadata.namespace',
    )
  })

  test('E8: numbers that are none are refused', async (t) => {
    const { refused } = await scene(t)
    assert.equal(await refused('limit=x'), '400 strconv.ParseInt: parsing "x": invalid syntax')
    assert.equal(await refused('limit='), '400 strconv.ParseInt: parsing "": invalid syntax')
    assert.equal(
      await refused('resourceVersion=x'),
      '400 invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
    )
  })

  test('E8: with a limit, a resourceVersion is meant exactly', async (t) => {
    const { maps, ask } = await scene(t)
    await maps.create(aConfigMap('a'))
    const { metadata } = await maps.create(aConfigMap('b'))
    await maps.create(aConfigMap('aa'))
    const { code, json } = await ask(`limit=2&resourceVersion=${metadata.resourceVersion}`)
    const names = json.items.map((item: { metadata: { name: string } }) => item.metadata.name)
    assert.deepEqual([code, names, json.metadata.resourceVersion], [200, ['a', 'b'], metadata.resourceVersion])
  })

  test('E8: a resourceVersion and a continue token exclude each other', async (t) => {
    const { maps, ask, refused } = await scene(t)
    await maps.create(aConfigMap('a'))
    await maps.create(aConfigMap('b'))
    const { json } = await ask('limit=1')
    assert.equal(
      await refused(`resourceVersion=5&continue=${json.metadata.continue}`),
      '400 specifying resource version is not allowed when using continue',
    )
  })

  test('E8: a continue token that is none is refused with the reason', async (t) => {
    const { refused } = await scene(t)
    const why = async (token: string) =>
      (await refused(`continue=${encode(token)}`)).replace(
        '400 invalid continue token: continue key is not valid: ',
        '',
      )
    assert.equal(await why('a b'), 'illegal base64 data at input byte 1')
    assert.equal(await why('e30'), 'server does not recognize this encoded version ')
  })

  test('E8: a get of a version that is yet to come is not answered with an older one', async (t) => {
    const { maps, path, ask } = await scene(t)
    await maps.create(aConfigMap('a'))
    const { code, json } = await ask('resourceVersion=999999999', { path: `${path}/a` })
    assert.deepEqual([code, json.details.causes[0].reason], [504, 'ResourceVersionTooLarge'])
  })
})

describe('parameters of watches', needsControlPlane, () => {
  test('E9: a selector that makes no sense is refused before the watch begins', async (t) => {
    const { refused } = await scene(t)
    assert.match(await refused(`watch=1&labelSelector=${encode('a b')}`), /^400 unable to parse requirement/)
    assert.match(await refused(`watch=1&fieldSelector=${encode('foo=b')}`), /^400 "foo" is not a known field selector/)
  })

  test('E9: whatever is said of watch is a yes, but for 0 and false', async (t) => {
    const { ask } = await scene(t)
    for (const query of ['watch', 'watch=', 'watch=yes'])
      assert.equal((await ask(`${query}&timeoutSeconds=1&labelSelector=none`)).text, '', query)
    for (const query of ['watch=0', 'watch=False']) assert.equal((await ask(query)).json.kind, 'ConfigMapList', query)
  })

  test('E9: all rules that are broken are told', async (t) => {
    const { refused } = await scene(t)
    assert.equal(
      await refused('watch=1&sendInitialEvents=true&resourceVersionMatch=Exact'),
      '422 ListOptions.meta.k8s.io "" is invalid: [resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]',
    )
  })
})

describe('parameters of writes', needsControlPlane, () => {
  test('E10: a dryRun that says nothing is refused, and nothing is written', async (t) => {
    const { maps, path, refused } = await scene(t)
    await maps.create(aConfigMap('a'))
    const body = { metadata: { name: 'b' } }
    const words = (kind: string) =>
      `422 ${kind}.meta.k8s.io "" is invalid: dryRun: Unsupported value: [""]: supported values: "All"`
    assert.equal(await refused('dryRun=', { method: 'POST', body }), words('CreateOptions'))
    assert.equal(await refused('dryRun=', { method: 'DELETE', path: `${path}/a` }), words('DeleteOptions'))
    assert.deepEqual([await maps.find('b'), (await maps.find('a'))?.metadata.name], [undefined, 'a'])
  })

  test('E10: a table whose rows are to carry what nobody knows is refused', async (t) => {
    const plane = await startControlPlane(t)
    const { code, json } = await rawRequest(plane, {
      path: '/api/v1/namespaces/default?includeObject=foo',
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    })
    assert.deepEqual(
      [code, json.message],
      [
        400,
        `Unable to convert to Table as requested: includeObject: Invalid value: "foo": must be 'Metadata', 'Object', 'None', or empty`,
      ],
    )
  })
})

describe('writes of many at once', needsControlPlane, () => {
  test('E6: a collection that several delete at once is deleted, and none of them fails', async (t) => {
    const { maps, ask } = await scene(t)
    await Promise.all(Array.from({ length: 10 }, (_, index) => maps.create(aConfigMap(`c-${index}`))))
    const answers = await Promise.all([0, 1, 2].map(() => ask('', { method: 'DELETE' })))
    assert.deepEqual(
      answers.map(({ code }) => code),
      [200, 200, 200],
    )
  })

  test('E7: of several that apply what is not there one makes it, and the others add to it', async (t) => {
    const { maps, path, ask } = await scene(t)
    const apply = (key: string) =>
      ask(`fieldManager=${key}`, {
        ...{ method: 'PATCH', path: `${path}/shared`, type: 'application/apply-patch+yaml' },
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shared' }, data: { [key]: key } },
      })
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map(apply))
    assert.deepEqual(answers.map(({ code }) => code).sort(), [200, 200, 200, 201])
    assert.deepEqual((await maps.get('shared')).data, { a: 'a', b: 'b', c: 'c', d: 'd' })
  })

  test('E6: of several that PUT what is not there one makes it, and the others replace it', async (t) => {
    const { namespace, ask } = await scene(t)
    const put = (by: string) =>
      ask('', {
        ...{ method: 'PUT', path: `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles/shared` },
        body: { metadata: { name: 'shared', labels: { by } }, rules: [] },
      })
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map(put))
    assert.deepEqual(answers.map(({ code }) => code).sort(), [200, 200, 200, 201])
  })
})
