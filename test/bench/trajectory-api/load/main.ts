import { RESULT_PREFIX } from '../run-generator.ts';
import type { LoadOptions } from './options.ts';
import { runLoad } from './run-load.ts';

// The generator has a process of its own, so that its garbage and its waiting are not the bench's.
const options = JSON.parse(process.argv[2] ?? '{}') as LoadOptions;
const result = await runLoad(options);
process.stdout.write(`${RESULT_PREFIX}${JSON.stringify(result)}\n`, () => process.exit(0));
