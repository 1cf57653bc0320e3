import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import { sleep } from '../../core/clock.ts'
import type { AwsCall } from './contract.ts'
import type { Prepared } from './dispatch.ts'
import { prepare } from './dispatch.ts'
import type { AwsFault, FaultBox } from './faults.ts'
import type { WireReply } from './query-protocol.ts'
import { AwsRefusal, refusals } from './refusals.ts'
import { readRequest } from './request.ts'
import type { World } from './state.ts'

export interface Serving {
  host: string
  close(): Promise<void>
}

/** What a fault does with a call. */
interface Doing {
  call: AwsCall
  prepared: Prepared
  effect(): Promise<WireReply>
  say(reply: WireReply): void
  cut(): void
}

/** Takes calls over HTTP, one entry of `calls` each. */
export async function serve(world: World, faults: FaultBox, calls: AwsCall[], port = 0): Promise<Serving> {
  const over = new AbortController()

  async function serveCall(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const prepared = prepare(world, await readRequest(incoming))
    const { service, action, input } = prepared
    const call: AwsCall = { service, action, input, status: 0, at: world.clock.now() }
    calls.push(call)
    const effect = () => done(prepared, call)
    const say = (reply: WireReply) => {
      call.status = reply.status
      write(response, reply, world.clock.now())
    }
    const cut = () => void incoming.socket.destroy()
    await act(faults.next(action), { call, prepared, effect, say, cut })
  }

  async function act(fault: AwsFault['do'] | undefined, { call, prepared, effect, say, cut }: Doing): Promise<void> {
    if (fault === undefined) return say(await effect())
    if (fault === 'drop') return cut()
    if (fault === 'lose-answer') {
      await effect()
      return cut()
    }
    if (fault === 'throttle')
      return say(refusalIn(prepared, call, new AwsRefusal('THROTTLED', refusals.THROTTLED.says)))
    if ('refuse' in fault)
      return say(refusalIn(prepared, call, new AwsRefusal(fault.refuse, refusals[fault.refuse].says)))
    if ('code' in fault) {
      const { code, status = 400, message = 'a fault of the stand-in' } = fault
      call.code = code
      return say(prepared.failed({ code, status, message }))
    }
    if ('delayMs' in fault) await sleep(world.clock, fault.delayMs, over.signal)
    if ('before' in fault) await fault.before(call)
    const reply = await effect()
    if ('after' in fault) await fault.after(call)
    say(reply)
  }

  // Longer than a test lasts: a call that meets the end of an idle connection fails in a client that does not try again.
  const server = createServer({ keepAliveTimeout: 600_000 }, (incoming, response) => {
    serveCall(incoming, response).catch(() => response.destroy())
  })
  return {
    host: `127.0.0.1:${await listen(server, port)}`,
    async close() {
      over.abort()
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

async function done(prepared: Prepared, call: AwsCall): Promise<WireReply> {
  try {
    return await prepared.effect((caller) => {
      call.caller = caller.arn
    })
  } catch (error) {
    if (error instanceof AwsRefusal) return refusalIn(prepared, call, error)
    throw error
  }
}

function refusalIn(prepared: Prepared, call: AwsCall, refusal: AwsRefusal): WireReply {
  const { row } = refusal
  call.code = prepared.service === 'eks' ? (row.json ?? row.code) : row.code
  return prepared.refused(refusal)
}

/** Dated by the clock that was passed in: SDKs correct their own by it. */
function write(response: ServerResponse, { status, type, headers = {}, body }: WireReply, now: Date): void {
  if (response.destroyed) return
  response.writeHead(status, { 'content-type': type, date: now.toUTCString(), ...headers }).end(body)
}

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      const bound = server.address()
      resolve(typeof bound === 'object' && bound ? bound.port : 0)
    })
  })
