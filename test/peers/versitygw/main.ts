import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';

const MODULE = 'github.com/versity/versitygw/cmd/versitygw';
const VERSION = 'v1.8.0';

/**
 * The S3 server for .ci/setup --peers, built once:
 *
 *     node test/peers/versitygw/main.ts prepare CACHE     prints the program for LACHESIS_VERSITYGW
 */
function main([verb, cache]: string[]): number {
  if (verb !== 'prepare' || cache === undefined) {
    process.stderr.write('usage: main.ts prepare CACHE\n');
    return 2;
  }
  const folder = join(cache, `versitygw-${VERSION}`);
  const program = join(folder, 'versitygw');
  if (!existsSync(program)) {
    const building = join(folder, 'building');
    mkdirSync(building, { recursive: true });
    // Go checks the module against its checksum database.
    execFileSync('go', ['install', `${MODULE}@${VERSION}`], {
      env: { ...process.env, CGO_ENABLED: '0', GOBIN: building },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    renameSync(join(building, 'versitygw'), program);
  }
  process.stdout.write(`${program}\n`);
  return 0;
}

process.exitCode = main(process.argv.slice(2));
