/** core/v1 besides secrets, config maps and events: what is filled in, what is refused, what halves an object has. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Endpoints, Namespace, Node, PodSpec, ServiceSpec } from 'kubernetes-types/core/v1.d.ts'
import { namespaces, nodes, pods, serviceAccounts, services } from '../../../src/kube/kinds.ts'
import { uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { aHeadlessService, aNode, aPod, endpoints, someEndpoints } from '../../support/kind-samples.ts'
import { clusterWide, kindScene, pathOf, podScene, whyInvalid } from '../../support/kind-scene.ts'

const dryRun = { dryRun: true }
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"

describe('namespaces', needsControlPlane, () => {
  test('E13: a Namespace is active, carries its name as a label and is held by kubernetes', async (t) => {
    const { kube } = await kindScene(t)
    const created = await clusterWide(t, kube.of(namespaces), {
      metadata: { generateName: 'made-', labels: { 'kubernetes.io/metadata.name': 'forged' } },
      spec: { finalizers: ['example.com/hold'] },
      status: { phase: 'Terminating' },
    })
    const { metadata, spec, status } = created
    assert.deepEqual(metadata.labels, { 'kubernetes.io/metadata.name': metadata.name })
    assert.deepEqual([spec?.finalizers, status], [['example.com/hold', 'kubernetes'], { phase: 'Active' }])
    await kube.request({
      method: 'PUT',
      path: pathOf(namespaces, { name: metadata.name, subresource: 'finalize' }),
      body: {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: metadata.name },
        spec: { finalizers: ['kubernetes'] },
      },
    })
    assert.deepEqual((await kube.of(namespaces).get(metadata.name)).spec?.finalizers, ['kubernetes'])
  })

  test('E13: what holds a Namespace changes through finalize alone, and is named as finalizers are', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const changed = await kube
      .of(namespaces)
      .patch(namespace, { type: 'merge', body: { spec: { finalizers: null }, status: { phase: 'Odd' } } })
    assert.deepEqual([changed.spec?.finalizers, changed.status?.phase], [['kubernetes'], 'Active'])
    const finalize = (finalizers: string[]) =>
      kube.request<Namespace>({
        method: 'PUT',
        path: pathOf(namespaces, { name: namespace, subresource: 'finalize' }),
        body: {
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name: namespace },
          spec: { finalizers },
          status: { phase: 'Odd' },
        },
      })
    assert.equal(
      await whyInvalid(finalize(['mine'])),
      'spec.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
    )
    assert.equal((await finalize(['kubernetes'])).status?.phase, 'Active')
    const bad = { metadata: { name: 'bad' }, spec: { finalizers: ['mine'] } }
    assert.equal(
      await whyInvalid(kube.of(namespaces).create(bad, dryRun)),
      'spec.finalizers: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
    )
  })

  test('E13: the status of a Namespace says Active until it is deleted', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const patch = (phase: string, labels = {}) =>
      kube
        .of(namespaces)
        .patch(
          namespace,
          { type: 'merge', body: { metadata: { labels }, spec: { finalizers: null }, status: { phase } } },
          { subresource: 'status' },
        )
    assert.equal(
      await whyInvalid(patch('Terminating')),
      'status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
    )
    const patched = await patch('Active', { a: 'b' })
    assert.deepEqual([patched.spec?.finalizers, patched.metadata.labels?.['a']], [['kubernetes'], 'b'])
  })

  test('E13: namespaces are selected by their phase', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const fieldSelector = `status.phase=Active,metadata.name=${namespace}`
    assert.equal((await kube.of(namespaces).list({ fieldSelector })).items.length, 1)
    const none = `status.phase=Terminating,metadata.name=${namespace}`
    assert.equal((await kube.of(namespaces).list({ fieldSelector: none })).items.length, 0)
  })
})

describe('service accounts', needsControlPlane, () => {
  test('E13: a ServiceAccount keeps names of secrets, and no more about them', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const account = await kube.of(serviceAccounts, namespace).create({
      metadata: { name: 'robot' },
      secrets: [{ name: 'key', kind: 'Secret', namespace: 'other' }],
      imagePullSecrets: [{ name: 'pull' }],
      automountServiceAccountToken: false,
    })
    assert.deepEqual(
      [account.secrets, account.imagePullSecrets, account.automountServiceAccountToken],
      [[{ name: 'key' }], [{ name: 'pull' }], false],
    )
  })

  test('E13: a ServiceAccount gives tokens', async (t) => {
    const { kube, namespace } = await kindScene(t)
    await kube.of(serviceAccounts, namespace).create({ metadata: { name: 'robot' } })
    const answer = await kube
      .of(serviceAccounts, namespace)
      .createSubresource<object, { kind: string; spec: { expirationSeconds: number }; status: { token: string } }>(
        'robot',
        'token',
        { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 600 } },
      )
    assert.deepEqual([answer.kind, answer.spec.expirationSeconds], ['TokenRequest', 600])
    assert.equal(answer.status.token.split('.').length, 3)
  })
})

describe('nodes', needsControlPlane, () => {
  test('E13: a Node may come with a status, and shows its empty fields', async (t) => {
    const { kube } = await kindScene(t)
    const { status } = await clusterWide(t, kube.of(nodes), {
      ...aNode(uniqueName('node')),
      status: { capacity: { cpu: '4' }, conditions: [{ type: 'Ready', status: 'True' }] },
    })
    assert.deepEqual(status, {
      capacity: { cpu: '4' },
      allocatable: { cpu: '4' },
      conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: null, lastTransitionTime: null }],
      daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
      nodeInfo: {
        machineID: '',
        systemUUID: '',
        bootID: '',
        kernelVersion: '',
        osImage: '',
        containerRuntimeVersion: '',
        kubeletVersion: '',
        kubeProxyVersion: '',
        operatingSystem: '',
        architecture: '',
      },
    })
  })

  test('E13: a Node keeps its provider, and its halves apart', async (t) => {
    const { kube } = await kindScene(t)
    const collection = kube.of(nodes)
    const { metadata } = await clusterWide(t, collection, {
      ...aNode(uniqueName('node')),
      status: { phase: 'Running' },
    })
    const patch = (body: object, subresource?: string) =>
      collection.patch(metadata.name, { type: 'merge', body }, subresource ? { subresource } : {})
    const provided = await patch({ spec: { providerID: 'test://1' }, status: { phase: 'Odd' } })
    assert.deepEqual([provided.spec?.providerID, provided.status?.phase], ['test://1', 'Running'])
    assert.equal(
      await whyInvalid(patch({ spec: { providerID: 'test://2' } })),
      'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
    )
    const reported = await patch({ spec: { unschedulable: null }, status: { phase: 'Pending' } }, 'status')
    assert.deepEqual([reported.spec?.unschedulable, reported.status?.phase], [true, 'Pending'])
    const address = { type: 'InternalIP', address: '10.1.1.1' }
    assert.equal(
      await whyInvalid(patch({ status: { addresses: [address, address] } }, 'status')),
      'status.addresses[1]: Duplicate value: {"Type":"InternalIP","Address":"10.1.1.1"}',
    )
  })

  test('E13: taints of a Node have a key and an effect, each pair once', async (t) => {
    const { kube } = await kindScene(t)
    const why = (...taints: object[]) =>
      whyInvalid(
        kube.of(nodes).create({ metadata: { name: 'bad' }, spec: { taints } as Node['spec'] & object }, dryRun),
      )
    assert.equal(
      await why({ key: 'a', effect: 'Odd' }, { key: 'b' }),
      '[metadata.taints[0].effect: Unsupported value: "Odd": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute", metadata.taints[1].effect: Required value]',
    )
    const taint = { key: 'a', effect: 'NoSchedule' }
    assert.equal(
      await why(taint, taint),
      'metadata.taints[1]: Duplicate value: {"Key":"a","Value":"","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
    )
  })

  test('E13: nodes are selected by whether they take pods', async (t) => {
    const { kube } = await kindScene(t)
    const { metadata } = await clusterWide(t, kube.of(nodes), aNode(uniqueName('node')))
    const count = async (isClosed: boolean) =>
      (await kube.of(nodes).list({ fieldSelector: `spec.unschedulable=${isClosed},metadata.name=${metadata.name}` }))
        .items.length
    assert.deepEqual([await count(true), await count(false)], [1, 0])
  })
})

describe('pods', needsControlPlane, () => {
  const sample = { name: 'main', image: 'example.com/app:1' }

  test('E13: a Pod is filled in', async (t) => {
    const { kube, namespace } = await podScene(t)
    const spec: PodSpec = {
      automountServiceAccountToken: false,
      initContainers: [{ name: 'first', image: 'example.com:5000/init' }],
      containers: [
        {
          ...sample,
          ports: [{ containerPort: 80 }],
          env: [{ name: 'ME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
          livenessProbe: { httpGet: { port: 80 } },
          resources: { limits: { cpu: '1' } },
        },
      ],
      volumes: [
        { name: 'empty' },
        { name: 'keys', secret: { secretName: 'keys' } },
        { name: 'host', hostPath: { path: '/' } },
      ],
    }
    const created = await kube.of(pods, namespace).create({ metadata: { name: 'web' }, spec })
    const { tolerations, priority, preemptionPolicy, serviceAccountName, serviceAccount, ...filled } =
      created.spec ?? {}
    const termination = { terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' }
    assert.deepEqual(filled, {
      automountServiceAccountToken: false,
      initContainers: [
        { name: 'first', image: 'example.com:5000/init', resources: {}, ...termination, imagePullPolicy: 'Always' },
      ],
      containers: [
        {
          ...sample,
          ports: [{ containerPort: 80, protocol: 'TCP' }],
          env: [{ name: 'ME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }],
          livenessProbe: {
            httpGet: { port: 80, path: '/', scheme: 'HTTP' },
            timeoutSeconds: 1,
            periodSeconds: 10,
            successThreshold: 1,
            failureThreshold: 3,
          },
          resources: { limits: { cpu: '1' }, requests: { cpu: '1' } },
          ...termination,
          imagePullPolicy: 'IfNotPresent',
        },
      ],
      volumes: [
        { name: 'empty', emptyDir: {} },
        { name: 'keys', secret: { secretName: 'keys', defaultMode: 420 } },
        { name: 'host', hostPath: { path: '/', type: '' } },
      ],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      securityContext: {},
      schedulerName: 'default-scheduler',
      enableServiceLinks: true,
    })
    assert.deepEqual(created.status, { phase: 'Pending', qosClass: 'Burstable' })
  })

  test('E13: a Pod has containers with names and images, and what they refer to', async (t) => {
    const { kube, namespace } = await podScene(t)
    const why = (spec: object) =>
      whyInvalid(kube.of(pods, namespace).create({ metadata: { name: 'bad' }, spec: spec as PodSpec }, dryRun))
    const one = (container: object) => why({ containers: [{ ...sample, ...container }] })
    assert.equal(await why({}), 'spec.containers: Required value')
    assert.equal(
      await one({ name: 'A', image: '' }),
      `[spec.containers[0].name: Invalid value: "A": ${label}, spec.containers[0].image: Required value]`,
    )
    assert.equal(await why({ containers: [sample, sample] }), 'spec.containers[1].name: Duplicate value: "main"')
    assert.equal(
      await one({ ports: [{ containerPort: 70000, protocol: 'Odd' }] }),
      '[spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive, spec.containers[0].ports[0].protocol: Unsupported value: "Odd": supported values: "SCTP", "TCP", "UDP"]',
    )
    assert.equal(
      await one({ imagePullPolicy: 'Odd' }),
      'spec.containers[0].imagePullPolicy: Unsupported value: "Odd": supported values: "Always", "IfNotPresent", "Never"',
    )
    assert.equal(
      await one({ volumeMounts: [{ name: 'none', mountPath: '/a' }] }),
      'spec.containers[0].volumeMounts[0].name: Not found: "none"',
    )
    assert.equal(await one({ env: [{ name: '' }] }), 'spec.containers[0].env[0].name: Required value')
    assert.equal(
      await why({ containers: [sample], restartPolicy: 'Odd', dnsPolicy: 'Odd' }),
      '[spec.restartPolicy: Unsupported value: "Odd": supported values: "Always", "OnFailure", "Never", spec.dnsPolicy: Unsupported value: "Odd": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"]',
    )
    assert.equal(
      await why({ containers: [sample], volumes: [{ name: 'v', secret: {}, configMap: {} }] }),
      '[spec.volumes[0].secret.secretName: Required value, spec.volumes[0].configMap: Forbidden: may not specify more than 1 volume type]',
    )
  })

  test('E13: a Pod may change its images and little else', async (t) => {
    const { kube, namespace } = await podScene(t)
    const collection = kube.of(pods, namespace)
    await collection.create(aPod('web'))
    const image = { op: 'replace', path: '/spec/containers/0/image', value: 'example.com/app:2' }
    const changed = await collection.patch('web', { type: 'json', operations: [image] })
    assert.deepEqual([changed.spec?.containers[0]?.image, changed.metadata.generation], ['example.com/app:2', 2])
    assert.match(
      await whyInvalid(collection.patch('web', { type: 'merge', body: { spec: { hostname: 'other' } } })),
      /^spec: Forbidden: pod updates may not change fields other than `spec\.containers\[\*\]\.image`,`spec\.initContainers\[\*\]\.image`,`spec\.activeDeadlineSeconds`,`spec\.tolerations` \(only additions to existing tolerations\),`spec\.terminationGracePeriodSeconds` \(allow it to be set to 1 if it was previously negative\)/,
    )
    const more = { op: 'add', path: '/spec/containers/-', value: { name: 'more', image: 'x' } }
    assert.equal(
      await whyInvalid(collection.patch('web', { type: 'json', operations: [more] })),
      'spec.containers: Forbidden: pod updates may not add or remove containers',
    )
  })

  test('E13: the status of a Pod shows its empty fields, and keeps its class', async (t) => {
    const { kube, namespace } = await podScene(t)
    const collection = kube.of(pods, namespace)
    await collection.create(aPod('web'))
    const patch = (status: object) =>
      collection.patch('web', { type: 'merge', body: { status } }, { subresource: 'status' })
    const { status } = await patch({
      phase: 'Running',
      podIP: '10.1.1.1',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [{ name: 'main', ready: true, state: { running: {} } }],
    })
    assert.deepEqual(status, {
      phase: 'Running',
      qosClass: 'BestEffort',
      podIP: '10.1.1.1',
      podIPs: [{ ip: '10.1.1.1' }],
      conditions: [{ type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: null }],
      containerStatuses: [
        {
          name: 'main',
          ready: true,
          state: { running: { startedAt: null } },
          lastState: {},
          restartCount: 0,
          image: '',
          imageID: '',
        },
      ],
    })
    assert.equal(
      await whyInvalid(patch({ qosClass: 'Guaranteed' })),
      'status.qosClass: Invalid value: "Guaranteed": field is immutable',
    )
  })

  test('E13: pods are selected by node, phase and the like', async (t) => {
    const { kube, namespace } = await podScene(t)
    const collection = kube.of(pods, namespace)
    await collection.create(aPod('one'))
    await collection.create({
      ...aPod('two'),
      spec: { ...aPod('two').spec, containers: [sample], restartPolicy: 'Never', schedulerName: 'mine' },
    })
    const status = { phase: 'Running', podIP: '10.9.9.9' }
    await collection.patch('two', { type: 'merge', body: { status } }, { subresource: 'status' })
    const names = async (fieldSelector: string) =>
      (await collection.list({ fieldSelector })).items.map(({ metadata }) => metadata.name)
    assert.deepEqual(await names('spec.nodeName='), ['one', 'two'])
    assert.deepEqual(await names('status.phase=Running'), ['two'])
    assert.deepEqual(await names('status.phase!=Running'), ['one'])
    assert.deepEqual(await names('spec.restartPolicy=Never'), ['two'])
    assert.deepEqual(await names('spec.schedulerName=default-scheduler'), ['one'])
    assert.deepEqual(await names('status.podIP=10.9.9.9'), ['two'])
    assert.deepEqual(await names('spec.hostNetwork=false,status.nominatedNodeName='), ['one', 'two'])
  })
})

describe('services', needsControlPlane, () => {
  test('E13: a Service is filled in', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const { spec, status } = await kube.of(services, namespace).create(aHeadlessService('web'))
    assert.deepEqual(spec, {
      clusterIP: 'None',
      clusterIPs: ['None'],
      ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
      selector: { app: 'sample' },
      type: 'ClusterIP',
      sessionAffinity: 'None',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
    })
    assert.deepEqual(status, { loadBalancer: {} })
    const external = await kube
      .of(services, namespace)
      .create({ metadata: { name: 'out' }, spec: { type: 'ExternalName', externalName: 'example.com' } })
    assert.deepEqual(external.spec, { type: 'ExternalName', externalName: 'example.com', sessionAffinity: 'None' })
  })

  test('E13: a Service has ports, a type and addresses that can be', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const create = (spec: ServiceSpec, name = 'bad') =>
      whyInvalid(kube.of(services, namespace).create({ metadata: { name }, spec }, dryRun))
    const headless = { clusterIP: 'None' }
    assert.equal(
      await create({ ports: [{ port: 1 }] }, 'a.b'),
      'metadata.name: Invalid value: "a.b": must not contain dots',
    )
    assert.equal(await create({}), 'spec.ports: Required value')
    assert.equal(
      await create({ ...headless, ports: [{ port: 1 }, { port: 1, name: 'b', protocol: 'Odd' }] }),
      '[spec.ports[0].name: Required value, spec.ports[1].protocol: Unsupported value: "Odd": supported values: "SCTP", "TCP", "UDP"]',
    )
    assert.equal(
      await create({
        ...headless,
        ports: [
          { port: 1, name: 'a' },
          { port: 1, name: 'a' },
        ],
      }),
      '[spec.ports[1].name: Duplicate value: "a", spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":1,"TargetPort":0,"NodePort":0}]',
    )
    assert.equal(
      await create({ ...headless, ports: [{ port: 0, targetPort: 'Odd_' }] }),
      '[spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive, spec.ports[0].targetPort: Invalid value: "Odd_": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)]',
    )
    assert.equal(
      await create({ ...headless, type: 'NodePort', ports: [{ port: 1 }] }),
      'spec.clusterIPs[0]: Invalid value: "None": may not be set to \'None\' for NodePort services',
    )
    assert.equal(await create({ type: 'ExternalName' }), 'spec.externalName: Required value')
    assert.equal(
      await create({ ...headless, ports: [{ port: 1 }], sessionAffinity: 'Odd' }),
      'spec.sessionAffinity: Unsupported value: "Odd": supported values: "ClientIP", "None"',
    )
    assert.equal(
      await create({ ...headless, ports: [{ port: 1, nodePort: 30001 }], externalIPs: ['127.0.0.1'] }),
      '[spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128), spec.ports[0].nodePort: Forbidden: may not be used when `type` is \'ClusterIP\']',
    )
  })

  test('E13: a Service keeps its address and its halves apart', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const collection = kube.of(services, namespace)
    await collection.create(aHeadlessService('web'))
    const put = await collection.update({
      metadata: { name: 'web' },
      spec: { clusterIP: 'None', ports: [{ port: 81 }], selector: { app: 'sample' } },
      status: { loadBalancer: { ingress: [{ hostname: 'x' }] } },
    })
    assert.deepEqual(
      [put.spec?.clusterIP, put.spec?.ports?.[0]?.targetPort, put.status],
      ['None', 81, { loadBalancer: {} }],
    )
    const ingress = { status: { loadBalancer: { ingress: [{ ip: '10.1.1.1' }] } } }
    assert.equal(
      await whyInvalid(collection.patch('web', { type: 'merge', body: ingress }, { subresource: 'status' })),
      "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
    )
  })

  test('E13: services are selected by type and address', async (t) => {
    const { kube, namespace } = await kindScene(t)
    await kube.of(services, namespace).create(aHeadlessService('web'))
    await kube
      .of(services, namespace)
      .create({ metadata: { name: 'out' }, spec: { type: 'ExternalName', externalName: 'example.com' } })
    const names = async (fieldSelector: string) =>
      (await kube.of(services, namespace).list({ fieldSelector })).items.map(({ metadata }) => metadata.name)
    assert.deepEqual([await names('spec.type=ExternalName'), await names('spec.clusterIP=None')], [['out'], ['web']])
  })
})

describe('endpoints', needsControlPlane, () => {
  test('E13: Endpoints are stored as they are, with a protocol', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const { subsets } = await kube.of(endpoints, namespace).create(someEndpoints('web'))
    assert.deepEqual(subsets, [{ addresses: [{ ip: '10.1.2.3' }], ports: [{ port: 80, protocol: 'TCP' }] }])
    const found = await eventually('they are read', () => kube.of(endpoints, namespace).find('web'))
    assert.deepEqual(found.subsets, subsets)
  })

  test('E13: Endpoints are addresses that others can reach', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const why = (...subsets: object[]) =>
      whyInvalid(
        kube
          .of(endpoints, namespace)
          .create({ metadata: { name: 'bad' }, subsets: subsets as NonNullable<Endpoints['subsets']> }, dryRun),
      )
    assert.equal(await why({}), 'subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`')
    assert.equal(
      await why({ addresses: [{ ip: '127.0.0.1' }, { ip: '169.254.1.1' }, { ip: '224.0.0.1' }, { ip: '0.0.0.0' }] }),
      '[subsets[0].addresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128), subsets[0].addresses[1].ip: Invalid value: "169.254.1.1": may not be in the link-local range (169.254.0.0/16, fe80::/10), subsets[0].addresses[2].ip: Invalid value: "224.0.0.1": may not be in the link-local multicast range (224.0.0.0/24, ff02::/10), subsets[0].addresses[3].ip: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)]',
    )
    assert.equal(
      await why({ addresses: [{ ip: '10.1.1.1' }], ports: [{ port: 1 }, { port: 0, name: 'b' }] }),
      '[subsets[0].ports[0].name: Required value, subsets[0].ports[1].port: Invalid value: 0: must be between 1 and 65535, inclusive]',
    )
  })
})
