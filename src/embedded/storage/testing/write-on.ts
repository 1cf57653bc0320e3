// Writes to the store in the folder it is given until it is killed, and prints each write once it is acknowledged.
import { openIn, put } from './stores.ts'

const [, , dir = '', round = ''] = process.argv
const store = openIn(dir, { historyLimit: 500 })
/** Not `writeSync`: that fails where whoever reads is slow and the pipe is full. */
const print = (line: string) => new Promise((written) => process.stdout.write(`${line}\n`, written))
await print(`revision ${store.revision}`)

async function writeOn(writer: number): Promise<never> {
  for (let count = 0; ; count++) {
    const name = `w-${writer}-${count % 5}`
    const value = count % 11 === 10 ? undefined : `${round}-${count}-${'x'.repeat(300)}`
    if (value === undefined && !store.get('configmaps', 'default', name)) continue
    const { revision } = await put(store, name, value)
    await print(JSON.stringify({ name, revision, value }))
  }
}

await Promise.all(Array.from({ length: 8 }, (_, writer) => writeOn(writer)))
