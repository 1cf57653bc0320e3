/** A primary and its standby behind one address, as a virtual IP would be: what fails over is the address. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { eventually } from './eventually.ts'
import { databaseUrl, debianPostgres, freshDatabase, launchServer, makeTemplate } from './postgres.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

export interface Pair {
  /** Of a migrated database, through the address. */
  url: string
  /** Kills the primary: from then on nothing answers behind the address. */
  killPrimary(): void
  /** Makes the standby a primary and leads the address to it. */
  failOver(): Promise<void>
}

export async function aPair(t: TestScope): Promise<Pair> {
  const binaries = debianPostgres()
  if (!binaries) throw new Error('needs the package postgresql')
  // What was committed is at the standby, or it was not committed.
  const primary = await launchServer({ binaries, flags: ['synchronous_standby_names=*', 'synchronous_commit=local'] })
  teardown(t, async () => await primary[Symbol.asyncDispose]())
  const standby = await launchServer({
    binaries,
    async make(data, identity) {
      const source = `host=${primary.dir} user=postgres`
      const args = ['-D', data, '-d', source, '--write-recovery-conf', '--checkpoint=fast', '--no-sync']
      const copied = spawnSync(binaries.pg_basebackup, args, { ...identity, cwd: '/' })
      if (copied.status !== 0) throw new Error(`pg_basebackup failed: ${copied.stderr}`)
    },
  })
  teardown(t, async () => await standby[Symbol.asyncDispose]())
  await makeTemplate(primary.url)
  let database = ''
  // Dropped with its servers.
  await freshDatabase({ after: () => {} }, primary.url).then((url) => {
    database = new URL(url.replace('@/', '@x/')).pathname.slice(1)
  })
  await ask(standby.url, 'SELECT 1')
  await eventually('the standby follows', async () => {
    const [row] = await ask(primary.url, `SELECT count(*)::int AS n FROM pg_stat_replication WHERE sync_state = 'sync'`)
    return row?.['n'] === 1
  })

  const address = await anAddress(t, join(primary.dir, '.s.PGSQL.5432'))
  return {
    url: `postgresql://postgres@127.0.0.1:${address.port}/${database}`,
    killPrimary() {
      process.kill(primary.pid, 'SIGKILL')
      // What it has started would answer for a moment more.
      address.leadTo(undefined)
    },
    async failOver() {
      await ask(standby.url, 'SELECT pg_promote()')
      address.leadTo(join(standby.dir, '.s.PGSQL.5432'))
      await eventually(
        'the standby has all there was',
        async () => (await ask(databaseUrl(standby.url, database), 'SELECT 1')).length,
      )
    },
  }
}

async function ask(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

async function anAddress(t: TestScope, first: string) {
  let target: string | undefined = first
  const open = new Set<Socket>()
  const cut = () => {
    for (const socket of open) socket.destroy()
    open.clear()
  }
  const server = createServer((socket) => {
    if (target === undefined) return void socket.destroy()
    const onward = connect(target)
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      open.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  teardown(t, () => {
    cut()
    server.close()
  })
  const bound = server.address()
  if (typeof bound !== 'object' || !bound) throw new Error('no port')
  return {
    port: bound.port,
    /** Undefined: to nobody. Who is there is cut off. */
    leadTo(path: string | undefined) {
      target = path
      cut()
    },
  }
}
