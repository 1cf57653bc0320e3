import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { systemClock } from '../../core/clock.ts'
import { agentOrder, csrObject } from '../../fleet/csr/request.ts'
import { createSelfSigned, generateKey, readCertificate } from '../../pki/index.ts'
import './index.ts'

/** Its tests load it; what an agent does must not: it takes 6 MiB and a part of each start. */
const library = '@peculiar/x509'

test('an agent asks for a certificate, makes one and reads it without the library that tests compare with', async () => {
  await csrObject(agentOrder('west', 'a1'), generateKey().keyPem)
  const subject = { commonName: 'localhost' }
  const { certPem } = await createSelfSigned({ subject, clock: systemClock, lifetimeMs: 3_600_000 })
  assert.equal(readCertificate(certPem).subject.commonName, 'localhost')
  const { cache } = createRequire(import.meta.url)
  assert.deepEqual(
    Object.keys(cache).filter((path) => path.includes(library)),
    [],
  )
})
