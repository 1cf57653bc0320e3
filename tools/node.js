// Runs a file of the checkout on the pinned Node: `npm run node -- FILE`. Plain JavaScript for Node 20 and newer.
import { isNewEnough, pinnedNode, refuse, runOn } from '../bin/pinned-node.js'

const pinned = pinnedNode() ?? (isNewEnough ? process.execPath : undefined)
if (pinned === undefined) refuse()
else runOn(pinned, process.argv.slice(2))
