import path from 'node:path';
import { packPackages } from './kit/pack-packages.ts';

/** `pnpm packed`: the packages as files, for `npm install` into any folder. */
const folder = path.resolve(import.meta.dirname, '../packed');
const files = await packPackages(folder);
process.stdout.write(`${files.length} packages in ${folder}\n  install them: npm install ${folder}/*.tgz\n`);
