import { resolve } from 'node:path'

/** For what is about the modules that are loaded. */
export const lanyardSources: string = resolve(import.meta.dirname, '../../src/cli/main.ts')

/**
 * What tests start as `lanyard`, without its launcher, so that signals and exit codes are its own: the bundle that the
 * test command made of the sources, which starts in a third of the processor's time. A file that is run by hand starts the
 * sources.
 */
export const lanyardProgram: string = process.env['LANYARD_TEST_PROGRAM'] ?? lanyardSources
