import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from './control-plane/ports.ts'
import { eventually } from './eventually.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

/** Starts moto, the imitation of AWS by others, and answers with the URL of all its services. */
export async function startMoto(t: TestScope, program: string): Promise<string> {
  const port = await freePort()
  const moto = spawn(program, ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' })
  teardown(t, async () => {
    const gone = once(moto, 'exit')
    moto.kill()
    await gone
  })
  const url = `http://127.0.0.1:${port}`
  await eventually(
    'moto answers',
    () =>
      fetch(`${url}/moto-api/`).then(
        (answer) => answer.ok,
        () => false,
      ),
    {
      withinMs: 120_000,
      everyMs: 200,
    },
  )
  return url
}

/** From now on moto verifies the signature of every call by botocore, and asks the policies of whoever makes it. */
export async function verifySignatures(moto: string): Promise<void> {
  const answer = await fetch(`${moto}/moto-api/reset-auth`, { method: 'POST', body: '0' })
  if (!answer.ok) throw new Error(`moto answered ${answer.status}`)
}
