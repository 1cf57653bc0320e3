/** A real registry (distribution's, as Debian packages it) that trusts the tokens of a stand-in, and a client for it. */
import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { systemClock } from '../../src/core/clock.ts'
import type { TokenIssuer } from '../../src/demo/registries/index.ts'
import { createSelfSigned } from '../../src/pki/index.ts'
import { tempDir } from './temp-dir.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

const run = promisify(execFile)

/** Who may push, for the one image there is. */
export const pusher = { username: 'pusher', password: 'for-the-first-image' }

export async function aTokenIssuer(): Promise<TokenIssuer> {
  const { certPem, keyPem } = await createSelfSigned({
    subject: { commonName: 'tokens' },
    sans: { dnsNames: ['tokens.example'] },
    clock: systemClock,
    lifetimeMs: 3_600_000,
  })
  return { issuer: 'stand-in', service: 'registry', certPem, keyPem: keyPem.reveal(), pusher }
}

export interface RealRegistry {
  /** As under `auths`. */
  host: string
}

/** @param realm where its clients get their tokens: `/v2/auth` of a stand-in with that issuer */
export async function startDockerRegistry(
  t: TestScope,
  program: string,
  { realm, tokens }: { realm: string; tokens: TokenIssuer },
): Promise<RealRegistry> {
  const dir = tempDir(t)
  const bundle = join(dir, 'tokens.pem')
  writeFileSync(bundle, tokens.certPem)
  const config = {
    version: '0.1',
    log: { level: 'info', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: join(dir, 'images') } },
    http: { addr: '127.0.0.1:0' },
    auth: { token: { realm, service: tokens.service, issuer: tokens.issuer, rootcertbundle: bundle } },
  }
  const file = join(dir, 'config.yml')
  writeFileSync(file, JSON.stringify(config))
  const child = spawn(program, ['serve', file], {
    env: { OTEL_TRACES_EXPORTER: 'none' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'exit')
  teardown(t, async () => {
    child.kill('SIGKILL')
    await ended
  })
  const lines: string[] = []
  for await (const line of createInterface(child.stderr)) {
    lines.push(line)
    const port = /listening on 127\.0\.0\.1:(\d+)/.exec(line)?.[1]
    if (port === undefined) continue
    child.stderr.resume()
    return { host: `127.0.0.1:${port}` }
  }
  throw new Error(`the registry did not start:\n${lines.join('\n')}`)
}

export interface Skopeo {
  /** Puts the image there. */
  push(host: string, image: string): Promise<void>
  /** Whether a client with exactly this document gets the image, manifest and layers. */
  pulls(host: string, image: string, document: string): Promise<boolean>
}

/** Each call has files of its own, and none of the machine's. */
export function skopeo(t: TestScope, program: string): Skopeo {
  const home = tempDir(t)
  const layout = tinyImage(join(home, 'image'))
  let count = 0
  const authFile = (document: string): string => {
    const file = join(home, `auth-${count++}.json`)
    writeFileSync(file, document, { mode: 0o600 })
    return file
  }
  const copy = (...args: string[]) =>
    run(program, ['--insecure-policy', 'copy', '--quiet', ...args], {
      env: { HOME: home, XDG_RUNTIME_DIR: home, PATH: '/usr/bin:/bin' },
      timeout: 120_000,
    })
  return {
    async push(host, image) {
      const auth = Buffer.from(`${pusher.username}:${pusher.password}`).toString('base64')
      const document = authFile(JSON.stringify({ auths: { [host]: { auth } } }))
      await copy('--dest-tls-verify=false', '--authfile', document, `oci:${layout}:1`, `docker://${host}/${image}`)
    },
    async pulls(host, image, document) {
      const target = `dir:${join(home, `pulled-${count++}`)}`
      try {
        await copy('--src-tls-verify=false', '--authfile', authFile(document), `docker://${host}/${image}`, target)
        return true
      } catch (error) {
        const { stderr = '' } = error as { stderr?: string }
        if (/unauthorized|authentication required|invalid username\/password|denied/i.test(stderr)) return false
        throw error
      }
    },
  }
}

/** An image of one file, in an OCI layout. */
function tinyImage(dir: string): string {
  const blobs = join(dir, 'blobs/sha256')
  mkdirSync(blobs, { recursive: true })
  const blob = (content: Buffer) => {
    const hex = createHash('sha256').update(content).digest('hex')
    writeFileSync(join(blobs, hex), content)
    return { digest: `sha256:${hex}`, size: content.length }
  }
  const json = (value: unknown) => Buffer.from(JSON.stringify(value))
  const tar = Buffer.concat([tarHeader('hello', 6), Buffer.from('hello\n'.padEnd(512, '\0')), Buffer.alloc(1024)])
  const layer = { mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', ...blob(gzipSync(tar)) }
  const diffId = `sha256:${createHash('sha256').update(tar).digest('hex')}`
  const config = {
    mediaType: 'application/vnd.oci.image.config.v1+json',
    ...blob(json({ architecture: 'amd64', os: 'linux', config: {}, rootfs: { type: 'layers', diff_ids: [diffId] } })),
  }
  const manifest = {
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    ...blob(
      json({
        schemaVersion: 2,
        mediaType: 'application/vnd.oci.image.manifest.v1+json',
        config,
        layers: [layer],
      }),
    ),
    annotations: { 'org.opencontainers.image.ref.name': '1' },
  }
  writeFileSync(join(dir, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }))
  writeFileSync(join(dir, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [manifest] }))
  return dir
}

function tarHeader(name: string, size: number): Buffer {
  const header = Buffer.alloc(512)
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`
  header.write(name, 0)
  header.write(octal(0o644, 8) + octal(0, 8) + octal(0, 8) + octal(size, 12) + octal(0, 12), 100)
  header.write('        0', 148)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}
