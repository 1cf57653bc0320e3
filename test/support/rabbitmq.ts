/** A RabbitMQ of a test's own: on loopback, in a folder of its own, with nothing left behind. */
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { connect } from 'amqplib'
import { freePort } from './control-plane/ports.ts'
import { tempDir } from './temp-dir.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

/** Where Debian has the program itself; the one on the PATH changes to a user of its own. */
const program = '/usr/lib/rabbitmq/bin/rabbitmq-server'

export interface Broker {
  url: string
  /** As after a crash: its messages are on disk. */
  kill(): Promise<void>
  start(): Promise<void>
}

/** The name server of Erlang would stay as a daemon if the broker started it. */
async function startEpmd(t: TestScope): Promise<number> {
  const port = await freePort()
  const epmd = spawn('epmd', ['-port', String(port), '-address', '127.0.0.1'], { stdio: 'ignore' })
  teardown(t, () => ended(epmd, 'SIGKILL'))
  return port
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  // Erlang runs below a shell: the whole group ends.
  if (child.spawnargs[0] === program && child.pid) process.kill(-child.pid, signal)
  else child.kill(signal)
  await gone
}

export async function startBroker(t: TestScope): Promise<Broker> {
  const dir = tempDir(t)
  const [port, distPort, epmdPort] = [await freePort(), await freePort(), await startEpmd(t)]
  const url = `amqp://guest:guest@127.0.0.1:${port}`
  writeFileSync(join(dir, 'enabled_plugins'), '[].')
  writeFileSync(join(dir, 'rabbitmq.conf'), `listeners.tcp.default = 127.0.0.1:${port}\n`)
  const env = {
    PATH: process.env['PATH'],
    HOME: dir,
    LANG: 'C.UTF-8',
    ERL_EPMD_PORT: String(epmdPort),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_NODENAME: `test${port}@localhost`,
    RABBITMQ_DIST_PORT: String(distPort),
    RABBITMQ_CONF_ENV_FILE: join(dir, 'none'),
    RABBITMQ_CONFIG_FILE: join(dir, 'rabbitmq.conf'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(dir, 'enabled_plugins'),
    RABBITMQ_MNESIA_BASE: join(dir, 'mnesia'),
    RABBITMQ_LOG_BASE: join(dir, 'log'),
    RABBITMQ_PID_FILE: join(dir, 'pid'),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '+S 1:1 +sbwt none -kernel inet_dist_use_interface {127,0,0,1}',
  }
  let child: ChildProcess | undefined
  const output = join(dir, 'output')

  async function start(): Promise<void> {
    const log = openSync(output, 'a')
    child = spawn(program, [], { env, cwd: dir, detached: true, stdio: ['ignore', log, log] })
    for (let looks = 0; ; looks += 1) {
      if (child.exitCode !== null || looks > 600)
        throw new Error(`RabbitMQ did not start:\n${readFileSync(output, 'utf8').slice(-2_000)}`)
      try {
        await (await connect(url)).close()
        return
      } catch {
        await delay(200)
      }
    }
  }
  const kill = async () => {
    if (child) await ended(child, 'SIGKILL')
  }
  teardown(t, kill)
  await start()
  return { url, kill, start }
}
