/** admissionregistration.k8s.io/v1: what a webhook configuration may say. What comes of it is tested elsewhere. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from '../../../src/kube/kinds.ts'
import { uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { aMutatingConfiguration, aValidatingConfiguration, aWebhook } from '../../support/kind-samples.ts'
import { base64, clusterWide, kindScene, whyInvalid } from '../../support/kind-scene.ts'

const [rule] = aWebhook.rules

/** Why a webhook like the sample, but for this, is refused; both kinds must say the same. */
async function why(t: TestContext, change: object): Promise<string> {
  const { kube } = await kindScene(t)
  const webhook = { ...aWebhook, ...change }
  const dryRun = { dryRun: true }
  const [validating, mutating] = [
    await whyInvalid(kube.of(validatingWebhookConfigurations).create(aValidatingConfiguration('a', webhook), dryRun)),
    await whyInvalid(kube.of(mutatingWebhookConfigurations).create(aMutatingConfiguration('a', webhook), dryRun)),
  ]
  assert.equal(mutating, validating)
  return validating.replaceAll('webhooks[0].', '')
}

describe('webhook configurations', needsControlPlane, () => {
  test('E13: a webhook configuration is filled in', async (t) => {
    const { kube } = await kindScene(t)
    const service = { namespace: 'here', name: 'hook' }
    const webhook = { ...aWebhook, clientConfig: { service } }
    const filled = {
      ...webhook,
      clientConfig: { service: { ...service, port: 443 } },
      rules: [{ ...rule, scope: '*' }],
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      timeoutSeconds: 10,
    }
    const name = uniqueName('defaults')
    const validating = await clusterWide(
      t,
      kube.of(validatingWebhookConfigurations),
      aValidatingConfiguration(name, webhook),
    )
    assert.deepEqual(validating.webhooks, [filled])
    const mutating = await clusterWide(t, kube.of(mutatingWebhookConfigurations), aMutatingConfiguration(name, webhook))
    assert.deepEqual(mutating.webhooks, [{ ...filled, reinvocationPolicy: 'Never' }])
  })

  test('E13: names of webhooks are domains of three parts, each once', async (t) => {
    assert.equal(await why(t, { name: '' }), 'name: Required value')
    assert.equal(
      await why(t, { name: 'example.com' }),
      'name: Invalid value: "example.com": should be a domain with at least three segments separated by dots',
    )
    assert.match(await why(t, { name: 'A b' }), /^name: Invalid value: "A b": a lowercase RFC 1123 subdomain/)
    const { kube } = await kindScene(t)
    const twice = aValidatingConfiguration('a', aWebhook, aWebhook)
    assert.equal(
      await whyInvalid(kube.of(validatingWebhookConfigurations).create(twice, { dryRun: true })),
      `webhooks[1].name: Duplicate value: "${aWebhook.name}"`,
    )
  })

  test('E13: a webhook says that it has no side effects', async (t) => {
    assert.equal(
      await why(t, { sideEffects: undefined }),
      'sideEffects: Required value: must specify one of None, NoneOnDryRun',
    )
    assert.equal(
      await why(t, { sideEffects: 'Some' }),
      'sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
    )
  })

  test('E13: a webhook reads a version of reviews that there is', async (t) => {
    const path = 'admissionReviewVersions'
    assert.equal(await why(t, { [path]: [] }), `${path}: Required value: must specify one of v1, v1beta1`)
    assert.equal(
      await why(t, { [path]: ['v2', 'v2'] }),
      `[${path}[1]: Invalid value: "v2": duplicate version, ${path}: Invalid value: ["v2","v2"]: must include at least one of v1, v1beta1]`,
    )
    assert.match(
      await why(t, { [path]: ['v1', 'V'] }),
      /^admissionReviewVersions\[1\]: Invalid value: "V": a DNS-1035 label must/,
    )
  })

  test('E13: a webhook is reached by a URL or as a service', async (t) => {
    const service = { name: 'a', namespace: 'b' }
    const one = 'clientConfig: Required value: exactly one of url or service is required'
    assert.equal(await why(t, { clientConfig: {} }), one)
    assert.equal(await why(t, { clientConfig: { url: 'https://a', service } }), one)
  })

  test('E13: the URL of a webhook is https and nothing but host and path', async (t) => {
    const url = async (text: string) => await why(t, { clientConfig: { url: text } })
    const form = 'desired format: https://host[/path]'
    assert.equal(
      await url('http://a'),
      `clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; ${form}`,
    )
    assert.equal(await url('https://'), `clientConfig.url: Invalid value: "": host must be specified; ${form}`)
    assert.equal(
      await url('https://u:p@a'),
      'clientConfig.url: Invalid value: "u:p": user information is not permitted in the URL',
    )
    assert.equal(
      await url('https://a/#b'),
      'clientConfig.url: Invalid value: "b": fragments are not permitted in the URL',
    )
    assert.equal(
      await url('https://a/?b=c'),
      'clientConfig.url: Invalid value: "b=c": query parameters are not permitted in the URL',
    )
  })

  test('E13: the service of a webhook has a name, a namespace, a port and a path', async (t) => {
    const about = async (service: object) =>
      await why(t, { clientConfig: { service: { name: 'a', namespace: 'b', ...service } } })
    const path = 'clientConfig.service'
    // It is the other one that is missing, and the real one says so, too.
    assert.equal(await about({ name: '' }), `${path}.namespace: Required value`)
    assert.equal(await about({ namespace: '' }), `${path}.name: Required value`)
    assert.equal(
      await about({ port: 0 }),
      `${path}.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive`,
    )
    assert.equal(await about({ path: '/a//b' }), `${path}.path: Invalid value: "/a//b": segment[1] may not be empty`)
    assert.match(
      await about({ path: '/A' }),
      /^clientConfig\.service\.path: Invalid value: "\/A": segment\[0\]: a lowercase RFC 1123 subdomain/,
    )
  })

  test('E13: the CA of a webhook is not looked into before it is used', async (t) => {
    const { kube } = await kindScene(t)
    const clientConfig = { url: 'https://a', caBundle: base64('not PEM') }
    const configuration = aValidatingConfiguration('a', { ...aWebhook, clientConfig })
    const created = await kube.of(validatingWebhookConfigurations).create(configuration, { dryRun: true })
    assert.equal(created.webhooks?.[0]?.clientConfig.caBundle, clientConfig.caBundle)
  })

  test('E13: rules of a webhook name something, or everything alone', async (t) => {
    const about = async (change: object) =>
      (await why(t, { rules: [{ ...rule, ...change }] })).replaceAll('rules[0].', '')
    assert.equal(
      await about({ operations: [], apiGroups: [], apiVersions: [], resources: [] }),
      '[operations: Required value, apiGroups: Required value, apiVersions: Required value, resources: Required value]',
    )
    assert.equal(
      await about({ operations: ['*', 'MOVE'] }),
      `[operations: Invalid value: ["*","MOVE"]: if '*' is present, must not specify other operations, operations[1]: Unsupported value: "MOVE": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"]`,
    )
    assert.equal(
      await about({ apiGroups: ['*', 'a'] }),
      `apiGroups: Invalid value: ["*","a"]: if '*' is present, must not specify other API groups`,
    )
    assert.equal(
      await about({ apiVersions: ['*', ''] }),
      `[apiVersions: Invalid value: ["*",""]: if '*' is present, must not specify other API versions, apiVersions[1]: Required value]`,
    )
    assert.equal(
      await about({ scope: 'Odd' }),
      'scope: Unsupported value: "Odd": supported values: "*", "Cluster", "Namespaced"',
    )
  })

  test('E13: resources of a webhook do not name twice what is named already', async (t) => {
    const about = async (...resources: string[]) =>
      (await why(t, { rules: [{ ...rule, resources }] })).replaceAll('rules[0].resources', '')
    assert.equal(await about('a/*', 'a/b'), `[1]: Invalid value: "a/b": if 'a/*' is present, must not specify a/b`)
    assert.equal(await about('*/b', 'a/b'), `[1]: Invalid value: "a/b": if '*/b' is present, must not specify a/b`)
    assert.equal(
      await about('*/*', 'a'),
      `: Invalid value: ["*/*","a"]: if '*/*' is present, must not specify other resources`,
    )
    assert.equal(
      await about('*', 'a'),
      `: Invalid value: ["*","a"]: if '*' is present, must not specify other resources without subresources`,
    )
  })

  test('E13: a webhook has a policy, selectors and a timeout that can be', async (t) => {
    assert.equal(
      await why(t, { failurePolicy: 'Odd', matchPolicy: 'Odd' }),
      '[failurePolicy: Unsupported value: "Odd": supported values: "Fail", "Ignore", matchPolicy: Unsupported value: "Odd": supported values: "Equivalent", "Exact"]',
    )
    const timeout = (seconds: number) =>
      `timeoutSeconds: Invalid value: ${seconds}: the timeout value must be between 1 and 30 seconds`
    assert.equal(await why(t, { timeoutSeconds: 0 }), timeout(0))
    assert.equal(await why(t, { timeoutSeconds: 31 }), timeout(31))
    const broken = { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] }
    const told = (path: string) =>
      `${path}.matchExpressions[0].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`
    assert.equal(
      await why(t, { namespaceSelector: broken, objectSelector: broken }),
      `[${told('namespaceSelector')}, ${told('objectSelector')}]`,
    )
    const { kube } = await kindScene(t)
    const odd = aMutatingConfiguration('a', { ...aWebhook, reinvocationPolicy: 'Odd' })
    assert.equal(
      await whyInvalid(kube.of(mutatingWebhookConfigurations).create(odd, { dryRun: true })),
      'webhooks[0].reinvocationPolicy: Unsupported value: "Odd": supported values: "IfNeeded", "Never"',
    )
  })

  test('E13: matchConditions are named expressions of CEL that come to true or false', async (t) => {
    const about = async (...matchConditions: object[]) =>
      (await why(t, { matchConditions })).replaceAll('matchConditions', '')
    assert.equal(await about({}), '[[0].expression: Required value, [0].name: Required value]')
    assert.match(
      await about({ name: 'a b', expression: 'true' }),
      /^\[0\]\.name: Invalid value: "a b": name part must consist/,
    )
    const good = { name: 'same', expression: 'true' }
    assert.equal(await about(good, good), '[1].name: Duplicate value: "same"')
    assert.match(
      await about({ name: 'a', expression: 'nobody.knows' }),
      /^\[0\]\.expression: Invalid value: "nobody\.knows": compilation failed: ERROR: <input>:1:1: undeclared reference to 'nobody' \(in container ''\)/,
    )
    assert.equal(
      await about({ name: 'a', expression: '1 + 1' }),
      '[0].expression: Invalid value: "1 + 1": must evaluate to bool but got int',
    )
    assert.match(
      await about({ name: 'a', expression: 'object.' }),
      /^\[0\]\.expression: Invalid value: "object\.": compilation failed: ERROR: <input>:1:8: Syntax error: /,
    )
    const many = Array.from({ length: 65 }, (_, index) => ({ name: `n${index}`, expression: 'true' }))
    assert.equal(await about(...many), ': Too many: 65: must have at most 64 items')
  })

  const accepts = async (t: TestContext, ...expressions: string[]) => {
    const { kube } = await kindScene(t)
    const matchConditions = expressions.map((expression, index) => ({ name: `n${index}`, expression }))
    const configuration = aValidatingConfiguration('a', { ...aWebhook, matchConditions })
    const created = await kube.of(validatingWebhookConfigurations).create(configuration, { dryRun: true })
    assert.deepEqual(created.webhooks?.[0]?.matchConditions, matchConditions)
  }

  test('E13: matchConditions may speak of object, oldObject and request', async (t) => {
    await accepts(t, 'object.metadata.name == "a"', 'oldObject == null', 'request.operation == "CREATE"')
  })

  test('E13: matchConditions may ask the authorizer', async (t) => {
    await accepts(t, 'authorizer.group("").resource("pods").check("get").allowed()')
  })

  test('E13: a webhook configuration is replaced only by who knows its version', async (t) => {
    const { kube } = await kindScene(t)
    const collection = kube.of(validatingWebhookConfigurations)
    const name = uniqueName('version')
    await clusterWide(t, collection, aValidatingConfiguration(name, aWebhook))
    assert.equal(
      await whyInvalid(collection.update(aValidatingConfiguration(name))),
      'metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    )
  })
})
