#!/usr/bin/env node
// Runs Lanyard on the Node it is pinned to. Plain JavaScript for Node 20 and newer.
import { join } from 'node:path'
import { isCheckout, isNewEnough, pinnedNode, refuse, root, runOn } from './pinned-node.js'

/** The checkout runs its sources; an installed package runs the bundle, since Node strips no types under node_modules. */
const entry = join(root, isCheckout ? 'src/cli/main.ts' : 'dist/lanyard.js')
const pinned = pinnedNode()

if (isNewEnough && (pinned === undefined || pinned === process.execPath)) await import(entry)
else if (pinned === undefined) refuse()
else runOn(pinned, [entry, ...process.argv.slice(2)])
