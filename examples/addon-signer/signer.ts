/** A signer for add-ons with a certificate authority of its own: what it signs is good wherever that one is trusted. */
import { isOwnSubject } from '../../src/addons/drivers/csr/own-subjects.ts'
import type { AddonRequest } from '../../src/addons/drivers/csr/read-request.ts'
import type { Refusal } from '../../src/addons/drivers/csr/signer.ts'
import { addonSigner } from '../../src/addons/drivers/csr/signer.ts'
import type { Clock } from '../../src/core/clock.ts'
import { after } from '../../src/core/clock.ts'
import type { Run } from '../../src/core/lifecycle.ts'
import type { Log } from '../../src/core/log.ts'
import type { Random } from '../../src/core/random.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { Authority } from '../../src/pki/index.ts'
import { issueCertificate } from '../../src/pki/index.ts'
import { authorityIn } from './authority.ts'

export const signerName = 'example.com/addon-signer'

export interface ExampleSignerOptions {
  /** The hub. */
  kube: Kube
  /** Where the signer keeps its authority, in the Secret `addon-signer-ca`. */
  namespace: string
  /** The add-ons that get a certificate without a person. */
  addons: readonly string[]
  clock: Clock
  random: Random
  log: Log
}

export interface ExampleSigner {
  readonly run: Run
  /** For the servers that are to trust its certificates. */
  readonly caPem: string
}

export async function exampleSigner(options: ExampleSignerOptions): Promise<ExampleSigner> {
  const { addons, clock } = options
  const authority = await authorityIn(options)
  const { run } = addonSigner({
    ...options,
    signerName,
    // The subject is what the agent of the cluster likes. Its own add-on on its own cluster is all that it may be.
    mayApprove: (request) => addons.includes(request.addon) && isOwnSubject(request, request.subject),
    sign: (request) => sign(authority, request, clock.now()),
  })
  return { run, caPem: authority.certPem }
}

const longestSeconds = 24 * 3_600
const backdateMs = 5 * 60_000

/** For as long as was asked, at most a day. A person may have approved what `mayApprove` did not. */
async function sign(authority: Authority, request: AddonRequest, now: Date): Promise<string | Refusal> {
  if (request.subject.commonName === '') return { refused: 'The request names nobody; give the registration a user.' }
  const { expirationSeconds = longestSeconds } = request.csr.spec
  return await issueCertificate(authority, request, {
    usages: ['client'],
    notBefore: after(now, -backdateMs),
    notAfter: after(now, Math.min(expirationSeconds, longestSeconds) * 1_000),
  })
}
