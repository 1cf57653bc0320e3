import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { eventually } from './eventually.ts'
import { tempDir } from './temp-dir.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

const nobody = 65_534

/** A real PgBouncer in transaction mode in front of the server of a database; gives the database's URL through it. */
export async function throughPgbouncer(t: TestScope, program: string, databaseUrl: string): Promise<string> {
  const dir = tempDir(t)
  const name = new URL(databaseUrl.replace('@/', '@x/')).pathname.slice(1)
  const host = new URL(databaseUrl.replace('@/', '@x/')).searchParams.get('host')
  const config = join(dir, 'pgbouncer.ini')
  writeFileSync(
    config,
    `[databases]
${name} = host=${host} user=postgres
[pgbouncer]
pool_mode = transaction
default_pool_size = 20
max_client_conn = 500
unix_socket_dir = ${dir}
listen_port = 6432
auth_type = any
logfile = ${join(dir, 'log')}
`,
  )
  chmodSync(dir, 0o700)
  const isRoot = process.getuid?.() === 0
  if (isRoot) for (const path of [dir, config]) chownSync(path, nobody, nobody)
  const child = spawn(program, [config], { stdio: 'ignore', cwd: dir, ...(isRoot && { uid: nobody, gid: nobody }) })
  teardown(t, async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGQUIT')
    await ended
  })
  const url = `postgresql://postgres@/${name}?host=${encodeURIComponent(dir)}&port=6432&pgbouncer=true`
  await eventually('PgBouncer answers', async () => {
    const client = new pg.Client(url)
    client.on('error', () => {})
    return await client.connect().then(
      () => client.end().then(() => true),
      () => false,
    )
  })
  return url
}
