/** A Keycloak of a test's own: on loopback, with a database of its own, and nothing left behind. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { issueForServer, testAuthority } from './control-plane/identities.ts'
import { freePort } from './control-plane/ports.ts'
import { rawRequest } from './raw-request.ts'
import { tempDir } from './temp-dir.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

/** As tools/keycloak/install made it. */
const administrator = { username: 'admin', password: 'of-tests' }

export interface Keycloak {
  readonly url: string
  /** Vouches for it. */
  readonly caPem: string
  issuer(realm: string): string
  /** What its administrator may do: `manage('PUT', '/kubernetes', { enabled: false })`. Throws what is refused. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever it answers, for tests to look into
  manage(method: string, path: string, body?: unknown): Promise<any>
  /** What anybody may: a form for an endpoint of OpenID Connect in a realm, `token` or `revoke`. Throws what is refused. */
  ask(
    realm: string,
    endpoint: string,
    form: Readonly<Record<string, string>>,
  ): Promise<Readonly<Record<string, string>>>
}

/** @param program its kc.sh */
export async function startKeycloak(t: TestScope, program: string): Promise<Keycloak> {
  const dir = tempDir(t)
  const authority = await testAuthority('test-keycloak-ca')
  const url = `https://127.0.0.1:${await launch(t, program, dir, authority)}`
  const server = { url, caPem: authority.certPem }

  async function call(method: string, path: string, contentType: string, body?: string, token?: string) {
    const answer = await rawRequest(server, {
      method,
      path,
      headers: { 'content-type': contentType, ...(token && { authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body }),
      // A whole realm takes a while on a machine that does other things as well.
      timeoutMs: 60_000,
    })
    if (answer.code >= 400) throw new Error(`Keycloak answers ${answer.code} to ${method} ${path}: ${answer.text}`)
    return answer.json
  }
  const ask: Keycloak['ask'] = (realm, endpoint, form) =>
    call(
      'POST',
      `/realms/${realm}/protocol/openid-connect/${endpoint}`,
      'application/x-www-form-urlencoded',
      new URLSearchParams(form).toString(),
    )
  return {
    ...server,
    issuer: (realm) => `${url}/realms/${realm}`,
    async manage(method, path, body) {
      // Anew each time: such a token lasts a minute.
      const login = { grant_type: 'password', client_id: 'admin-cli', ...administrator }
      const { access_token } = await ask('master', 'token', login)
      const text = body === undefined ? undefined : JSON.stringify(body)
      return await call(method, `/admin/realms${path}`, 'application/json', text, access_token)
    },
    ask,
  }
}

async function launch(
  t: TestScope,
  program: string,
  dir: string,
  authority: Awaited<ReturnType<typeof testAuthority>>,
): Promise<number> {
  const { certPem, keyPem } = await issueForServer(authority, { ipAddresses: ['127.0.0.1'] })
  const [cert, key, temp] = [join(dir, 'server.crt'), join(dir, 'server.key'), join(dir, 'tmp')]
  writeFileSync(cert, certPem)
  writeFileSync(key, keyPem.reveal(), { mode: 0o600 })
  mkdirSync(temp)
  cpSync(join(dirname(realpathSync(program)), '../data/h2'), join(dir, 'h2'), { recursive: true })
  const port = await freePort()
  const options = {
    cache: 'local',
    'http-host': '127.0.0.1',
    'https-port': port,
    hostname: `https://127.0.0.1:${port}`,
    'https-certificate-file': cert,
    'https-certificate-key-file': key,
    'db-url': `jdbc:h2:file:${join(dir, 'h2/keycloakdb')};NON_KEYWORDS=VALUE;DB_CLOSE_ON_EXIT=FALSE`,
  }
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  const child = spawn(program, ['start', '--optimized', ...args], {
    cwd: dir,
    env: {
      PATH: process.env['PATH'],
      HOME: dir,
      JAVA_HOME: process.env['JAVA_HOME'],
      JAVA_OPTS_KC_HEAP: '-Xms64m -Xmx512m',
      // The better compiler costs more than such a short life gets back.
      JAVA_OPTS_APPEND: `-Djava.io.tmpdir=${temp} -XX:TieredStopAtLevel=1`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  teardown(t, async () => {
    child.kill('SIGKILL')
    await ended
  })
  const lines: string[] = []
  child.stderr.on('data', (chunk: Buffer) => lines.push(chunk.toString()))
  for await (const line of createInterface(child.stdout)) {
    lines.push(line)
    if (!line.includes('Listening on: https:')) continue
    child.stdout.resume()
    return port
  }
  throw new Error(`Keycloak did not start:\n${lines.join('\n')}`)
}
