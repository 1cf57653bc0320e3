import { answer } from '../tasks.ts'

const start = performance.now()
await import('@kubernetes/client-node')
answer<'import'>({ ms: performance.now() - start, rssBytes: process.memoryUsage.rss() })
