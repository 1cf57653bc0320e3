/** Who did what, written down as a policy wants it. */
import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { stringify } from 'yaml'
import { AuditScene } from '../../support/audit-scene.ts'
import { aConfigMap, aNamespace, aSecret, uniqueName } from '../../support/builders.ts'
import { aCanary, assertNoCanary } from '../../support/canary.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { launchControlPlane, needsControlPlane, startControlPlane } from '../../support/control-plane.ts'

const policyOf = (fields: object): string => stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', ...fields })

const complete = { omitStages: ['RequestReceived'] }

/** Users are named after what is written down of them. */
const policy = policyOf({
  rules: [
    { level: 'None', users: ['system:apiserver'] },
    { level: 'Metadata', users: ['metadata'] },
    { level: 'Request', users: ['request'], ...complete },
    { level: 'RequestResponse', users: ['everything'], ...complete },
    { level: 'Metadata', users: ['end-only'], omitStages: ['RequestReceived', 'ResponseStarted'] },
    { level: 'RequestResponse', users: ['unmanaged'], ...complete, omitManagedFields: true },
    { level: 'Metadata', userGroups: ['watched'], ...complete },
    { level: 'Metadata', users: ['creator'], verbs: ['create'], ...complete },
    { level: 'Metadata', users: ['spaced'], namespaces: ['kube-system'], ...complete },
    { level: 'Metadata', users: ['spaceless'], namespaces: [''], ...complete },
    {
      level: 'Metadata',
      users: ['picky'],
      resources: [
        { group: 'apps' },
        { group: '', resources: ['configmaps', 'serviceaccounts/*', '*/status'] },
        { group: 'coordination.k8s.io', resources: ['leases'], resourceNames: ['mine'] },
      ],
      ...complete,
    },
    { level: 'Metadata', users: ['whole-group'], resources: [{ group: '', resources: ['*'] }], ...complete },
    { level: 'Metadata', users: ['pathfinder'], nonResourceURLs: ['/version', '/livez*'], ...complete },
    { level: 'None', users: ['twice'] },
    { level: 'Metadata', users: ['twice'] },
    { level: 'Metadata', verbs: ['list'], resources: [{ group: '', resources: ['endpoints', 'limitranges'] }] },
  ],
})

const inDefault = '/api/v1/namespaces/default'

describe('the audit log', needsControlPlane, () => {
  let plane: OwnControlPlane
  let scene: AuditScene
  before(async () => {
    plane = await launchControlPlane({ controllers: false, auditPolicy: policy })
    scene = new AuditScene(plane)
    await scene.ask({ method: 'POST', path: '/api/v1/namespaces', body: aNamespace('kube-system') })
  })
  after(() => plane?.stop())

  /** Whether a request leaves a trace. */
  const isTold = async (asking: Parameters<AuditScene['ask']>[0]): Promise<boolean> =>
    (await scene.eventsSoFar(await scene.ask(asking), { as: 'metadata', path: '/version' })).length > 0

  test('E19: an event tells who asked for what, from where, with which client, and how it ended', async () => {
    const { metadata } = aConfigMap()
    const path = `${inDefault}/configmaps/${metadata.name}?pretty=false`
    const answer = await scene.ask({ as: 'metadata', path, headers: { 'user-agent': 'test/1.0 (<odd>)' } })
    const events = await scene.eventsOf(answer)
    const [event] = events.slice(-1)
    assert.ok(event)
    const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/
    const { requestReceivedTimestamp, stageTimestamp, user, ...told } = event
    assert.match(requestReceivedTimestamp, time)
    assert.match(stageTimestamp, time)
    assert.ok(requestReceivedTimestamp <= stageTimestamp)
    assert.deepEqual([user.username, user.groups], ['metadata', ['system:masters', 'system:authenticated']])
    assert.match(user.extra?.['authentication.kubernetes.io/credential-id']?.[0] ?? '', /^X509SHA256=[0-9a-f]{64}$/)
    const details = { name: metadata.name, kind: 'configmaps' }
    assert.deepEqual(told, {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'Metadata',
      auditID: answer.headers['audit-id'],
      stage: 'ResponseComplete',
      requestURI: path,
      verb: 'get',
      sourceIPs: ['127.0.0.1'],
      userAgent: 'test/1.0 (<odd>)',
      objectRef: { resource: 'configmaps', namespace: 'default', name: metadata.name, apiVersion: 'v1' },
      responseStatus: {
        metadata: {},
        status: 'Failure',
        message: `configmaps "${metadata.name}" not found`,
        reason: 'NotFound',
        details,
        code: 404,
      },
      annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' },
    })
  })

  test('E19: the log is a file of JSON lines that is for its owner alone', async () => {
    await scene.eventsOf(await scene.ask({ as: 'metadata', path: '/version' }))
    const path = join(plane.dir, 'audit.log')
    assert.equal(statSync(path).mode & 0o777, 0o600)
    const [line] = readFileSync(path, 'utf8').split('\n')
    assert.match(line ?? '', /^\{"kind":"Event","apiVersion":"audit\.k8s\.io\/v1","level":"[A-Z]/)
  })

  test('E19: a request is written down when it has arrived, and again when it is answered', async () => {
    const events = await scene.eventsOf(await scene.ask({ as: 'metadata', path: '/version' }))
    assert.deepEqual(
      events.map(({ stage, responseStatus, annotations }) => [stage, responseStatus?.code, annotations !== undefined]),
      [
        ['RequestReceived', undefined, false],
        ['ResponseComplete', 200, true],
      ],
    )
    assert.equal(events[0]?.requestReceivedTimestamp, events[0]?.stageTimestamp)
  })

  test('E19: a watch is written down when it begins and when it ends', async (t) => {
    const watched = await scene.watch(t, { as: 'metadata', path: `${inDefault}/configmaps?watch=1` })
    const told = async (last: string) =>
      (await scene.eventsOf(watched, last)).map(({ stage, verb, responseStatus }) => [
        stage,
        verb,
        responseStatus?.code,
      ])
    const begun = [
      ['RequestReceived', 'watch', undefined],
      ['ResponseStarted', 'watch', 200],
    ]
    assert.deepEqual(await told('ResponseStarted'), begun)
    watched.hangUp()
    assert.deepEqual(await told('ResponseComplete'), [...begun, ['ResponseComplete', 'watch', 200]])
  })

  test('E19: metadata tell which object was written, and not what is in it', async () => {
    const config = aConfigMap(undefined, { key: 'value' })
    const created = await scene.ask({ as: 'metadata', method: 'POST', path: `${inDefault}/configmaps`, body: config })
    const [arrived, made] = await scene.eventsOf(created)
    const ref = { resource: 'configmaps', namespace: 'default', apiVersion: 'v1' }
    assert.deepEqual(arrived?.objectRef, ref)
    assert.deepEqual(made?.objectRef, { ...ref, name: config.metadata.name })
    assert.deepEqual([made?.requestObject, made?.responseObject], [undefined, undefined])
    const { uid, resourceVersion } = created.json.metadata
    const path = `${inDefault}/configmaps/${config.metadata.name}`
    const updated = await scene.ask({ as: 'metadata', method: 'PUT', path, body: created.json })
    const [, changed] = await scene.eventsOf(updated)
    assert.deepEqual(changed?.objectRef, { ...ref, name: config.metadata.name, uid, resourceVersion })
  })

  test('E19: the level Request holds what was sent, with its defaults, and not the answer', async () => {
    const metadata = { name: uniqueName('binding') }
    const body = { metadata, subjects: [{ kind: 'User', name: 'bob' }], roleRef: { kind: 'Role', name: 'reader' } }
    const path = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings'
    const [event] = await scene.eventsOf(await scene.ask({ as: 'request', method: 'POST', path, body }))
    const apiGroup = 'rbac.authorization.k8s.io'
    assert.deepEqual(event?.requestObject, {
      kind: 'RoleBinding',
      apiVersion: `${apiGroup}/v1`,
      metadata,
      subjects: [{ kind: 'User', apiGroup, name: 'bob' }],
      roleRef: { apiGroup, kind: 'Role', name: 'reader' },
    })
    assert.deepEqual([event?.level, event?.responseObject], ['Request', undefined])
  })

  test('E19: the level RequestResponse holds what was sent and the answer', async () => {
    const config = aConfigMap(undefined, { key: '<value>' })
    const created = await scene.ask({ as: 'everything', method: 'POST', path: `${inDefault}/configmaps`, body: config })
    const [event] = await scene.eventsOf(created)
    assert.deepEqual(event?.requestObject, config)
    assert.deepEqual(event?.responseObject, created.json)
    const listed = await scene.ask({ as: 'everything', path: `${inDefault}/configmaps?limit=2` })
    assert.deepEqual((await scene.eventsOf(listed))[0]?.responseObject, listed.json)
    const failed = await scene.ask({ as: 'everything', path: `${inDefault}/configmaps/nowhere` })
    assert.deepEqual((await scene.eventsOf(failed))[0]?.responseObject, failed.json)
  })

  test('E19: of a patch the log holds the patch, of a delete its options', async () => {
    const config = aConfigMap()
    await scene.ask({ method: 'POST', path: `${inDefault}/configmaps`, body: config })
    const path = `${inDefault}/configmaps/${config.metadata.name}`
    const patch = { data: { key: 'value' } }
    const headers = { 'content-type': 'application/merge-patch+json' }
    const patched = await scene.ask({ as: 'request', method: 'PATCH', path, headers, body: patch })
    assert.deepEqual((await scene.eventsOf(patched))[0]?.requestObject, patch)
    const operations = [{ op: 'remove', path: '/data/key' }]
    const jsonPatch = { 'content-type': 'application/json-patch+json' }
    const changed = await scene.ask({ as: 'request', method: 'PATCH', path, headers: jsonPatch, body: operations })
    assert.deepEqual((await scene.eventsOf(changed))[0]?.requestObject, operations)
    const options = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' }
    const removed = await scene.ask({ as: 'request', method: 'DELETE', path, body: options })
    const [event] = await scene.eventsOf(removed)
    assert.equal(event?.requestObject.propagationPolicy, 'Background')
    assert.deepEqual([event?.responseStatus?.status, event?.responseStatus?.code], ['Success', 200])
  })

  test('E19: the ID of an event is the Audit-Id of the answer, and the one of the client where it brings one', async () => {
    const own = uniqueName('my-own')
    const answer = await scene.ask({ as: 'metadata', path: '/version', headers: { 'audit-id': own } })
    assert.equal(answer.headers['audit-id'], own)
    assert.equal((await scene.eventsOf(answer)).length, 2)
    const [one, other] = [await scene.ask({ path: '/version' }), await scene.ask({ path: '/version' })]
    assert.match(String(one.headers['audit-id']), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    assert.notEqual(one.headers['audit-id'], other.headers['audit-id'])
  })

  test('E19: an event tells the addresses that the request was forwarded for, and shortens a long client name', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.1, nonsense, 2001:DB8::1', 'x-real-ip': '192.0.2.9' }
    const [event] = await scene.eventsOf(await scene.ask({ as: 'end-only', path: '/version', headers }))
    assert.deepEqual(event?.sourceIPs, ['192.0.2.1', '2001:db8::1', '192.0.2.9', '127.0.0.1'])
    const agent = { 'user-agent': 'x'.repeat(2_000) }
    const [long] = await scene.eventsOf(await scene.ask({ as: 'end-only', path: '/version', headers: agent }))
    assert.equal(long?.userAgent, `${'x'.repeat(1_024)}...TRUNCATED`)
  })

  test('E19: an event tells who allowed or forbade it, and why', async () => {
    const decisionOf = async (path: string) => {
      const [event] = await scene.eventsOf(await scene.ask({ as: ['jane', 'watched'], path }))
      return [
        event?.annotations?.['authorization.k8s.io/decision'],
        event?.annotations?.['authorization.k8s.io/reason'],
      ]
    }
    assert.deepEqual(await decisionOf(`${inDefault}/secrets/keys`), ['forbid', ''])
    const [decision, reason = ''] = await decisionOf('/api')
    assert.equal(decision, 'allow')
    assert.match(
      reason,
      /^RBAC: allowed by ClusterRoleBinding "[\w:-]+" of ClusterRole "[\w:-]+" to Group "system:authenticated"$/,
    )
  })

  test('E19: an event tells both who asked and as whom', async () => {
    const headers = {
      'impersonate-user': 'bob',
      'impersonate-uid': 'u-1',
      'impersonate-group': 'dev',
      'impersonate-extra-acme.io%2fteam': 'blue',
    }
    const [event] = await scene.eventsOf(await scene.ask({ as: 'everything', path: '/version', headers }))
    assert.equal(event?.user.username, 'everything')
    assert.deepEqual(event?.impersonatedUser, {
      username: 'bob',
      uid: 'u-1',
      groups: ['dev', 'system:authenticated'],
      extra: { 'acme.io/team': ['blue'] },
    })
    assert.deepEqual(event?.authenticationMetadata, { impersonationConstraint: 'impersonate:user-info' })
    const powerful = { 'impersonate-user': 'bob', 'impersonate-group': 'system:masters' }
    const [other] = await scene.eventsOf(await scene.ask({ as: 'everything', path: '/version', headers: powerful }))
    assert.equal(other?.impersonatedUser?.username, 'bob')
    assert.equal(other?.authenticationMetadata, undefined)
  })

  test('E19: an attempt to act as somebody else that is refused is written down without that other', async () => {
    const path = `${inDefault}/configmaps/x`
    const answer = await scene.ask({ as: ['jane', 'watched'], path, headers: { 'impersonate-user': 'bob' } })
    const [event] = await scene.eventsOf(answer)
    assert.deepEqual(
      [event?.user.username, event?.impersonatedUser, event?.responseStatus?.code, event?.annotations],
      ['jane', undefined, 403, undefined],
    )
  })

  test('E19: whoever shows no good credentials is written down without a name', async () => {
    const authorization = 'Bearer not-a-token'
    const answer = await scene.ask({ as: null, path: `${inDefault}/endpoints`, headers: { authorization } })
    assert.equal(answer.code, 401)
    const events = await scene.eventsOf(answer, 'ResponseStarted')
    assert.deepEqual(
      events.map(({ stage, user, responseStatus, annotations }) => [stage, user, responseStatus?.code, annotations]),
      [['ResponseStarted', {}, 401, undefined]],
    )
    const stranger = await scene.ask({ as: null, path: `${inDefault}/limitranges` })
    const [, event] = await scene.eventsOf(stranger)
    assert.deepEqual(event?.user, { username: 'system:anonymous', groups: ['system:unauthenticated'] })
  })

  test('E19: the first rule that matches decides, and what none matches is not written down', async () => {
    assert.equal(await isTold({ as: 'twice', path: '/version' }), false)
    assert.equal(await isTold({ as: 'nobody-in-particular', path: '/version' }), false)
    assert.equal(await isTold({ as: 'metadata', path: '/version' }), true)
  })

  test('E19: a rule is for some groups, or for some verbs', async () => {
    assert.equal(await isTold({ as: ['joe', 'other', 'watched'], path: '/version' }), true)
    assert.equal(await isTold({ as: ['joe', 'other'], path: '/version' }), false)
    const path = `${inDefault}/configmaps`
    assert.equal(await isTold({ as: 'creator', path }), false)
    assert.equal(await isTold({ as: 'creator', path, method: 'POST', body: aConfigMap() }), true)
  })

  test('E19: a rule is for some namespaces, or for what has none', async () => {
    const as = 'spaced'
    assert.equal(await isTold({ as, path: '/api/v1/namespaces/kube-system/configmaps' }), true)
    assert.equal(await isTold({ as, path: `${inDefault}/configmaps` }), false)
    assert.equal(await isTold({ as, path: '/api/v1/configmaps' }), false)
    assert.equal(await isTold({ as, path: '/version' }), false)
    assert.equal(await isTold({ as: 'spaceless', path: '/api/v1/nodes' }), true)
    assert.equal(await isTold({ as: 'spaceless', path: `${inDefault}/configmaps` }), false)
  })

  test('E19: a rule is for some resources, their subresources, or some objects by name', async () => {
    const told: Record<string, boolean> = {
      '/apis/apps/v1/deployments': true,
      [`${inDefault}/configmaps`]: true,
      [`${inDefault}/configmaps/x`]: true,
      [`${inDefault}/pods`]: false,
      [`${inDefault}/pods/x/status`]: true,
      [`${inDefault}/pods/x/log`]: false,
      [`${inDefault}/serviceaccounts/x/token`]: true,
      '/apis/coordination.k8s.io/v1/namespaces/default/leases/mine': true,
      '/apis/coordination.k8s.io/v1/namespaces/default/leases/yours': false,
      '/apis/coordination.k8s.io/v1/namespaces/default/leases': false,
      '/version': false,
    }
    for (const [path, isExpected] of Object.entries(told))
      assert.equal(await isTold({ as: 'picky', path }), isExpected, path)
    assert.equal(await isTold({ as: 'whole-group', path: `${inDefault}/pods/x/status` }), true)
    assert.equal(await isTold({ as: 'whole-group', path: '/apis/apps/v1/deployments' }), false)
  })

  test('E19: a rule is for some paths, by their whole or their beginning', async () => {
    assert.equal(await isTold({ as: 'pathfinder', path: '/version' }), true)
    assert.equal(await isTold({ as: 'pathfinder', path: '/livez/ping' }), true)
    assert.equal(await isTold({ as: 'pathfinder', path: '/readyz' }), false)
    assert.equal(await isTold({ as: 'pathfinder', path: `${inDefault}/configmaps` }), false)
  })

  test('E19: a rule leaves stages out', async () => {
    const path = `${inDefault}/configmaps?watch=1&timeoutSeconds=1`
    const events = await scene.eventsOf(await scene.ask({ as: 'end-only', path }))
    assert.deepEqual(
      events.map(({ stage }) => stage),
      ['ResponseComplete'],
    )
  })

  test('E19: a rule leaves out who owns which fields', async () => {
    const config = aConfigMap(undefined, { key: 'value' })
    const path = `${inDefault}/configmaps`
    const created = await scene.ask({ as: 'unmanaged', method: 'POST', path, body: config })
    const { managedFields, ...metadata } = created.json.metadata
    assert.ok(managedFields.length > 0)
    assert.deepEqual((await scene.eventsOf(created))[0]?.responseObject, { ...created.json, metadata })
    const updated = await scene.ask({
      as: 'unmanaged',
      method: 'PUT',
      path: `${path}/${config.metadata.name}`,
      body: created.json,
    })
    assert.deepEqual((await scene.eventsOf(updated))[0]?.requestObject.metadata, metadata)
    const listed = await scene.ask({
      as: 'unmanaged',
      path: `${path}?fieldSelector=metadata.name%3D${config.metadata.name}`,
    })
    assert.deepEqual((await scene.eventsOf(listed))[0]?.responseObject.items[0].metadata, metadata)
  })

  test('E19: metadata never hold what is in a Secret, nor a token', async () => {
    const canary = aCanary({ awkward: true })
    const path = `${inDefault}/secrets`
    const secret = aSecret(undefined, { password: canary })
    const as = 'metadata'
    const post = (where: string, body: object) => scene.ask({ as, method: 'POST', path: where, body })
    await post(path, secret)
    await post(path, { metadata: { name: uniqueName('plain') }, stringData: { password: canary } })
    await scene.ask({ as, path: `${path}/${secret.metadata.name}` })
    await scene.ask({ as, path })
    const headers = { 'content-type': 'application/merge-patch+json' }
    const patch = { stringData: { other: canary } }
    await scene.ask({ as, method: 'PATCH', path: `${path}/${secret.metadata.name}`, headers, body: patch })
    await post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: canary } })
    const account = { metadata: { name: uniqueName('account') } }
    await post(`${inDefault}/serviceaccounts`, account)
    const issued = await post(`${inDefault}/serviceaccounts/${account.metadata.name}/token`, { spec: {} })
    const { token } = issued.json.status as { token: string }
    await scene.ask({ as: null, path: '/version', headers: { authorization: `Bearer ${token}` } })
    const removed = await scene.ask({ as, method: 'DELETE', path: `${path}/${secret.metadata.name}` })
    await scene.eventsOf(removed)
    const [, asked] = await scene.eventsOf(issued)
    assert.match(asked?.annotations?.['authentication.kubernetes.io/issued-credential-id'] ?? '', /^JTI=[0-9a-f-]{36}$/)
    assertNoCanary({ 'the audit log': readFileSync(join(plane.dir, 'audit.log')) }, [canary, token])
  })
})

describe('an audit policy', needsControlPlane, () => {
  test('E19: leaves stages and owners of fields out for all rules at once, unless a rule says otherwise', async (t) => {
    const plane = await startControlPlane(t, {
      controllers: false,
      auditPolicy: policyOf({
        omitStages: ['RequestReceived'],
        omitManagedFields: true,
        rules: [
          { level: 'RequestResponse', users: ['managed'], omitManagedFields: false },
          { level: 'RequestResponse', users: ['unmanaged'] },
        ],
      }),
    })
    const scene = new AuditScene(plane)
    const ask = { method: 'POST', path: `${inDefault}/configmaps` }
    const eventsFor = async (as: string) =>
      scene.eventsOf(await scene.ask({ ...ask, as, body: aConfigMap(undefined, { key: 'value' }) }))
    const [[managed, ...more], [unmanaged]] = [await eventsFor('managed'), await eventsFor('unmanaged')]
    assert.deepEqual([managed?.stage, more.length], ['ResponseComplete', 0])
    assert.ok(managed?.responseObject.metadata.managedFields)
    assert.equal(unmanaged?.responseObject.metadata.managedFields, undefined)
  })

  test('E19: a log goes on where it ended when the server starts again', async (t) => {
    const rules = [{ level: 'Metadata', users: ['jane'] }]
    const plane = await startControlPlane(t, { controllers: false, auditPolicy: policyOf({ ...complete, rules }) })
    const scene = new AuditScene(plane)
    const first = await scene.ask({ as: 'jane', path: '/version' })
    await scene.eventsOf(first)
    await plane.restart(plane.apiServer)
    await scene.eventsOf(await scene.ask({ as: 'jane', path: '/version' }))
    assert.equal((await scene.eventsOf(first)).length, 1)
  })

  const refused: Record<string, [policy: string, words: RegExp]> = {
    'knows no such level': [
      policyOf({ rules: [{ level: 'Everything' }] }),
      /rules\[0\]\.level: Unsupported value: \\?"Everything\\?": supported values: \\?"None\\?", \\?"Metadata\\?"/,
    ],
    'knows no such stage': [
      policyOf({ omitStages: ['Dawn'], rules: [{ level: 'None' }] }),
      /omitStages\[0\]: Invalid value: \\?"Dawn\\?": allowed stages are RequestReceived,ResponseStarted,/,
    ],
    'has no rules': [policyOf({}), /loaded illegal policy with 0 rules/],
    'has resources and paths in one rule': [
      policyOf({ rules: [{ level: 'None', nonResourceURLs: ['/a'], namespaces: ['b'] }] }),
      /rules\[0\]\.nonResourceURLs: Invalid value: .*: rules cannot apply to both regular resources and non-resource URLs/,
    ],
    'is of another kind': [
      stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Rules' }),
      /failed decoding: no kind \\?"Rules\\?" is registered for version \\?"audit\.k8s\.io\/v1\\?"/,
    ],
  }
  for (const [what, [auditPolicy, words]] of Object.entries(refused))
    test(`E19: a policy that ${what} stops the start, and the server says what is wrong`, async (t) => {
      await assert.rejects(startControlPlane(t, { controllers: false, auditPolicy }), words)
    })
})
