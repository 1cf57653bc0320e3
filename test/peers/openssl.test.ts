import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../src/core/clock.ts'
import { Secret } from '../../src/core/secret.ts'
import type { Authority } from '../../src/pki/index.ts'
import {
  createAuthority,
  createRequest,
  createSelfSigned,
  fingerprintOf,
  generateKey,
  issueCertificate,
  keyMatches,
  publicKeyDigest,
  publicKeyOf,
  readCertificate,
  readRequest,
  whyUntrusted,
} from '../../src/pki/index.ts'
import { peer } from '../support/peer.ts'

const hour = 3_600_000
const names = ['-nameopt', 'RFC2253,-esc_msb,utf8']
const odd = { commonName: 'a,b+c="d"\\ü漢;<#>: x', organizations: ['system:masters', '#z', 'a=b, O=c'] }
const sans = { dnsNames: ['hub.example.com'], ipAddresses: ['10.0.0.1', '2001:db8::1'], uris: ['spiffe://a/b'] }

interface Openssl {
  /** What it printed. */
  run(...args: string[]): string
  /** Writes an input and answers with its name. */
  file(name: string, text: string): string
}

/** A test with openssl in a folder of its own. */
function testWithOpenssl(name: string, body: (openssl: Openssl) => void | Promise<void>) {
  return test(name, (t) => {
    const path = peer(t, 'openssl')
    if (!path) return
    const folder = mkdtempSync(join(tmpdir(), 'lanyard-openssl-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    return body({
      run: (...args) => execFileSync(path, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }),
      file(name, text) {
        writeFileSync(join(folder, name), text, { mode: 0o600 })
        return name
      },
    })
  })
}

const fails = (action: () => unknown) => assert.throws(action, { status: 2 })

async function issue(authority: Authority, usages: readonly ('client' | 'server')[]) {
  const { keyPem, publicKeyPem } = generateKey()
  const now = systemClock.now()
  const validity = { notBefore: new Date(now.getTime() - 60_000), notAfter: new Date(now.getTime() + hour) }
  const certPem = await issueCertificate(authority, { subject: odd, publicKeyPem, sans }, { usages, ...validity })
  return { certPem, keyPem }
}

const anAuthority = (commonName: string, parent?: Authority) =>
  createAuthority({ commonName, clock: systemClock, lifetimeMs: 24 * hour, ...(parent && { parent }) })

testWithOpenssl('openssl finds our keys sound and derives the same public half', ({ run, file }) => {
  const { keyPem, publicKeyPem } = generateKey()
  const key = file('key.pem', keyPem.reveal())
  run('pkey', '-in', key, '-check', '-noout')
  run('ec', '-in', key, '-check', '-noout')
  assert.equal(run('pkey', '-in', key, '-pubout'), publicKeyPem)
})

testWithOpenssl('we read the keys that openssl writes, in each of its encodings', ({ run, file }) => {
  const written = [
    run('ecparam', '-name', 'prime256v1', '-genkey'), // EC PARAMETERS, then EC PRIVATE KEY
    run('genrsa', '-traditional', '2048'),
    run('genpkey', '-algorithm', 'ED25519'),
  ]
  for (const pem of written) {
    const key = file('key.pem', pem)
    const pkcs8 = Secret.of(run('pkcs8', '-topk8', '-nocrypt', '-in', key))
    assert.equal(publicKeyOf(Secret.of(pem)), run('pkey', '-in', key, '-pubout'))
    assert.equal(publicKeyDigest(Secret.of(pem)), publicKeyDigest(pkcs8))
  }
})

testWithOpenssl('openssl verifies our requests and reads the same names', async ({ run, file }) => {
  const { keyPem } = generateKey()
  const request = file('request.pem', await createRequest({ keyPem, subject: odd, sans }))
  run('req', '-in', request, '-verify', '-noout')
  assert.equal(
    run('req', '-in', request, '-noout', '-subject', ...names).trim(),
    'subject=CN=a\\,b\\+c=\\"d\\"\\\\ü漢\\;\\<#\\>: x,O=a=b\\, O=c,O=\\#z,O=system:masters',
  )
  const text = run('req', '-in', request, '-noout', '-text')
  assert.match(
    text,
    /DNS:hub\.example\.com, IP Address:10\.0\.0\.1, IP Address:2001:DB8:0:0:0:0:0:1, URI:spiffe:\/\/a\/b/,
  )
})

testWithOpenssl('we read the requests that openssl makes, whichever kind of key they are for', ({ run, file }) => {
  const kinds = [
    ['EC', '-pkeyopt', 'ec_paramgen_curve:P-256'],
    ['EC', '-pkeyopt', 'ec_paramgen_curve:P-384'],
    ['RSA', '-pkeyopt', 'rsa_keygen_bits:2048'],
    ['ED25519'],
  ]
  for (const [kind = '', ...options] of kinds) {
    run('genpkey', '-algorithm', kind, ...options, '-out', 'key.pem')
    const subject = '/C=DE/O=system:nodes/O=b\\/c/OU=x/CN=system:node:ü'
    const extension = 'subjectAltName=DNS:a.example,IP:::1,email:a@b.example,URI:https://a/,dirName:dir\n[dir]\nCN=d\n'
    const config = file('config', `[req]\ndistinguished_name=dn\nreq_extensions=ext\n[dn]\n[ext]\n${extension}`)
    run('req', '-new', '-utf8', '-key', 'key.pem', '-subj', subject, '-config', config, '-out', 'request.pem')
    const pem = run('req', '-in', 'request.pem', '-text') // text, then the block
    assert.deepEqual(readRequest(pem), {
      subject: {
        commonName: 'system:node:ü',
        organizations: ['system:nodes', 'b/c'],
        organizationalUnits: ['x'],
        others: [{ oid: '2.5.4.6', value: 'DE' }],
      },
      sans: {
        dnsNames: ['a.example'],
        ipAddresses: ['::1'],
        uris: ['https://a/'],
        emails: ['a@b.example'],
        otherKinds: ['directoryName'],
      },
      publicKeyPem: run('pkey', '-in', 'key.pem', '-pubout'),
      signatureValid: true,
    })
  }
})

testWithOpenssl(
  'openssl trusts our chains for what they are for, strictly, and for nothing else',
  async ({ run, file }) => {
    const root = await anAuthority('root, "quoted"')
    const middle = await anAuthority('middle ü', root)
    const client = file('client.pem', (await issue(middle, ['client'])).certPem)
    const server = file('server.pem', (await issue(middle, ['server'])).certPem)
    const trust = [
      '-x509_strict',
      '-CAfile',
      file('root.pem', root.certPem),
      '-untrusted',
      file('mid.pem', middle.certPem),
    ]
    run('verify', ...trust, '-purpose', 'sslclient', client)
    run('verify', ...trust, '-purpose', 'sslserver', '-verify_hostname', 'hub.example.com', server)
    run('verify', ...trust, '-purpose', 'sslserver', '-verify_ip', '2001:db8::1', server)
    fails(() => run('verify', ...trust, '-purpose', 'sslserver', client))
    fails(() => run('verify', ...trust, '-purpose', 'sslclient', server))
    fails(() => run('verify', ...trust, '-verify_hostname', 'other.example.com', server))
    fails(() => run('verify', '-CAfile', 'root.pem', client))
  },
)

testWithOpenssl('openssl trusts a self-signed server that it was given', async ({ run, file }) => {
  const subject = { commonName: 'server' }
  const { certPem } = await createSelfSigned({ subject, sans, clock: systemClock, lifetimeMs: hour })
  const self = file('self.pem', certPem)
  run('verify', '-x509_strict', '-CAfile', self, '-purpose', 'sslserver', '-verify_hostname', 'hub.example.com', self)
})

testWithOpenssl(
  'openssl reads from our certificates what we read: names, dates, serial, fingerprint',
  async ({ run, file }) => {
    const { certPem, keyPem } = await issue(await anAuthority('root'), ['client'])
    const certificate = file('certificate.pem', certPem)
    const field = (...option: string[]) =>
      run('x509', '-in', certificate, '-noout', ...option)
        .trim()
        .split('=')
        .slice(1)
        .join('=')
    const ours = readCertificate(certPem)
    assert.equal(field('-fingerprint', '-sha256'), fingerprintOf(certPem))
    assert.equal(field('-serial'), ours.serial)
    assert.equal(new Date(field('-startdate')).getTime(), ours.notBefore.getTime())
    assert.equal(new Date(field('-enddate')).getTime(), ours.notAfter.getTime())
    assert.equal(field('-issuer', ...names), 'CN=root')
    assert.equal(run('x509', '-in', certificate, '-noout', '-pubkey'), publicKeyOf(keyPem))
  },
)

testWithOpenssl('we judge chains that openssl makes as openssl does', ({ run, file }) => {
  const config = file(
    'config',
    '[req]\ndistinguished_name=dn\n[dn]\n[ca]\nbasicConstraints=critical,CA:TRUE,pathlen:0\n',
  )
  const usage = file('usage', 'extendedKeyUsage=clientAuth\nsubjectAltName=DNS:a.example\n')
  for (const key of [['rsa:2048'], ['ec', '-pkeyopt', 'ec_paramgen_curve:P-384']]) {
    const newKey = ['-nodes', '-config', config, '-newkey', ...key]
    run('req', '-x509', ...newKey, '-extensions', 'ca', '-subj', '/O=o/CN=root', '-keyout', 'ca.key', '-out', 'ca.pem')
    run('req', '-new', ...newKey, '-subj', '/O=b/O=a/CN=agent', '-keyout', 'leaf.key', '-out', 'leaf.csr')
    run(
      'x509',
      '-req',
      '-in',
      'leaf.csr',
      '-CA',
      'ca.pem',
      '-CAkey',
      'ca.key',
      '-CAcreateserial',
      '-extfile',
      usage,
      '-out',
      'leaf.pem',
    )
    run('verify', '-CAfile', 'ca.pem', '-purpose', 'sslclient', 'leaf.pem')
    const [ca, leaf] = [run('x509', '-in', 'ca.pem'), run('x509', '-in', 'leaf.pem')]
    const { subject, sans, usages } = readCertificate(leaf)
    assert.deepEqual(
      { ...subject, dnsNames: sans.dnsNames, usages },
      {
        commonName: 'agent',
        organizations: ['b', 'a'],
        organizationalUnits: [],
        others: [],
        dnsNames: ['a.example'],
        usages: ['client'],
      },
    )
    assert.equal(readCertificate(ca).pathLength, 0)
    assert.equal(keyMatches(leaf, Secret.of(run('pkey', '-in', 'leaf.key'))), true)
    assert.equal(whyUntrusted(leaf, ca, systemClock.now(), { usage: 'client' }), undefined)
    assert.equal(whyUntrusted(leaf, ca, systemClock.now(), { usage: 'server' }), 'UsageNotAllowed')
    assert.equal(whyUntrusted(leaf, ca, systemClock.now(), { hostname: 'b.example' }), 'HostnameMismatch')
  }
})

testWithOpenssl('an authority that openssl made issues certificates through us', async ({ run, file }) => {
  for (const key of [['rsa:2048'], ['ec', '-pkeyopt', 'ec_paramgen_curve:P-521'], ['ed25519']]) {
    run(
      'req',
      '-x509',
      '-nodes',
      '-newkey',
      ...key,
      '-subj',
      '/C=DE/O=o/emailAddress=a@b.example/CN=root',
      '-keyout',
      'ca.key',
      '-out',
      'ca.pem',
    )
    const authority = { certPem: run('x509', '-in', 'ca.pem'), keyPem: Secret.of(run('pkey', '-in', 'ca.key')) }
    const { certPem } = await issue(authority, ['server'])
    run('verify', '-CAfile', 'ca.pem', '-purpose', 'sslserver', file('leaf.pem', certPem))
    assert.equal(whyUntrusted(certPem, authority.certPem, systemClock.now(), { usage: 'server' }), undefined)
  }
})
