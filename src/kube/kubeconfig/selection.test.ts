import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseKubeconfig } from './kubeconfig.ts'
import { selectContext } from './selection.ts'
import { failureOf } from './testing/fixtures.ts'

const config = parseKubeconfig(
  `
current-context: west
clusters: [{name: a, cluster: {server: https://a}}]
users: [{name: u, user: {token: t}}]
contexts:
- {name: west, context: {cluster: a, user: u, namespace: fleet}}
- {name: east, context: {cluster: a}}
- {name: lost, context: {cluster: x, user: u}}
- {name: nobody, context: {cluster: a, user: v}}
- {name: empty, context: {}}
- {name: odd, context: {cluster: a, namespace: "../kube-system"}}
`,
  { file: '/c' },
)
const select = (name?: string) => selectContext(config, name, '/c')
const problemOf = async (name: string) => (await failureOf(() => select(name), 'KUBECONFIG_INVALID')).message

test('without a name the current context is taken', () => {
  const { context, namespace, cluster, user } = select()
  assert.deepEqual([context, namespace, cluster.name, user?.name], ['west', 'fleet', 'a', 'u'])
})

test('a context that names no user is anonymous, one that names no namespace is in default', () => {
  const { context, namespace, user } = select('east')
  assert.deepEqual([context, namespace, user], ['east', 'default', undefined])
})

test('a reference to nothing names the field that holds it', async () => {
  assert.equal(await problemOf('lost'), '/c: contexts[2].context.cluster: no cluster named "x"')
  assert.equal(await problemOf('nobody'), '/c: contexts[3].context.user: no user named "v"')
  assert.equal(await problemOf('empty'), '/c: contexts[4].context.cluster: is missing')
  assert.match(await problemOf('odd'), /^\/c: contexts\[5\]\.context\.namespace: /)
})

test('a name that is not there is answered with those that are', async () => {
  const failure = await failureOf(() => select('north'), 'KUBECONFIG_UNKNOWN_CONTEXT')
  assert.match(failure.message, /no context named "north"; pass --context NAME \(there is west, east, /)
})

test('names are compared whole', async () => {
  await failureOf(() => select('wes'), 'KUBECONFIG_UNKNOWN_CONTEXT')
})

test('without a current context one has to be named', async () => {
  const { currentContext, ...rest } = config
  const failure = await failureOf(() => selectContext(rest, undefined, '/c'), 'KUBECONFIG_NO_CONTEXT')
  assert.match(failure.message, /--context NAME/)
})
