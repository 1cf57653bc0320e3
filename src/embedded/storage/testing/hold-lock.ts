// Locks the folder it is given, says how that went, and holds it until it is ended.
import { isFailure } from '../../../core/failure.ts'
import { lockFolder } from '../lock.ts'

try {
  const lock = lockFolder(process.argv[2] ?? '')
  process.stdout.write('locked\n')
  process.stdin.once('end', () => lock[Symbol.dispose]()).resume()
} catch (error) {
  process.stdout.write(`${isFailure(error) ? `${error.code} ${error.message}` : error}\n`)
}
