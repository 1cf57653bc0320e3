import { access, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileNames, webhookFiles, webhookTokenFor } from '../access/operations/webhook-config.ts'
import { BreakglassEscalation } from '../apis/breakglass/breakglass-escalation.ts'
import { after } from '../core/clock.ts'
import type { Run } from '../core/lifecycle.ts'
import { aborted } from '../core/lifecycle.ts'
import { done } from '../core/outcome.ts'
import { replaceFile } from '../core/replace-file.ts'
import type { Secret } from '../core/secret.ts'
import type { Step } from '../core/step.ts'
import { hubNamespace } from '../fleet/names.ts'
import { controller } from '../kube/controller.ts'
import type { Kube } from '../kube/kube.ts'
import { emptyKubeconfig, formatKubeconfig, withContext } from '../kube/kubeconfig/index.ts'
import { generateKey, issueCertificate } from '../pki/index.ts'
import type { AccessServerFile } from './access-logins.ts'
import { accessFolder, accessServerFileIn, keepLogin } from './access-logins.ts'
import { applyManifests } from './apply-manifests.ts'
import type { CommandDeps } from './open-hub.ts'
import { example, hubExample, spokeExample } from './own-access-example.ts'
import type { OwnCluster } from './own-cluster.ts'
import type { OwnIdentityProvider } from './own-identity-provider.ts'
import type { PersonName } from './own-people.ts'
import { people, peopleClientId } from './own-people.ts'
import { hubUserOn } from './own-reach.ts'

export interface OwnAccessDeps extends CommandDeps {
  /** The hub. */
  kube: Kube
  /** Of everything local. */
  data: string
  /** Vouches for the hub. */
  caPem: string
  /** Of its administrator. */
  hubKubeconfig: string
  provider(): Promise<OwnIdentityProvider>
  /** Where the hub answers people and API servers. */
  url(): Promise<string>
  onOpen?: ((open: OpenGlass) => void) | undefined
}

/** All that is needed to try it. */
export interface OpenGlass {
  readonly url: string
  /** Vouches for it. */
  readonly ca: string
  tokenOf(person: PersonName): Promise<Secret>
}

export interface OwnAccess {
  /** An AuthorizationConfiguration for a cluster that is about to start: its API server asks the hub. */
  authorizationOf(name: string, dir: string, at: number): Promise<string>
  /** Something to ask for on a cluster that runs, and kubeconfigs for people. */
  prepare(cluster: OwnCluster): Promise<void>
  /** Brings people, what they may ask for, and their logins. */
  readonly run: Run
  /** Says what to try, as commands, once it can be tried. */
  tellSoon(show: (step: Step) => void, clusterDir: string): void
}

/** Shorter than for a cluster in earnest: whoever tries it out sees every change at once. */
const ttlMs = 1_000
const withKubeconfig: readonly PersonName[] = ['alice', 'bob']
const withLogin: readonly PersonName[] = ['alice', 'bob']
const certificateLifeMs = 365 * 86_400_000

/** Break glass on our own clusters. */
export function ownAccess(deps: OwnAccessDeps): OwnAccess {
  const { kube, data, caPem, provider, url, signal, clock } = deps
  const told = Promise.withResolvers<Parameters<OwnAccess['tellSoon']>>()
  const opening = controller(
    'own-access',
    async () => {
      await open()
      const [show, clusterDir] = await Promise.race([told.promise, aborted(signal).then(() => [] as const)])
      if (!show || !clusterDir) return done
      await untilReady(kube, signal)
      const { logInFor } = await provider()
      deps.onOpen?.({ url: await url(), ca: caPem, tokenOf: async (person) => (await logInFor(person)).bearer })
      await tell(show, clusterDir)
      return done
    },
    deps,
  )
  opening.enqueue(example.group)
  return {
    async authorizationOf(cluster, dir, at) {
      const folder = join(dir, 'access')
      const plan = { cluster, url: await url(), ca: caPem, hubUser: hubUserOn(at), at: folder }
      for (const { name, text } of webhookFiles({
        ...plan,
        authorizedTtlMs: ttlMs,
        refusedTtlMs: ttlMs,
        failurePolicy: 'Deny',
      }))
        await replaceFile(join(folder, name), text)
      const tokenFile = join(folder, fileNames.token)
      // A token that was made and never written down is lost: another takes its place.
      const rotate = !(await isThere(tokenFile))
      const token = await webhookTokenFor(cluster, { rotate, overlapMs: 0 }, { ...deps, namespace: hubNamespace })
      if (token) await replaceFile(tokenFile, `${token.reveal()}\n`)
      return join(folder, fileNames.config)
    },
    async prepare({ dir, plane, name }) {
      await applyManifests(plane.kube, spokeExample(), signal)
      for (const person of withKubeconfig) {
        const { email, groups } = people[person]
        const { keyPem, publicKeyPem } = generateKey()
        const now = clock.now()
        const certPem = await issueCertificate(
          plane.identities.clientCa,
          // With their groups: so the hub can say what they could ask for.
          { subject: { commonName: email, organizations: [...groups] }, publicKeyPem },
          { usages: ['client'], notBefore: after(now, -300_000), notAfter: after(now, certificateLifeMs) },
        )
        const kubeconfig = formatKubeconfig(
          withContext(emptyKubeconfig, {
            cluster: { server: plane.url, certificateAuthorityData: plane.identities.serverCa.certPem },
            user: { clientCertificateData: certPem, clientKeyData: keyPem },
            names: { cluster: name, user: person, context: `${person}@${name}` },
          }),
        )
        await replaceFile(kubeconfigOf(dir, person), kubeconfig.reveal())
      }
    },
    run: opening.run,
    tellSoon: (...what) => told.resolve(what),
  }

  async function open(): Promise<void> {
    const { issuer, caPem: ca, logInFor } = await provider()
    const server = await url()
    await applyManifests(kube, hubExample({ issuer, caPem: ca }), signal)
    await replaceFile(accessServerFileIn(data), JSON.stringify({ url: server, ca: caPem } satisfies AccessServerFile))
    const known = { name: example.provider, issuer, clientId: peopleClientId, audience: peopleClientId, ca }
    for (const person of withLogin) {
      const { bearer, refreshToken } = await logInFor(person)
      // Over as soon as it is there: the first command renews it.
      const login = {
        server,
        ca: caPem,
        provider: known,
        bearer: bearer.reveal(),
        expiresAt: clock.now().toISOString(),
      }
      await keepLogin(data, person, { ...login, refreshToken: refreshToken.reveal() })
    }
  }

  async function tell(show: (step: Step) => void, clusterDir: string): Promise<void> {
    const lanyard = (words: string, login: PersonName) => `lanyard access ${words} --login ${login} --data ${data}`
    const kubectl = (words: string) => `kubectl --kubeconfig ${kubeconfigOf(clusterDir, 'alice')} ${words}`
    const { namespace, secret, group } = example
    const look = kubectl(`get secret ${secret} -n ${namespace}`)
    show({ did: 'people may break glass', detail: await url() })
    show({ did: 'Alice may not read this', detail: look })
    show({ did: 'she asks', detail: lanyard(`request cluster1 ${group} --reason INC-4711 --for 30m`, 'alice') })
    show({ did: 'Bob approves', detail: lanyard('approve', 'bob') })
    show({ did: 'now she may, for half an hour', detail: look })
    show({ did: 'but a policy forbids this to everybody', detail: kubectl(`delete secret ${secret} -n ${namespace}`) })
    show({
      did: 'all of it is on record, and the record is whole',
      detail: `lanyard access audit verify ${auditFileIn(data)} --kubeconfig ${deps.hubKubeconfig}`,
    })
    show({ did: 'who has no login gets one', detail: `lanyard access login --data ${data}` })
  }
}

/** Whether the hub has looked at what may be asked for: before, nobody may. */
async function untilReady(kube: Kube, signal: AbortSignal): Promise<void> {
  const escalations = kube.of(BreakglassEscalation.resource, hubNamespace)
  const fieldSelector = `metadata.name=${example.group}`
  const isReady = ({ status }: BreakglassEscalation) =>
    status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True')
  while (!signal.aborted) {
    const { items, metadata } = await escalations.list({ signal, fieldSelector })
    if (items.some(isReady)) return
    const { resourceVersion } = metadata
    for await (const event of escalations.watch({ signal, fieldSelector, resourceVersion }))
      if ((event.type === 'ADDED' || event.type === 'MODIFIED') && isReady(event.object)) return
  }
}

export const auditFileIn = (data: string): string => join(accessFolder(data), 'audit.log')

export const kubeconfigOf = (clusterDir: string, person: PersonName): string => join(clusterDir, `${person}.kubeconfig`)

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** The port it had before where that is free, so that logins and kubeconfigs stay good; else any. */
export async function portAsBefore(data: string, host: string): Promise<number> {
  const before = await readFile(accessServerFileIn(data), 'utf8').catch(() => undefined)
  const port = before === undefined ? 0 : Number(new URL((JSON.parse(before) as AccessServerFile).url).port)
  return (await isFree(port, host)) ? port : 0
}

const isFree = (port: number, host: string): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, host, () => server.close(() => resolve(true)))
  })
