import type { AddonSignerOptions } from '../../src/addons/drivers/csr/signer.ts'
import { addonSigner } from '../../src/addons/drivers/csr/signer.ts'
import type { Clock } from '../../src/core/clock.ts'
import { after } from '../../src/core/clock.ts'
import { silentLog } from '../../src/core/log.ts'
import { systemRandom } from '../../src/core/random.ts'
import type { Kube } from '../../src/kube/kube.ts'
import { createAuthority, issueCertificate } from '../../src/pki/index.ts'
import { runInTest } from './fleet-scene.ts'
import type { TestScope } from './test-scope.ts'

export interface TestSignerOptions extends Partial<Pick<AddonSignerOptions, 'sign' | 'mayApprove'>> {
  clock: Clock
  /** Of its certificates. Default an hour. */
  lifeSeconds?: number
}

/** A signer of add-ons that says yes to everything and runs until the test is over; the certificate of its authority. */
export async function startTestSigner(
  t: TestScope,
  kube: Kube,
  signerName: string,
  { clock, lifeSeconds = 3_600, ...options }: TestSignerOptions,
): Promise<string> {
  const authority = await createAuthority({ commonName: signerName, clock, lifetimeMs: 30 * 86_400_000 })
  const { run } = addonSigner({
    kube,
    signerName,
    clock,
    random: systemRandom,
    log: silentLog,
    mayApprove: () => true,
    sign: (request) => {
      const now = clock.now()
      const notAfter = after(now, lifeSeconds * 1_000)
      return issueCertificate(authority, request, { usages: ['client'], notBefore: now, notAfter })
    },
    ...options,
  })
  runInTest(t, [run])
  return authority.certPem
}
