import type { EngineProgress } from '@lachesis/tinker/engine';
import { createPaint, type Paint } from '../terminal/paint.ts';
import { renderBar, renderCurve } from '../terminal/render-curve.ts';
import type { StepFacts } from './follow-metrics.ts';

type EngineStep = EngineProgress['step'];

/** What the demo says while it works. */
export interface View {
  /** A line that stays. What is live is taken away first. */
  log(line: string): void;
  engine(progress: EngineProgress): void;
  warmUp(step: number, of: number, loss: number): void;
  waiting(text: string): void;
  step(facts: StepFacts, all: readonly StepFacts[], of: number): void;
  /** Leaves what is live as it is, without its clock. */
  settle(): void;
  /** To be called every second: moves the clock, and breaks a silence where lines cannot be drawn again. */
  tick(): void;
}

export interface ViewOptions {
  readonly write: (text: string) => void;
  /** Whether lines can be drawn again. Elsewhere each step is a line of its own. */
  readonly isLive: boolean;
  readonly now: () => number;
  /** Characters in a line. */
  readonly columns: number;
  readonly paint?: Paint;
  /** Bytes that are free on the disk, so that what is installed can be seen growing. */
  readonly readFreeBytes?: () => number | undefined;
}

/** In the order in which they come; a wait for another process or a download can come anywhere. */
const ENGINE_STEPS: readonly EngineStep[] = ['python', 'venv', 'install', 'model', 'start'];
const BAR = 20;

/** Nobody looks at a screen for longer without a sign of life. */
const SILENCE_MS = 4_500;
const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const MEGABYTE = 1e6;

export function createView(options: ViewOptions): View {
  const { isLive, now, columns, paint = createPaint(false), readFreeBytes = () => undefined } = options;
  const startedAt = now();
  let live = 0;
  let reached = 0;
  let ticks = 0;
  let spokeAt = startedAt;
  /** What is under way, since when, how its lines are drawn, and what stays of them. */
  let doing: { text: string; since: number; draw: () => string[]; stays: (() => string[]) | undefined } | undefined;
  let freeAtFirst: number | undefined;

  const write = (text: string): void => {
    spokeAt = now();
    options.write(text);
  };
  const erase = (): void => {
    if (live > 0) write(`\u001B[${live}A\u001B[J`);
    live = 0;
  };
  const render = (lines: readonly string[]): void => {
    erase();
    // A line that wraps would be two, and the next erasing one short.
    const cut = lines.map((line) =>
      Array.from(line)
        .slice(0, columns - 1)
        .join(''),
    );
    write(cut.map((line) => `${colour(line, paint)}\n`).join(''));
    live = lines.length;
  };
  const log = (line: string): void => {
    doing = undefined;
    erase();
    write(`${/^\n?\d /.test(line) ? paint.bold(line) : line}\n`);
  };
  const seconds = (since = startedAt): string => `${Math.round((now() - since) / 1000)} s`;
  const begin = (text: string, draw: () => string[], stays?: () => string[]): void => {
    doing = { text, since: doing?.text === text ? doing.since : now(), draw, stays };
    if (isLive) render(draw());
  };
  const bar = (share: number): string => {
    const filled = Math.round(BAR * share);
    return `[${'#'.repeat(filled)}${'-'.repeat(BAR - filled)}]`;
  };
  /** What came onto the disk since the first look; other programs write too, so it is about. */
  const written = (): string => {
    const free = readFreeBytes();
    freeAtFirst ??= free;
    const bytes = free === undefined || freeAtFirst === undefined ? 0 : freeAtFirst - free;
    return bytes < MEGABYTE ? '' : `  about ${Math.round(bytes / MEGABYTE)} MB written`;
  };
  const spin = (): string => SPINNER[ticks % SPINNER.length] ?? '';

  return {
    log,
    engine({ step, message }) {
      written();
      if (!isLive) log(`  [${seconds().padStart(5)}] ${message}`);
      const place = ENGINE_STEPS.indexOf(step) + 1;
      reached = Math.max(reached, place);
      // The step that has begun is half of itself: a full bar that waits looks broken.
      begin(message, () => [`  ${bar((reached - 0.5) / ENGINE_STEPS.length)} ${seconds()}${written()}  ${message}`]);
    },
    warmUp(step, of, loss) {
      begin(`step ${step}/${of}`, () => [`  ${bar(step / of)} step ${step}/${of}  loss ${loss.toFixed(2)}`]);
    },
    waiting(text) {
      if (!isLive) log(`  ${text}`);
      begin(text, () => [`  ${spin()} ${text}  ${doing === undefined ? '' : seconds(doing.since)}`]);
    },
    step(facts, all, of) {
      const line = describeStep(facts, of);
      if (!isLive) log(`${line}  ${renderBar(facts.reward)}`);
      // A chart that is wider than the terminal cannot be drawn again; then each step is one column.
      const columnWidth = of * 2 + 20 < columns ? 2 : 1;
      const curve = renderCurve(
        all.map(({ reward }) => reward),
        { steps: of, columnWidth },
      );
      const drawnAt = now();
      const isLast = facts.step >= of;
      const clock = (): string =>
        now() - drawnAt < 1_000 ? '' : `  ${spin()} ${isLast ? 'ending what was started ' : ''}${seconds(drawnAt)}`;
      begin(
        `${facts.step} of ${of} steps are made${isLast ? '; ending what was started' : ''}`,
        () => [...curve, `${line}${clock()}`],
        () => [...curve, line],
      );
    },
    settle() {
      if (isLive && doing?.stays !== undefined) render(doing.stays());
      doing = undefined;
      live = 0;
    },
    tick() {
      ticks += 1;
      if (doing === undefined) return;
      if (isLive) render(doing.draw());
      else if (now() - spokeAt >= SILENCE_MS) write(`  [${seconds().padStart(5)}] … ${doing.text}${written()}\n`);
    },
  };
}

/** Bars and curves green, the spinner cyan. */
function colour(line: string, paint: Paint): string {
  return line
    .replaceAll(/[#█▇▆▅▄▃▂▁]+/g, (part) => paint.green(part))
    .replace(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/, (part) => paint.cyan(part));
}

function describeStep({ step, reward, seconds }: StepFacts, of: number): string {
  return `  step ${String(step).padStart(String(of).length)}/${of}  reward ${reward.toFixed(3)}  ${seconds.toFixed(1).padStart(4)} s`;
}
