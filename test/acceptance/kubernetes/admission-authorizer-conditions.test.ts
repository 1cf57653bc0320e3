/** What match conditions may ask the authorizer, and how often. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { configMaps } from '../../../src/kube/kinds.ts'
import { clientAs, grant } from '../../support/access-scene.ts'
import type { Hook } from '../../support/admission-hook.ts'
import { aConfigMapOf, admissionScene, denies, forCase, refusalOf } from '../../support/admission-hook.ts'
import { uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'

const asking = (name: string, ...expressions: string[]): Hook => ({
  name,
  ...forCase(name),
  matchConditions: expressions.map((expression, at) => ({ name: `condition-${at}`, expression })),
  decide: () => denies('asked'),
})

describe('the authorizer in match conditions', needsControlPlane, () => {
  test('E13: it tells of resources, paths, service accounts and the request itself', async (t) => {
    const { plane, admin, namespace, register } = await admissionScene(t)
    const jane = uniqueName('jane')
    const here = `namespace('${namespace}')`
    const pods = "authorizer.group('').resource('pods')"
    const widgets = "authorizer.group('example.com').resource('widgets')"
    const account = (name: string) => `authorizer.serviceAccount('${namespace}', '${name}')`
    const secrets = "group('').resource('secrets')"
    const truths = [
      `${pods}.subresource('log').${here}.check('get').allowed()`,
      `${widgets}.${here}.name('blue').check('use').allowed()`,
      `${pods}.${here}.fieldSelector('spec.nodeName=a').labelSelector('a in (b)').check('watch').allowed()`,
      "authorizer.path('/version').check('get').allowed()",
      `${account('builder')}.${secrets}.${here}.check('get').allowed()`,
      "authorizer.requestResource.check('create').allowed()",
      `${pods}.${here}.check('watch').reason().startsWith('RBAC: allowed by RoleBinding')`,
      `${pods}.${here}.check('watch').error() == ''`,
    ]
    const untruths = [
      `${pods}.${here}.check('get').allowed()`,
      `${pods}.subresource('log').check('get').allowed()`,
      `${widgets}.${here}.name('red').check('use').allowed()`,
      "authorizer.path('/metrics').check('get').allowed()",
      `${account('other')}.${secrets}.${here}.check('get').allowed()`,
      `${account('builder')}.path('/version').check('get').allowed()`,
      `authorizer.${secrets}.${here}.check('get').allowed()`,
      "authorizer.requestResource.check('delete').allowed()",
      "authorizer.requestResource.namespace('').check('create').allowed()",
      `${pods}.${here}.check('get').errored()`,
    ]
    const all = [...truths, ...untruths]
    await register(
      'validating',
      all.map((expression, at) => asking(`case-${at}`, expression)),
    )
    const builder = { kind: 'ServiceAccount', namespace, name: 'builder' }
    await grant(admin, namespace, [builder], { apiGroups: [''], resources: ['secrets'], verbs: ['get'] })
    await grant(
      admin,
      namespace,
      [jane],
      { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
      { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['watch'] },
      { apiGroups: ['example.com'], resources: ['widgets'], resourceNames: ['blue'], verbs: ['use'] },
    )
    const maps = (await clientAs(t, plane, jane)).of(configMaps, namespace)
    const isAsked = async (name: string) => {
      const { code, message } = await refusalOf(maps.create(aConfigMapOf(name), { dryRun: true }))
      return code === 200 ? false : /denied the request: asked$/.test(message) || message
    }
    await eventually('what was granted is known', async () => {
      const outcomes = await Promise.all(all.map((_, at) => isAsked(`case-${at}`)))
      assert.deepEqual(
        all.map((expression, at) => [expression, outcomes[at]]),
        all.map((expression, at) => [expression, at < truths.length]),
      )
      return true
    })
  })

  test('E13: an expression asks it twice at most, and all of a webhook seven times', async (t) => {
    const { admin, namespace, register } = await admissionScene(t)
    const check = (path: string | number) => `authorizer.path('/${path}').check('get').allowed()`
    const times = (count: number) => Array.from({ length: count }, (_, at) => check(at))
    const thrice = `${times(3).join(' && ')} || true`
    await register('validating', [
      asking('two', times(2).join(' && ')),
      asking('three', thrice),
      { ...asking('three-ignored', thrice), failurePolicy: 'Ignore' },
      asking('three-unasked', `true || ${thrice}`),
      asking('seven', ...times(7)),
      asking('eight', ...times(8), 'false'),
    ])
    const maps = admin.of(configMaps, namespace)
    const told = async (name: string) => (await refusalOf(maps.create(aConfigMapOf(name), { dryRun: true }))).message
    const isForbidden = (name: string) => `configmaps "${name}" is forbidden: `
    for (const name of ['two', 'three-unasked', 'seven']) assert.match(await told(name), /denied the request: asked$/)
    const cancelled = 'resulted in error: operation cancelled: actual cost limit exceeded'
    assert.equal(await told('three'), `${isForbidden('three')}expression '${thrice}' ${cancelled}`)
    assert.equal(await told('three-ignored'), 'it was allowed')
    const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run'
    assert.equal(await told('eight'), isForbidden('eight') + outOfBudget)
  })

  test('E13: a question that makes no sense follows the failure policy', async (t) => {
    const { admin, namespace, register } = await admissionScene(t)
    const nonsense: Record<string, string> = {
      "authorizer.path(' ').check('get').allowed()": 'path must not be empty',
      "authorizer.group('').resource('').check('get').allowed()": 'resource must not be empty',
      "authorizer.serviceAccount('a', 'B').path('/').check('get').allowed()": 'Invalid service account name',
      "authorizer.serviceAccount('a.b', 'b').path('/').check('get').allowed()": 'Invalid service account namespace',
    }
    const expressions = Object.keys(nonsense)
    await register('validating', [
      ...expressions.map((expression, at) => asking(`fail-${at}`, expression)),
      ...expressions.map((expression, at) => ({ ...asking(`ignore-${at}`, expression), failurePolicy: 'Ignore' })),
    ])
    const maps = admin.of(configMaps, namespace)
    for (const [at, expression] of expressions.entries()) {
      const { message } = await refusalOf(maps.create(aConfigMapOf(`fail-${at}`), { dryRun: true }))
      const words = `expression '${expression}' resulted in error: ${nonsense[expression]}`
      assert.equal(message, `configmaps "fail-${at}" is forbidden: ${words}`)
      assert.ok(await maps.create(aConfigMapOf(`ignore-${at}`), { dryRun: true }))
    }
  })

  test('E13: a question that it does not know is refused with its configuration', async (t) => {
    const { register } = await admissionScene(t)
    const inAuthorization = (type: string) => `kubernetes.authorization.${type}`
    const refused: Record<string, string> = {
      "authorizer.may('get')": "undeclared reference to 'may' (in container '')",
      "authorizer.group('').check('get').allowed()": `found no matching overload for 'check' applied to '${inAuthorization('GroupCheck')}.(string)'`,
      "authorizer.path('/').check(1).allowed()": `found no matching overload for 'check' applied to '${inAuthorization('PathCheck')}.(int)'`,
      'authorizer.user == 1': `unexpected failed resolution of '${inAuthorization('Authorizer')}'`,
      'has(authorizer.requestResource)': `unexpected failed resolution of '${inAuthorization('Authorizer')}'`,
      "authorizer.serviceAccount('a', 'b').requestResource.check('get').allowed()": `unexpected failed resolution of '${inAuthorization('Authorizer')}'`,
    }
    for (const [expression, why] of Object.entries(refused)) {
      const { code, message } = await refusalOf(register('validating', [asking('bad', expression)]))
      assert.equal(code, 422)
      assert.match(message, /: compilation failed: ERROR: <input>:1:\d+: /)
      assert.equal(/<input>:1:\d+: (.*)/.exec(message)?.[1], why)
    }
    const decision = "authorizer.path('/').check('get')"
    const { message } = await refusalOf(register('validating', [asking('bad', decision)]))
    assert.ok(message.endsWith(`must evaluate to bool but got ${inAuthorization('Decision')}`), message)
  })
})
