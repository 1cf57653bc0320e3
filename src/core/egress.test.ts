import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import type { AddressInfo, LookupFunction } from 'node:net'
import { connect, createServer } from 'node:net'
import { describe, test } from 'node:test'
import type { EgressRules } from './egress.ts'
import { checkBehindProxy, checkedLookup, egressRules, everywhere, mayConnect } from './egress.ts'
import { isFailure } from './failure.ts'

const inPod = (own: Partial<EgressRules> = {}) => egressRules({ ...everywhere, ...own }, { inPod: true })
const onLaptop = (own: Partial<EgressRules> = {}) => egressRules({ ...everywhere, ...own }, { inPod: false })
const isDenied = (error: unknown) => isFailure(error, 'EGRESS_DENIED')

describe('which addresses may be connected to', () => {
  const local = [
    ...['0.0.0.0', '0.1.2.3', '127.0.0.1', '127.8.9.10', '169.254.169.254', '169.254.170.2', '100.100.100.200'],
    ...['192.0.0.192', '168.63.129.16', '::', '::1', '0:0:0:0:0:0:0:1', 'fe80::1', 'fe80::1%eth0', 'febf::1', '[::1]'],
    ...['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254'],
    // IPv4 within IPv6
    ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:169.254.169.254', '::ffff:0:0', '::127.0.0.1', '::a9fe:a9fe'],
    ...['::ffff:0:127.0.0.1', '64:ff9b::169.254.169.254', '64:ff9b::7f00:1', '64:ff9b:1::a00:1', '64:ff9b:1:fffe::1'],
    ...['2002:7f00:1::', '2002:a9fe:a9fe::1', '2001:0:7f00:1::1', '2001:0:102:304::5601:5601'],
    ...['2001:db8::5efe:127.0.0.1', 'fd12::200:5efe:a9fe:a9fe'],
  ]
  const elsewhere = [
    ...['10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', '203.0.113.7', '126.255.255.255', '128.0.0.1'],
    ...['169.253.255.255', '169.255.0.0', 'fd12:3456::1', 'fec0::1', '2001:db8::1', '::ffff:10.0.0.1'],
    ...['64:ff9b::10.0.0.1', '2002:a00:1::1', '2001:db8::5efe:10.0.0.1'],
  ]

  test('F11a: a hub in a pod connects to no address that is local to it, however it is written, and to private ones', () => {
    for (const address of local) assert.equal(mayConnect(address, inPod()), false, address)
    for (const address of elsewhere) assert.equal(mayConnect(address, inPod()), true, address)
  })

  test('F11b: elsewhere every address may be connected to', () => {
    for (const address of [...local, ...elsewhere]) assert.equal(mayConnect(address, onLaptop()), true, address)
  })

  const cases: [string, EgressRules, { yes: string[]; no: string[] }][] = [
    [
      'with allowed networks only those',
      onLaptop({ allowed: ['10.0.0.0/8', 'fd12::/16'] }),
      {
        yes: ['10.1.2.3', 'fd12::1', '::ffff:10.1.2.3', '64:ff9b::10.1.2.3'],
        no: ['11.0.0.1', '127.0.0.1', 'fd13::1'],
      },
    ],
    [
      'denied networks within allowed ones',
      onLaptop({ allowed: ['10.0.0.0/8'], denied: ['10.96.0.0/12'] }),
      { yes: ['10.1.2.3', '10.112.0.0'], no: ['10.96.0.1', '10.111.255.255'] },
    ],
    [
      'allowed networks within denied ones',
      onLaptop({ allowed: ['10.1.0.0/16', '0.0.0.0/0'], denied: ['10.0.0.0/8'] }),
      { yes: ['10.1.2.3', '203.0.113.7'], no: ['10.2.0.0', '2001:db8::1'] },
    ],
    [
      'denied where a network is both',
      onLaptop({ allowed: ['10.0.0.0/8'], denied: ['10.0.0.0/8'] }),
      { yes: [], no: ['10.1.2.3'] },
    ],
    [
      'in a pod a proxy beside it, where that is allowed',
      inPod({ allowed: ['127.0.0.1/32', '0.0.0.0/0', '::/0'] }),
      {
        yes: ['127.0.0.1', '::ffff:127.0.0.1', '203.0.113.7', '2001:db8::1'],
        no: ['127.0.0.2', '169.254.169.254', '::1'],
      },
    ],
    [
      'in a pod the whole of a network that is local to it, where that very one is allowed',
      inPod({ allowed: ['127.0.0.0/8', '10.0.0.0/8'] }),
      { yes: ['127.0.0.2'], no: ['::1', '169.254.169.254'] },
    ],
    ['all of a family', onLaptop({ denied: ['::/0'] }), { yes: ['10.0.0.1'], no: ['::1', '64:ff9b::10.0.0.1'] }],
  ]
  for (const [name, rules, { yes, no }] of cases)
    test(`F11c: ${name}`, () => {
      for (const address of yes) assert.equal(mayConnect(address, rules), true, address)
      for (const address of no) assert.equal(mayConnect(address, rules), false, address)
    })
})

/** A resolver that answers with each list in turn, and with the last one from then on. */
function resolving(...answers: string[][]) {
  let asked = 0
  const addressesOf = (list: string[]): LookupAddress[] =>
    list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  return (_host: string, _options: object, found: (error: null, addresses: LookupAddress[]) => void) => {
    const answer = answers[Math.min(asked, answers.length - 1)] ?? []
    asked += 1
    setImmediate(() => found(null, addressesOf(answer)))
  }
}

const lookedUp = (lookup: LookupFunction, all: boolean): Promise<unknown> =>
  new Promise((resolve, reject) =>
    lookup('example.test', { all }, (error, found, family) =>
      error ? reject(error) : resolve(all ? found : [found, family]),
    ),
  )

describe('a checked lookup', () => {
  test('F11d: gives the addresses that may be connected to, and fails where there is none', async () => {
    const mixed = resolving(['169.254.169.254', '10.0.0.7', '::1'])
    const lookup = checkedLookup('example.test', inPod(), mixed)
    assert.deepEqual(await lookedUp(lookup, true), [{ address: '10.0.0.7', family: 4 }])
    assert.deepEqual(await lookedUp(lookup, false), ['10.0.0.7', 4])
    await assert.rejects(lookedUp(checkedLookup('example.test', inPod(), resolving(['127.0.0.1'])), true), isDenied)
  })

  test('F11e: a name that was good a moment ago and now stands for a local address is not connected to', async (t) => {
    const server = createServer((socket) => socket.destroy())
    let connections = 0
    server.on('connection', () => (connections += 1))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.after(() => server.close())
    const { port } = server.address() as AddressInfo
    const lookup = checkedLookup('rebinding.test', inPod(), resolving(['10.0.0.7'], ['127.0.0.1']))
    await lookedUp(lookup, true)
    const socket = connect({ host: 'rebinding.test', port, lookup })
    const error = await new Promise((resolve) => socket.once('error', resolve))
    assert.ok(isDenied(error), String(error))
    assert.equal(connections, 0)
  })

  test('F11f: a host that is an address is refused before a socket is made', () => {
    for (const host of ['127.0.0.1', '::1', '[::1]', '::ffff:127.0.0.1'])
      assert.throws(() => checkedLookup(host, inPod()), isDenied)
    checkedLookup('10.0.0.1', inPod())
  })

  test('F11g: behind a proxy a name that stands for any denied address is refused, an unknown one is not', async () => {
    await assert.rejects(checkBehindProxy('10.0.0.1', onLaptop({ denied: ['10.0.0.0/8'] })), isDenied)
    await assert.rejects(checkBehindProxy('a.test', inPod(), resolving(['10.0.0.7', '127.0.0.1'])), isDenied)
    await checkBehindProxy('a.test', inPod(), resolving(['10.0.0.7']))
    await checkBehindProxy('a.test', inPod(), (_host, _options, found) =>
      found(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), []),
    )
  })
})

test('F11n: who denies loopback denies the unspecified address as well, which leads there', () => {
  const rules = { allowed: [], denied: ['127.0.0.0/8', '::1/128'] }
  for (const address of ['0.0.0.0', '::', '[::]', '::ffff:0.0.0.0', '64:ff9b::'])
    assert.equal(mayConnect(address, rules), false, address)
  for (const address of ['10.0.0.1', '0.0.0.1', 'fd00::1']) assert.equal(mayConnect(address, rules), true, address)
  assert.equal(mayConnect('0.0.0.0', everywhere), true)
})
