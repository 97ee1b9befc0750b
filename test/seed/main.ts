import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { planScenario, SCENARIO_NAMES } from './scenarios.ts';
import { describeHome, seedHome } from './seed-home.ts';

/* `pnpm seed <scenario> --home <folder>`: a home to look at. */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    home: { type: 'string' },
    small: { type: 'boolean', default: false },
    add: { type: 'boolean', default: false },
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const refuse = (line: string): never => {
  process.stderr.write(`${line}\n`);
  process.exit(1);
};

const name = SCENARIO_NAMES.find((each) => each === positionals[0]);
if (name === undefined || values.home === undefined) {
  const list = SCENARIO_NAMES.map((each) => `  ${each.padEnd(16)}${planScenario(each, { isSmall: false }).title}`);
  refuse(`Usage: pnpm seed <scenario> --home <folder> [--small] [--add]\n\n${list.join('\n')}`);
} else {
  const home = resolve(values.home);
  await mkdir(home, { recursive: true });
  const found = await describeHome(home);
  if (found !== undefined && !values.add) {
    refuse(
      `${home} has ${found}, and nothing was written. Name an empty folder, or say --add to put this beside them.`,
    );
  }
  await seedHome({ home, plan: planScenario(name, { isSmall: values.small }), onProgress: say });
  say(`\nlachesis serve control --home ${values.home}`);
}
