import type { Checkpoint } from '../../../core/checkpoint.ts'
import type { Clock } from '../../../core/clock.ts'
import type { KeepFreshOptions, Report } from '../../../core/keep-fresh.ts'
import { keepFresh } from '../../../core/keep-fresh.ts'
import type { Run } from '../../../core/lifecycle.ts'
import { runTogether } from '../../../core/lifecycle.ts'
import type { Log } from '../../../core/log.ts'
import type { Issuance, Keep, Kept } from '../../../core/pass.ts'
import type { Random } from '../../../core/random.ts'
import { isExpired } from '../../../core/renewal.ts'
import { certificatePass, csrIssuance } from '../../../fleet/csr/issuance.ts'
import { agentOrder } from '../../../fleet/csr/request.ts'
import { csrSource, csrWatch } from '../../../fleet/csr/watch.ts'
import type { HubStanza } from '../../../fleet/hub-stanza.ts'
import { isSameHub } from '../../../fleet/hub-stanza.ts'
import { labels } from '../../../fleet/names.ts'
import type { Kube } from '../../../kube/kube.ts'
import type { HubMaterial } from '../../agent/hub-secret.ts'
import { reasons } from '../../reasons.ts'

export interface CsrJoinOptions {
  cluster: string
  agent: string
  hub: HubStanza
  keep: Keep<HubMaterial>
  /** For people: where the keep is. */
  keptIn: string
  /** 0: as long as the signer gives. */
  expirationSeconds: number
  /** As the bootstrap user; throws when there is none at present. */
  bootstrap(): Promise<Kube>
  /** As the agent itself, with what `held` returns. */
  own(): Kube
  /** Called after each step, once it is saved. */
  report(report: Report): void | Promise<void>
  clock: Clock
  random: Random
  log: Log
  checkpoint: Checkpoint
  /** Between two looks at an open request that nothing tells about. */
  lookAgainMs: number
  /** The hub answered a question about the certificate, whatever it said. */
  onAnswer(): void
  retry?: KeepFreshOptions<HubMaterial>['retry']
}

export interface CsrJoin {
  readonly run: Run
  /** Something changed: the Secret, the bootstrap kubeconfig, a request. */
  poke(): void
  /** The certificate for this hub while it is good, also when its Secret has just been lost. */
  held(): Kept<HubMaterial> | undefined
  /** The hub does not know this certificate: another one is asked for as if there were none. */
  reject(fingerprint: string): void
}

/** The agent's half of the join by CSR: gets the agent's certificate for one hub and keeps it fresh. */
export function csrJoin(options: CsrJoinOptions): CsrJoin {
  const { cluster, agent, hub, keep, clock, random, log, checkpoint } = options
  const rejected = new Set<string>()
  let latest: Kept<HubMaterial> | undefined
  let isAsking = false

  const isCurrent = ({ pass, material }: Kept<HubMaterial>) =>
    isSameHub(material.stanza, hub) && !rejected.has(pass.fingerprint)
  const held = () => (latest && isCurrent(latest) && !isExpired(latest.pass, clock.now()) ? latest : undefined)
  const flow = () => (held() ? 'renewal' : 'join')
  const asker = async (kept: Kept<HubMaterial> | undefined) =>
    kept || held() ? options.own() : await options.bootstrap()

  const selector = `${labels.clusterName}=${cluster},!${labels.addonName}`
  const watching = csrWatch({
    source: csrSource({ selector, clock, random, log }),
    clock,
    poke: () => loop.poke(),
  })

  const watchedKeep: Keep<HubMaterial> = {
    async load() {
      const loaded = await keep.load()
      if (loaded.kept && isCurrent(loaded.kept)) latest = loaded.kept
      return loaded
    },
    async savePending(pending) {
      await keep.savePending(pending)
      if (!pending.refused) checkpoint(`${flow()}.pending-saved`)
    },
    async save(kept) {
      const saved = `${flow()}.identity-saved` as const
      await keep.save(kept)
      latest = kept
      checkpoint(saved)
    },
  }

  const issuance = csrIssuance<HubMaterial>({
    order: agentOrder(cluster, agent, options.expirationSeconds),
    async asker(kept) {
      const kube = await asker(kept)
      watching.follow(kube)
      isAsking = true
      return kube
    },
    isCurrent,
    materialOf: (identity) => ({ ...identity, stanza: hub }),
    passOf: (certificate, now) =>
      certificatePass(
        { id: `join/${cluster}`, kind: 'join', holder: cluster, issuer: hub.server, keptIn: options.keptIn },
        certificate,
        now,
      ),
    selector,
    reasons: {
      denied: reasons.ClientCertificateDenied,
      halted: reasons.ClientCertificateCreationHalted,
      wrongCertificate: reasons.ClientCertificateUpdateFailed,
      removed: reasons.ClientCertificateUpdateFailed,
    },
    lookAgainMs: options.lookAgainMs,
    onStep: (step) => checkpoint(`${flow()}.${step === 'created' ? 'csr-created' : 'certificate-received'}`),
  })

  const heard: Issuance<HubMaterial> = {
    async next(...given) {
      isAsking = false
      const step = await issuance.next(...given)
      if (isAsking) options.onAnswer()
      return step
    },
  }

  const loop = keepFresh<HubMaterial>({
    issuance: heard,
    keep: watchedKeep,
    async report(report) {
      // Only an open request is worth a watch.
      if (report.state === 'PassIssued') watching.follow(undefined)
      await options.report(report)
    },
    clock,
    random,
    log,
    retry: options.retry ?? { baseMs: 1_000, maxMs: 30_000 },
  })

  return {
    run: (signal) => runTogether(signal, [loop.run, watching.run]),
    poke: loop.poke,
    held,
    reject(fingerprint) {
      rejected.add(fingerprint)
      loop.poke()
    },
  }
}
