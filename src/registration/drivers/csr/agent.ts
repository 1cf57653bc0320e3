import { keepFresh } from '../../../core/keep-fresh.ts'
import { runTogether } from '../../../core/lifecycle.ts'
import type { Issuance, Keep, Kept } from '../../../core/pass.ts'
import { isExpired } from '../../../core/renewal.ts'
import { certificatePass, csrIssuance } from '../../../fleet/csr/issuance.ts'
import { agentOrder } from '../../../fleet/csr/request.ts'
import { csrSource, csrWatch } from '../../../fleet/csr/watch.ts'
import { hubConnection, isSameHub } from '../../../fleet/hub-stanza.ts'
import { labels } from '../../../fleet/names.ts'
import { reasons } from '../../reasons.ts'
import type { AgentDriver, Join, JoinOptions } from '../driver.ts'
import { certificateCondition, troubleOf } from './agent-condition.ts'
import type { CertifiedMaterial } from './agent-secret.ts'
import { holds, hubSecretKeep } from './agent-secret.ts'

export interface CsrAgentOptions {
  /** Of the certificate; 0: as long as the signer gives. */
  readonly expirationSeconds: number
}

/** The agent's half of the join by CSR: what it holds is a certificate that the hub signed. */
export const csrAgentDriver = (options: CsrAgentOptions): AgentDriver<CertifiedMaterial> => ({
  name: 'csr',
  holding: 'certificate',
  remedy: 'a new one is asked for',
  clusterAnnotations: {},
  keep: hubSecretKeep,
  holds,
  connection: hubConnection,
  join: (given) => csrJoin(given, options),
  condition: (report, cluster, held) => certificateCondition(report, cluster, held?.certPem),
  isUnproven: () => false,
  isPerhapsTakenBack: () => false,
  // Grows fast: a hub whose signer it does not trust itself would otherwise be asked for certificates without end.
  rejectionRetry: { baseMs: 1_000, maxMs: 3_600_000, factor: 4 },
  troubleOf,
})

/** Gets the agent's certificate for one hub and keeps it fresh. */
function csrJoin(
  options: JoinOptions<CertifiedMaterial>,
  { expirationSeconds }: CsrAgentOptions,
): Join<CertifiedMaterial> {
  const { cluster, agent, hub, keep, clock, random, log, checkpoint } = options
  const rejected = new Set<string>()
  let latest: Kept<CertifiedMaterial> | undefined
  let isAsking = false

  const isCurrent = ({ pass, material }: Kept<CertifiedMaterial>) =>
    isSameHub(material.stanza, hub) && !rejected.has(pass.fingerprint)
  const held = () => (latest && isCurrent(latest) && !isExpired(latest.pass, clock.now()) ? latest : undefined)
  const flow = () => (held() ? 'renewal' : 'join')
  const asker = async (kept: Kept<CertifiedMaterial> | undefined) =>
    kept || held() ? options.own() : await options.bootstrap()

  const selector = `${labels.clusterName}=${cluster},!${labels.addonName}`
  const watching = csrWatch({
    source: csrSource({ selector, clock, random, log }),
    clock,
    poke: () => loop.poke(),
  })

  const watchedKeep: Keep<CertifiedMaterial> = {
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

  const issuance = csrIssuance<CertifiedMaterial>({
    order: agentOrder(cluster, agent, expirationSeconds),
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

  const heard: Issuance<CertifiedMaterial> = {
    async next(...given) {
      isAsking = false
      const step = await issuance.next(...given)
      if (isAsking) options.onAnswer()
      return step
    },
  }

  const loop = keepFresh<CertifiedMaterial>({
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
    wasLetIn: () => held() !== undefined,
    reject(fingerprint) {
      rejected.add(fingerprint)
      loop.poke()
    },
  }
}
