// Writes to the store in the folder it is given until it is killed, and prints each write once it is acknowledged.
import { writeSync } from 'node:fs'
import { openIn, put } from './stores.ts'

const [, , dir = '', round = ''] = process.argv
const store = openIn(dir, { historyLimit: 500 })
writeSync(1, `revision ${store.revision}\n`)

async function writeOn(writer: number): Promise<never> {
  for (let count = 0; ; count++) {
    const name = `w-${writer}-${count % 5}`
    const value = count % 11 === 10 ? undefined : `${round}-${count}-${'x'.repeat(300)}`
    if (value === undefined && !store.get('configmaps', 'default', name)) continue
    const { revision } = await put(store, name, value)
    writeSync(1, `${JSON.stringify({ name, revision, value })}\n`)
  }
}

await Promise.all(Array.from({ length: 8 }, (_, writer) => writeOn(writer)))
