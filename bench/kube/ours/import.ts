import { answer } from '../tasks.ts'

const start = performance.now()
await import('./everything.ts')
answer<'import'>({ ms: performance.now() - start, rssBytes: process.memoryUsage.rss() })
