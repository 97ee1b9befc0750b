#!/usr/bin/env node

import { refuseOldNode } from './refuse-old-node.ts';

// Everything else is loaded after this: an old Node would stop at an import with a syntax error and no sentence.
const refusal = refuseOldNode(process.version);
if (refusal === undefined) {
  await import('./start.ts');
} else {
  process.stderr.write(`lachesis: ${refusal}\n`);
  process.exitCode = 1;
}
