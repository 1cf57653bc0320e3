import type { LabelSelector } from 'kubernetes-types/meta/v1.d.ts'
import { configMaps, mutatingWebhookConfigurations, validatingWebhookConfigurations } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { KubeObject } from '../../src/kube/objects.ts'
import { aConfigMap, uniqueName } from './builders.ts'
import type { ControlPlane } from './control-plane.ts'
import { startControlPlane } from './control-plane.ts'
import { eventually } from './eventually.ts'
import { freshNamespace } from './fresh-namespace.ts'
import { startHttpsServer } from './https-server.ts'
import { kubeClient } from './kube-client.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

type Reviewed = KubeObject & { data?: Record<string, string>; [field: string]: unknown }

interface GroupVersion {
  group: string
  version: string
}

export interface AdmissionRequest {
  uid: string
  kind: GroupVersion & { kind: string }
  resource: GroupVersion & { resource: string }
  subResource?: string
  requestKind: GroupVersion & { kind: string }
  requestResource: GroupVersion & { resource: string }
  requestSubResource?: string
  name?: string
  namespace?: string
  operation: string
  userInfo: { username: string; groups?: string[] }
  object: Reviewed | null
  oldObject: Reviewed | null
  dryRun: boolean
  options: Record<string, unknown>
}

export interface Operation {
  op: string
  path: string
  value?: unknown
}

/** What a webhook says; allowed unless it says otherwise. Anything else of a response may be given as it is. */
export interface Verdict {
  allowed?: boolean
  patch?: Operation[]
  warnings?: string[]
  status?: Record<string, unknown>
  [field: string]: unknown
}

/** `kubernetes-types` has a rule without its resources. */
export interface Rule {
  operations: string[]
  apiGroups: string[]
  apiVersions: string[]
  resources: string[]
  scope?: string
}

export interface Hook {
  name: string
  /** Default: allowed. `whole` puts this in place of the AdmissionReview; undefined is a 404. */
  decide?(request: AdmissionRequest): Verdict | { whole: unknown } | undefined
  /** Default: all operations on ConfigMaps. */
  rules?: Rule[]
  objectSelector?: LabelSelector
  /** Default: the namespace of the scene. */
  namespaceSelector?: LabelSelector
  matchConditions?: { name: string; expression: string }[]
  matchPolicy?: string
  failurePolicy?: string
  sideEffects?: string
  reinvocationPolicy?: string
  timeoutSeconds?: number
  admissionReviewVersions?: string[]
  clientConfig?: object
}

export interface Call {
  /** Of the webhook, without its domain. */
  hook: string
  path: string
  apiVersion: string
  request: AdmissionRequest
}

export interface AdmissionScene {
  plane: ControlPlane
  admin: Kube
  namespace: string
  /** What the webhooks were asked, in that order. */
  readonly calls: Call[]
  /** Base64, as `caBundle` has it. */
  readonly caBundle: string
  /** Makes a configuration of webhooks for the scene's namespace, and waits until the server calls them. */
  register(type: 'mutating' | 'validating', hooks: readonly Hook[], name?: string): Promise<string>
}

const plurals = { mutating: mutatingWebhookConfigurations, validating: validatingWebhookConfigurations }
const probeLabel = 'admission-probe'

/** A shared control plane, a namespace, and webhooks that are asked about this namespace only. */
export async function admissionScene(t: TestScope): Promise<AdmissionScene> {
  const plane = await startControlPlane(t)
  const admin = kubeClient(t, plane.connection())
  const namespace = await freshNamespace(t, admin)
  const calls: Call[] = []
  const deciders = new Map<string, Hook['decide']>()

  const { url, caPem } = await startHttpsServer(t, ({ path, body }) => {
    const { apiVersion, request } = body as { apiVersion: string; request: AdmissionRequest }
    const hook = path.slice(1).split('?')[0] ?? ''
    if (isProbe(request)) return reviewed(request, { allowed: hook !== 'probe' })
    if (request.name === 'kube-root-ca.crt') return reviewed(request, {})
    calls.push({ hook, path, apiVersion, request })
    const verdict = deciders.get(hook)
    return answer(request, verdict ? verdict(request) : {})
  })
  const caBundle = Buffer.from(caPem).toString('base64')

  function webhookOf({ name, decide, ...settings }: Hook): object {
    deciders.set(name, decide)
    return {
      name: webhookName(name),
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      clientConfig: { url: `${url}/${name}`, caBundle },
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
      rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
      ...settings,
    }
  }

  return {
    plane,
    admin,
    namespace,
    calls,
    caBundle,
    async register(type, hooks, name = uniqueName('admission')) {
      const configurations = admin.of<KubeObject & { webhooks?: object[] }>(plurals[type])
      const probe: Hook = { name: 'probe', objectSelector: { matchLabels: { [probeLabel]: name } } }
      await configurations.create({ metadata: { name }, webhooks: [probe, ...hooks].map(webhookOf) })
      teardown(t, async () => {
        await configurations.delete(name)
        // What is cleared away next would meet webhooks that the server still knows, and that answer no more.
        await eventually('the webhooks are forgotten', async () => !(await isDenied(admin, namespace, name)))
      })
      await eventually('the webhooks are called', () => isDenied(admin, namespace, name))
      return name
    },
  }
}

/** The name a webhook has in messages. */
export const webhookName = (hook: string): string => `${hook}.admission.example`

/** Those of one write, for webhooks that select it by the label `case`. */
export const forCase = (name: string): Pick<Hook, 'objectSelector'> => ({
  objectSelector: { matchLabels: { case: name } },
})

export const aConfigMapOf = (name: string, data: Record<string, string> = {}) => ({
  ...aConfigMap(name, data),
  metadata: { name, labels: { case: name } },
})

const isProbe = ({ object }: AdmissionRequest): boolean => object?.metadata?.labels?.[probeLabel] !== undefined

function isDenied(admin: Kube, namespace: string, probe: string): Promise<boolean> {
  const object = { ...aConfigMap(), metadata: { name: uniqueName('probe'), labels: { [probeLabel]: probe } } }
  return admin
    .of(configMaps, namespace)
    .create(object, { dryRun: true })
    .then(
      () => false,
      (error: Error) => error.message.includes(webhookName('probe')),
    )
}

function answer(request: AdmissionRequest, verdict: Verdict | { whole: unknown } | undefined): unknown {
  if (verdict === undefined) return undefined
  return 'whole' in verdict ? verdict.whole : reviewed(request, verdict as Verdict)
}

export const reviewed = ({ uid }: Pick<AdmissionRequest, 'uid'>, { patch, ...verdict }: Verdict): object => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  response: {
    uid,
    allowed: true,
    ...(patch && { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }),
    ...verdict,
  },
})

/** Adds a key to `data`. */
export const adds = (key: string, value = 'added'): Verdict => ({
  patch: [{ op: 'add', path: `/data/${key}`, value }],
})

export const denies = (message: string): Verdict => ({ allowed: false, status: { message } })

/** The server's "no" as it stands in its Status. */
export const refusalOf = (call: Promise<unknown>): Promise<{ code: number; reason: string; message: string }> =>
  call.then(
    () => ({ code: 200, reason: '', message: 'it was allowed' }),
    ({ code, reason, message }) => ({ code, reason, message }),
  )
