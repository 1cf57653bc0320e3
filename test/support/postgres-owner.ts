// A process that runs a PostgreSQL of its own in the folder it is told, and says where, or why not.
import { systemClock } from '../../src/core/clock.ts'
import { isFailure } from '../../src/core/failure.ts'
import { silentLog } from '../../src/core/log.ts'
import { startPostgres } from '../../src/pull-secrets/postgres/index.ts'

const [dir = ''] = process.argv.slice(2)
try {
  const { url, pid, stop } = await startPostgres({
    dir,
    log: silentLog,
    clock: systemClock,
    settings: { fsync: 'off' },
  })
  console.log(JSON.stringify({ url, pid }))
  process.stdin.once('end', () => void stop())
  process.stdin.resume()
} catch (error) {
  console.log(JSON.stringify(isFailure(error) ? { code: error.code, params: error.params } : { code: String(error) }))
}
