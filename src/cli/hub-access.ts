import { hostname } from 'node:os'
import { accessHub } from '../access/hub/index.ts'
import type { AccessSettings } from '../access/settings.ts'
import { AuditConfig } from '../apis/breakglass/audit-config.ts'
import { BreakglassEscalation } from '../apis/breakglass/breakglass-escalation.ts'
import { BreakglassSession } from '../apis/breakglass/breakglass-session.ts'
import { DenyPolicy } from '../apis/breakglass/deny-policy.ts'
import { MailProvider } from '../apis/breakglass/mail-provider.ts'
import type { Checkpoint } from '../core/checkpoint.ts'
import type { EgressRules } from '../core/egress.ts'
import type { Run } from '../core/lifecycle.ts'
import { runTogether } from '../core/lifecycle.ts'
import type { AdmissionWebhook } from '../fleet/admission.ts'
import type { Spokes, SpokeView } from '../fleet/spoke/index.ts'
import type { EventRecorder } from '../kube/events.ts'
import type { Kube } from '../kube/kube.ts'
import type { Address, Bound, CertificateSource } from '../server/index.ts'
import { inNetworks, restServer } from '../server/rest/index.ts'
import type { AccessConfig } from './access-schema.ts'
import { accessSettingsOf } from './access-settings.ts'
import type { ProcessDeps } from './process-parts.ts'
import { onceServed } from './served-kinds.ts'

export interface HubAccessDeps extends ProcessDeps {
  /** The hub. */
  kube: Kube
  namespace: string
  events: EventRecorder
  checkpoint: Checkpoint
  /** Run by whoever made them. */
  spokeView: SpokeView
  spokes: Spokes
  egress(): EgressRules
  /** Asked at each use. */
  config(): AccessConfig
  listen: Address
  certificate: CertificateSource
}

export interface HubAccess {
  /** In every replica: people and API servers are answered by each. */
  readonly everywhere: Run
  /** Of several replicas only the one that leads runs this. */
  readonly leading: Run
  readonly webhooks: readonly AdmissionWebhook[]
  /** Rejects when it cannot listen. */
  readonly listening: Promise<Bound>
}

const accessKinds = {
  gate: 'Access',
  kinds: [BreakglassSession, BreakglassEscalation, DenyPolicy, MailProvider, AuditConfig].map(
    ({ resource }) => resource,
  ),
}

/** Break glass on the hub, put together and served. */
export function hubAccess({ config, listen, certificate, ...deps }: HubAccessDeps): HubAccess {
  let bound: Bound | undefined
  const settings = settingsOf(config, () => bound?.url)
  const hub = accessHub({ ...deps, settings, replica: replicaName(deps) })
  const server = restServer({
    ...{ ...deps, api: hub.api, access: hub.access, metricsArea: 'access', listen, certificate },
    isProxy: proxiesOf(() => settings().trustedProxies),
  })
  server.listening.then((found) => (bound = found)).catch(() => {})
  const begin = onceServed(deps.kube, accessKinds, deps)
  return {
    everywhere: (signal) => runTogether(signal, [begin(hub.everywhere), server.run]),
    leading: begin(hub.leading),
    webhooks: hub.webhooks,
    listening: server.listening,
  }
}

/** Made again only when the file has changed: a decision asks several times. */
function settingsOf(config: () => AccessConfig, url: () => string | undefined): () => AccessSettings {
  let made: { from: AccessConfig; url: string | undefined; settings: AccessSettings } | undefined
  return () => {
    const [from, bound] = [config(), url()]
    if (made?.from !== from || made.url !== bound) made = { from, url: bound, settings: accessSettingsOf(from, bound) }
    return made.settings
  }
}

/** Made again only when the list has changed. */
function proxiesOf(networks: () => readonly string[]): (address: string) => boolean {
  let made: { from: readonly string[]; isProxy: (address: string) => boolean } | undefined
  return (address) => {
    const from = networks()
    if (made?.from !== from) made = { from, isProxy: inNetworks(from) }
    return made.isProxy(address)
  }
}

/** No other process has it at any time: a host starts once at a moment, and clocks that jump do not repeat chance. */
const replicaName = ({ clock, random }: Pick<ProcessDeps, 'clock' | 'random'>): string =>
  `${hostname()}-${Math.floor(clock.now().getTime() / 1_000)}-${random.suffix(5)}`
