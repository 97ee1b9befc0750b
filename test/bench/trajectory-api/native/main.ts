import { RESULT_PREFIX } from '../run-generator.ts';
import type { NativeLoadOptions } from './options.ts';
import { runNativeLoad } from './run-native-load.ts';

const options = JSON.parse(process.argv[2] ?? '{}') as NativeLoadOptions;
const result = await runNativeLoad(options);
process.stdout.write(`${RESULT_PREFIX}${JSON.stringify(result)}\n`, () => process.exit(0));
