import { beReady } from '../../src/core/small-process.ts'

// As a hub does it, and before anything else is loaded.
beReady()
