import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { installPackages } from '../first-run/install-packages.ts';
import { makeHome } from './demo-home.ts';
import { HIGH, judgeCurve, LOW } from './judge-curve.ts';
import { listProcesses } from './list-processes.ts';
import { createSilenceMeter } from './silence-meter.ts';
import { runDemo, startDemo, type DemoPlace, type DemoReport } from './start-demo.ts';
import { watchDemo } from './watch-demo.ts';

const FIRST_SECONDS = 300;
const SILENT_SECONDS = 5;
const SECOND_SECONDS = 120;
const END_SECONDS = 60;
const REFUSED_SECONDS = 20;

export const scenarios: Scenario[] = [
  {
    name: 'from-nothing',
    title:
      '`lachesis demo` from an empty folder learns, with --full from an empty home and twice; a slip is told, Ctrl-C ends everything',
    run: async (context) => {
      const scratch = await context.scratch();
      const place = {
        home: await makeHome(scratch, { isEmpty: context.full }),
        folder: await makeFolder(scratch, 'folder'),
      };
      const first = await learnOnScreen(context, place, scratch);
      // In the short form the first run is as warm as a second one: the venv and the compiled programs are there.
      if (context.full) await learn(context, place, { name: 'second run', most: SECOND_SECONDS });
      await checkPage(context, first);
      await refuseSlip(context, place);
      await interrupt(context, place);
      showSilenceFault(context);
      const flat = judgeCurve(first.rewards.slice(0, 2));
      context.report({
        name: 'seeded fault: a curve that was cut off',
        figure: flat.figure,
        bar: 'not taken for learning',
        ok: !flat.ok,
      });
      if (!context.full) return;
      await failStation(context, place);
      await stayFlat(context, place);
    },
  },
];

async function makeFolder(scratch: string, name: string): Promise<string> {
  const folder = path.join(scratch, name);
  await mkdir(folder);
  return folder;
}

/** As somebody meets it who has the packages: installed with npm, typed into a terminal. */
async function learnOnScreen(context: ScenarioContext, place: DemoPlace, scratch: string): Promise<DemoReport> {
  const machine = await installPackages(context, path.join(scratch, 'machine'));
  const { env } = await machine.openEmpty('screen');
  const command = path.join(machine.packages, 'node_modules', '.bin', 'lachesis');
  const { report, text, seconds, risenAfter, silence } = await watchDemo(place, { command, env });
  context.log(text);
  const curve = judgeCurve(report.rewards);
  context.report({ name: 'first run: reward', figure: curve.figure, bar: `≤ ${LOW} → ≥ ${HIGH}`, ok: curve.ok });
  context.report({
    name: 'first run: a rising reward on the screen',
    figure: `after ${risenAfter?.toFixed(0) ?? '…'} s, ended after ${seconds.toFixed(0)} s`,
    bar: `≤ ${FIRST_SECONDS} s`,
    ok: risenAfter !== undefined && seconds <= FIRST_SECONDS,
  });
  context.report({
    name: 'first run: longest silence on the screen',
    figure: `${silence.seconds.toFixed(1)} s, at "${silence.during}"`,
    bar: `≤ ${SILENT_SECONDS} s`,
    ok: silence.seconds <= SILENT_SECONDS,
  });
  return report;
}

function showSilenceFault(context: ScenarioContext): void {
  let now = 0;
  const meter = createSilenceMeter(() => now);
  for (now = 0; now <= 6_000; now += 1_000) meter.see('a line that is drawn again and does not move');
  const { seconds } = meter.read();
  context.report({
    name: 'seeded fault: a screen that is drawn again and stands still',
    figure: seconds > SILENT_SECONDS ? 'caught' : 'not caught',
    bar: 'caught',
    ok: seconds > SILENT_SECONDS,
  });
}

async function learn(
  context: ScenarioContext,
  place: DemoPlace,
  { name, most }: { name: string; most: number },
): Promise<DemoReport> {
  const { code, seconds, report, output } = await runDemo(place);
  context.log(output);
  if (report === undefined) throw new Error(`the ${name} ended with ${code} and no result:\n${output}`);
  const curve = judgeCurve(report.rewards);
  context.report({ name: `${name}: reward`, figure: curve.figure, bar: `≤ ${LOW} → ≥ ${HIGH}`, ok: curve.ok });
  context.report({ name: `${name}: time`, figure: `${seconds.toFixed(0)} s`, bar: `≤ ${most} s`, ok: seconds <= most });
  return report;
}

/** What it names is there and whole, and the replies are of this run. */
async function checkPage(context: ScenarioContext, report: DemoReport): Promise<void> {
  const page = await readFile(report.rolloutsPage, 'utf8');
  // A line of the trainer for each step; those of the environment stand between them.
  const written = (await readFile(report.metricsFile, 'utf8')).trim().split('\n');
  const metrics = written.filter((line) => line.includes('"time/step"')).length;
  const lines = (await readFile(report.environmentFile, 'utf8')).trim().split('\n').length;
  const shown = [...report.before, ...report.after].length;
  const isWhole = page.endsWith('</body></html>\n') && page.includes('<pre>77777777</pre>');
  context.report({
    name: 'what it names',
    figure: `page ${isWhole ? 'whole' : 'cut off'}, ${metrics} steps, ${shown} replies, environment of ${lines} lines`,
    bar: `page whole, ${report.rewards.length} steps, 6 replies, ≤ 40 lines`,
    ok: isWhole && metrics === report.rewards.length && shown === 6 && lines <= 40,
  });
}

async function edited(place: DemoPlace, name: string, edit: (source: string) => string): Promise<DemoPlace> {
  const source = await readFile(path.join(place.folder, 'lachesis-demo/my-digits.ts'), 'utf8');
  const changed = edit(source);
  if (changed === source) throw new Error(`the edit ${name} fits nowhere in the environment`);
  const folder = path.join(path.dirname(place.folder), name);
  await mkdir(path.join(folder, 'lachesis-demo'), { recursive: true });
  await writeFile(path.join(folder, 'lachesis-demo/my-digits.ts'), changed);
  return { home: place.home, folder };
}

async function refuseSlip(context: ScenarioContext, place: DemoPlace): Promise<void> {
  const slip = await edited(place, 'slip', (source) => source.replace('const LENGTH =', 'const LENGTH = ='));
  const { code, seconds, output } = await runDemo(slip);
  const isNamed = output.includes('my-digits.ts') && output.includes('cannot be parsed');
  context.report({
    name: 'a slip in the edited file',
    figure: `exit ${code} after ${seconds.toFixed(0)} s, ${isNamed ? 'named' : 'not named'}`,
    bar: `exit 1 within ${REFUSED_SECONDS} s, named`,
    ok: code === 1 && seconds <= REFUSED_SECONDS && isNamed,
  });
}

/** At the moment when most is running. */
async function interrupt(context: ScenarioContext, place: DemoPlace): Promise<void> {
  await using demo = await startDemo(place);
  while (demo.isRunning() && !/environment started/.test(demo.logs())) await sleep(100);
  const before = (await listProcesses(place.home)).length;
  const startedAt = performance.now();
  demo.signal('SIGINT');
  const { code } = await demo.exited;
  const seconds = (performance.now() - startedAt) / 1000;
  const left = await listProcesses(place.home);
  context.report({
    name: 'Ctrl-C',
    figure: `exit ${code} after ${seconds.toFixed(1)} s, ${left.length} of ${before} processes left`,
    bar: `exit 130 within ${END_SECONDS} s, 0 left of at least 5`,
    ok: code === 130 && seconds <= END_SECONDS && left.length === 0 && before >= 5,
  });
}

async function failStation(context: ScenarioContext, place: DemoPlace): Promise<void> {
  const dying = await edited(place, 'dying', (source) =>
    source.replace(
      '  formatPrompt:',
      "  setup: () => {\n    throw new Error('words.txt is missing');\n  },\n  formatPrompt:",
    ),
  );
  const { code, output } = await runDemo(dying);
  const hasAll = /last lines of the environment, \S+env_demo\S+\.log:[\s\S]+words\.txt is missing/.test(output);
  const left = await listProcesses(place.home);
  context.report({
    name: 'seeded fault: a station that dies',
    figure: `exit ${code}, ${hasAll ? 'named with its log and its last lines' : 'not explained'}, ${left.length} processes left`,
    bar: 'exit 1, named with its log and its last lines, 0 processes left',
    ok: code === 1 && hasAll && left.length === 0,
  });
}

async function stayFlat(context: ScenarioContext, place: DemoPlace): Promise<void> {
  const blind = await edited(place, 'blind', (source) =>
    source.replace('scored(Math.min(1, hits / LENGTH))', 'scored(hits < 0 ? 1 : Math.random() / 4)'),
  );
  const { report } = await runDemo(blind);
  const { figure, ok } = judgeCurve(report?.rewards ?? []);
  context.report({
    name: 'seeded fault: a reward that does not depend on the reply',
    figure,
    bar: 'not taken for learning',
    ok: !ok,
  });
}
