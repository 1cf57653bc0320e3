import type { ConditionReport } from '../../../core/conditions.ts'
import type { Report } from '../../../core/keep-fresh.ts'
import { keepFresh } from '../../../core/keep-fresh.ts'
import { runTogether } from '../../../core/lifecycle.ts'
import type { Keep } from '../../../core/pass.ts'
import type { Reason } from '../../../core/reason.ts'
import { reasons as coreReasons } from '../../../core/reasons.ts'
import { conditionOfCertificate } from '../../../fleet/csr/certificate-condition.ts'
import { certificatePass, csrIssuance } from '../../../fleet/csr/issuance.ts'
import { csrWatch } from '../../../fleet/csr/watch.ts'
import { labels } from '../../../fleet/names.ts'
import { reasons } from '../../reasons.ts'
import type { AgentDriver, Credential, CredentialOptions } from '../driver.ts'
import { certificateWords } from './condition.ts'
import { csrDeclaration } from './declaration.ts'
import { addonOrder } from './order.ts'
import type { AddonMaterial } from './secret-keep.ts'
import { passFacts, wantedKubeconfig } from './secret-keep.ts'
import { waitingKeep } from './waiting-keep.ts'
import { requestsOfAddons } from './watch.ts'

/** Certificates: of the hub for its own API, of any other signer for whatever trusts that one. */
export const csrAgentDriver: AgentDriver = {
  name: 'csr',
  declaration: (item, _addon, hub) => csrDeclaration(item, hub),
  credential: csrCredential,
}

/**
 * Undecided requests that mean that something is wrong; and requests in all, which the hub forgets after an hour: whoever
 * removes the Secret again and again must not flood the hub.
 */
const limits = { open: 10, all: 50 }

/** How long the hub has to remove an open request of an earlier subject before the next is made beside it. */
const patienceMs = 10_000

/** What ends by an answer of the hub. All else ends by itself, or by a change that is told. */
const worthAWatch: readonly Reason[] = [
  coreReasons.AwaitingIssuer,
  coreReasons.AwaitingApproval,
  reasons.ClientCertificateCreationHalted,
]

function csrCredential(options: CredentialOptions): Credential {
  const { joined, item, spoke, management, clock, random, log, checkpoint, settings } = options
  const { cluster, addon } = item
  const words = certificateWords(item)
  const own = { namespace: settings.namespace, name: settings.hubKubeconfigSecret }
  const kept = rememberingKeep(waitingKeep({ spoke, item, hub: joined.stanza, management, own }))
  const watching = csrWatch({
    source: requestsOfAddons({ cluster, clock, random, log }),
    clock,
    poke: (csr) => {
      if (!csr || csr.metadata.labels?.[labels.addonName] === addon) loop.poke()
    },
  })
  const issuance = csrIssuance<AddonMaterial>({
    order: addonOrder(item),
    asker() {
      watching.follow(joined.kube)
      return joined.kube
    },
    isCurrent: () => true,
    materialOf: (identity) => ({ ...identity, kubeconfig: wantedKubeconfig(item, joined.stanza) }),
    passOf: (certificate, now) => certificatePass(passFacts(item, joined.stanza), certificate, now),
    selector: `${labels.clusterName}=${cluster},${labels.addonName}=${addon}`,
    reasons: {
      denied: reasons.ClientCertificateDenied,
      halted: reasons.ClientCertificateCreationHalted,
      wrongCertificate: reasons.ClientCertificateUpdateFailed,
      removed: reasons.ClientCertificateUpdateFailed,
    },
    lookAgainMs: settings.resyncMs,
    onStep: (step) => checkpoint(step === 'created' ? 'addon-csr.csr-created' : 'addon-csr.certificate-received'),
    limits,
    patienceMs,
  })

  let told: ConditionReport | undefined
  function report(report: Report): void {
    if (!worthAWatch.includes(report.state)) watching.follow(undefined)
    const certPem = kept.certPem()
    told = conditionOfCertificate(report, certPem, words) ?? (report.usable ? stillValid(certPem) : trouble(told))
    options.report({ conditions: told ? [told] : [], ...(report.usable && report.pass && { pass: report.pass }) })
  }
  /** What went wrong before the request that is on its way now. */
  const trouble = (before: ConditionReport | undefined) => (before?.status === 'False' ? before : undefined)
  /** While a renewal is on its way, also after a restart. */
  const stillValid = (certPem: string | undefined) =>
    conditionOfCertificate({ state: coreReasons.PassIssued, usable: true }, certPem, words)

  const loop = keepFresh<AddonMaterial>({
    issuance,
    keep: {
      load: kept.load,
      async savePending(pending) {
        await kept.savePending(pending)
        if (!pending.refused) checkpoint('addon-csr.pending-saved')
      },
      async save(received) {
        await kept.save(received)
        checkpoint('addon-csr.identity-saved')
      },
    },
    report,
    clock,
    random,
    log,
  })
  return { run: (signal) => runTogether(signal, [loop.run, watching.run]), poke: loop.poke }
}

/** Also knows which certificate it loaded or saved last: a report names it by its fingerprint only. */
function rememberingKeep(keep: Keep<AddonMaterial>): Keep<AddonMaterial> & { certPem(): string | undefined } {
  let certPem: string | undefined
  return {
    certPem: () => certPem,
    async load() {
      const loaded = await keep.load()
      certPem = loaded.kept?.material.certPem
      return loaded
    },
    savePending: keep.savePending,
    async save(kept) {
      await keep.save(kept)
      certPem = kept.material.certPem
    },
  }
}
